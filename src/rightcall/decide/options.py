"""The options of `gate` and `compare` that are rules of a decision, each declared once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated, Literal

from rightcall.core.options import JsonOption, Option, StoreOption

About = Literal["cases_like_these", "these_goldens"]
"""The population of a claim: all cases, of which the goldens are a sample, or exactly the goldens."""
ABOUT_HELP = "Population of the claim: all cases like these goldens, or these goldens only"


@dataclass(frozen=True, kw_only=True)
class GateRules:
    """What adds to a gate or replaces its settings."""

    min: Annotated[float | None, Option("Required pass rate", gt=0, le=1)] = None
    baseline: Annotated[
        str | None,
        Option(
            "Earlier results to compare with: a run, `last~1`, a tag, a git branch or a saved baseline",
        ),
    ] = None
    margin: Annotated[float | None, Option("Largest acceptable drop from the baseline", ge=0, lt=1)] = None
    anyway: Annotated[bool, Option("Compare even if metrics differ or goldens were edited")] = False
    forbid: Annotated[Sequence[str], Option("Fail if this failure code occurs")] = ()
    uncalibrated: Annotated[
        Literal["refuse", "allow"] | None,
        Option("Whether a judge without enough labels may decide", default="refuse"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class GateOptions(GateRules):
    """What `rightcall gate` and `rightcall.gate` take."""

    suite: Annotated[str | Path | None, Option("Use the gate of this suite")] = None
    store: StoreOption = None


@dataclass(frozen=True, kw_only=True)
class GateCommandOptions(GateOptions):
    """The options of `rightcall gate`."""

    plan: Annotated[
        bool,
        Option("Instead compute how many goldens show --min when the pass rate is --target; runs nothing"),
    ] = False
    target: Annotated[
        float | None, Option("Expected pass rate, for --plan", gt=0, le=1, default="the suite's")
    ] = None
    as_json: JsonOption = False


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """How runs are compared."""

    margin: Annotated[float, Option("Largest acceptable drop from the baseline", ge=0, lt=1)] = 0.0
    alpha: Annotated[float, Option("Maximum probability of a wrong verdict", gt=0, le=0.5)] = 0.05
    metric: Annotated[str | None, Option("Compare this metric instead of pass rates")] = None
    anyway: Annotated[bool, Option("Compare even if metrics differ or a run is unfinished")] = False


@dataclass(frozen=True)
class SampleSizeOptions:
    """The parameters of `rightcall.sample_size`."""

    min: Annotated[float, Option("Required pass rate", gt=0, lt=1)]
    target: Annotated[float, Option("Expected pass rate", gt=0, le=1)]
    _: KW_ONLY
    power: Annotated[float, Option("Probability of PASS at the expected pass rate", gt=0, lt=1)] = 0.8
    alpha: Annotated[float, Option("Maximum probability of a wrong verdict", gt=0, le=0.5)] = 0.05
    trials: Annotated[int, Option("Trials per golden", ge=1, le=100_000)] = 1
    icc: Annotated[
        float, Option("Correlation between trials of one golden: 0 independent, 1 identical", ge=0, le=1)
    ] = 0.5
    about: Annotated[About, Option(ABOUT_HELP)] = "cases_like_these"
    dataset: Annotated[str | Path | None, Option("Evaluate the plan for these goldens", metavar="PATH")] = (
        None
    )
    watch: Annotated[Callable[[], None] | None, Option("Called after every simulated run", hidden=True)] = (
        None
    )
