"""The options of `rightcall score` and `rightcall.score`, each declared once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from rightcall.core.options import Option
from rightcall.metrics.matching.verdict import Rules
from rightcall.records.tool import Tool


@dataclass(frozen=True, kw_only=True)
class ScoreChoices:
    """How recorded behaviour is scored."""

    metrics: Annotated[Sequence[Any], Option("Extra metric", flags=("--metric",))] = ()
    measure: Annotated[
        Sequence[Any],
        Option(
            "Metric to measure without affecting the verdict",
            flags=("--measure", "--observe"),
        ),
    ] = ()
    partial: Annotated[bool, Option("Skip goldens without a trajectory instead of failing")] = False


@dataclass(frozen=True)
class ScoreCall(ScoreChoices):
    """The parameters of `rightcall.score`."""

    goldens: Annotated[str | Path, Option("File of goldens: what an agent should have done")]
    trajectories: Annotated[str | Path, Option("File of trajectories: what it did")]
    _: KW_ONLY
    tools: Annotated[
        str | Path | Iterable[Tool], Option("Tool definitions, for defaults and schema checks")
    ] = ()
    rules: Annotated[
        Rules | None, Option("How the parts of a case count, and when it passes, as in a suite")
    ] = None


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(ScoreChoices):
    """The options of `rightcall score`."""

    tools: Annotated[Path | None, Option("Tool definitions, for defaults and schema checks")] = None
    rules: Annotated[
        Literal["default", "seed"],
        Option("How a case passes: by every check, or by an overall score of at least 0.8 with half credit"),
    ] = "default"
    least: Annotated[float, Option("Minimum pass rate for exit code 0", flags=("--min",), ge=0, le=1)] = 1.0
    failures: Annotated[int, Option("Maximum kinds of failures shown", ge=0)] = 4
    as_json: Annotated[bool, Option("Output JSON, one line per case", flags=("--json",), is_python=False)] = (
        False
    )
