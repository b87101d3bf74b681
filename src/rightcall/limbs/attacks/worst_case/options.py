"""The options of `rightcall attacks worst-case`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from rightcall.core.options import CI, JsonOption, Option, TrustOption


@dataclass(frozen=True, kw_only=True)
class WorstCaseOptions:
    """The options of `rightcall attacks worst-case`."""

    guard: Annotated[
        str | None,
        Option(
            "Policy: auto, strict, none or a file",
            metavar="POLICY",
            default="the suite's; auto for a dataset",
        ),
    ] = None
    threat: Annotated[
        Literal["text", "record"] | None,
        Option(
            "What the attacker writes: text in a record, or the fields of a record",
            default="text",
        ),
    ] = None
    tools: Annotated[Path | None, Option("Tool definitions of a dataset")] = None
    trajectories: Annotated[Path | None, Option("The user's calls and their results from recordings")] = None
    output: Annotated[
        Path | None,
        Option(
            "Output file for counterexamples, as goldens",
            flags=("-o", "--output"),
            writes="document",
        ),
    ] = None
    max_false_stops: Annotated[
        float | None,
        Option(
            "Fail if a larger share of the user's calls is stopped",
            group=CI,
            ge=0,
            le=1,
            default="any share",
        ),
    ] = None
    every: Annotated[bool, Option("Show every stop and every goal", flags=("--all",))] = False
    as_json: JsonOption = False
    trust: TrustOption = False
