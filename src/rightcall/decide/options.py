"""The options of `check` and `gate` that are rules of a decision, each declared once.

Keys of a suite that an option replaces take their description and bounds from here (`decide/check_settings.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from rightcall.core.options import CI, SCALE, SELECTION, Option

About = Literal["cases_like_these", "these_goldens"]
ClusterMode = Literal["declared", "auto"]
ABOUT_HELP = "Population of the claim: all cases like these goldens, or these goldens only"


@dataclass(frozen=True, kw_only=True)
class CheckThresholds:
    """What replaces settings of `check:` in a suite."""

    drop: Annotated[
        float | None, Option("Largest acceptable drop on affected goldens", gt=0, lt=1, default="0.2")
    ] = None
    drop_rest: Annotated[
        float | None, Option("Largest acceptable drop on all other goldens", gt=0, lt=1, default="0.1")
    ] = None
    alpha: Annotated[
        float | None,
        Option("Maximum probability of REGRESSED when nothing got worse", gt=0, le=0.5, default="0.05"),
    ] = None
    sample: Annotated[
        int | None,
        Option("Maximum number of unaffected goldens to try", group=SELECTION, ge=1, default="120"),
    ] = None
    rounds: Annotated[int | None, Option("Trials per affected golden", group=SCALE, ge=1)] = None
    control: Annotated[
        int | None,
        Option(
            "Number of unaffected goldens to try as well, to detect a change at the provider", group=CI, ge=0
        ),
    ] = None

    def typed(self) -> dict[str, float]:
        """Those that were passed."""
        values = {name: getattr(self, name) for name in CheckThresholds.__dataclass_fields__}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class GateRules:
    """What adds to a gate or replaces its settings."""

    min: Annotated[float | None, Option("Required pass rate", gt=0, le=1)] = None
    target: Annotated[float | None, Option("Expected pass rate", gt=0, le=1)] = None
    alpha: Annotated[float | None, Option("Maximum probability of a wrong verdict", gt=0, le=0.5)] = None
    rule: Annotated[
        Literal["interval", "point"] | None,
        Option("Decide by confidence bounds, or by the observed rate alone", default="interval"),
    ] = None
    about: Annotated[About | None, Option(ABOUT_HELP, default="cases_like_these")] = None
    cluster: Annotated[
        ClusterMode | None,
        Option(
            "Clusters that goldens declare, or also goldens whose requests are one template",
            default="declared",
        ),
    ] = None
    baseline: Annotated[
        str | None,
        Option(
            "Earlier results to compare with: a run, `last~1`, a tag, a git branch or a file of exported results",
            values="run",
        ),
    ] = None
    margin: Annotated[float | None, Option("Largest acceptable drop from the baseline", ge=0, lt=1)] = None
    anyway: Annotated[bool, Option("Compare even if metrics differ or goldens were edited")] = False
    forbid: Annotated[Sequence[str], Option("Fail if this failure code occurs")] = ()
