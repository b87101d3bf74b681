"""The options of `rightcall check` and `rightcall.check`, each declared once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated, Any

from rightcall.core.options import CI, MOST_TRIALS, SCALE, SELECTION, JsonOption, Option
from rightcall.run.options import SuiteOverrides


@dataclass(frozen=True, kw_only=True)
class CheckOptions(SuiteOverrides):
    """What of a suite is checked, against what, and at which price."""

    baseline: Annotated[
        Sequence[str],
        Option(
            "Baseline: branch:NAME, a run, or a baseline file; several are merged",
            default="branch:main",
        ),
    ] = ()
    full: Annotated[bool, Option("Try every golden", group=SELECTION)] = False
    strict: Annotated[bool, Option("Exit with 3 for NO LOSS SEEN", group=CI)] = False
    again: Annotated[bool, Option("Check again even if these inputs have a verdict", group=SELECTION)] = False
    plan_only: Annotated[
        bool,
        Option("Show what would be tried; send nothing", flags=("--plan",)),
    ] = False
    max_calls: Annotated[int | None, Option("Maximum number of model calls", group=SCALE, ge=0)] = None
    changed: Annotated[
        Sequence[str],
        Option("File that changed and affects every golden", metavar="FILE", group=SELECTION),
    ] = ()
    trials: Annotated[int | None, Option("Trials per new golden", group=SCALE, ge=1, le=MOST_TRIALS)] = None
    base_ref: Annotated[
        str,
        Option(
            "Version that confirms an alarm (branch, tag or commit); with `check: {control: N}` always tried",
            metavar="REF",
            group=CI,
            default="the baseline's commit",
        ),
    ] = ""


@dataclass(frozen=True)
class CheckSuiteOptions(CheckOptions):
    """The parameters of `rightcall.check`."""

    suite: Annotated[str | Path, Option("File of the suite")]
    _: KW_ONLY
    settings: Annotated[
        Mapping[str, Any] | None,
        Option("What replaces the suite's `check:`: drop, drop_rest, confirm, sample, …"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class CheckCommandOptions(CheckOptions):
    """The options of `rightcall check`."""

    anchor: Annotated[
        Path | None,
        Option(
            "Instead compare the baseline with this one of a release; frozen when there is no such file; runs nothing",
            group=CI,
        ),
    ] = None
    comment: Annotated[
        bool,
        Option(
            "Comment on the pull request of this GitHub workflow, replacing an earlier comment; reads GITHUB_TOKEN",
            group=CI,
        ),
    ] = False
    outputs: Annotated[
        Sequence[Path],
        Option(
            "Output file: check.md, check.json, check.xml (JUnit), check.sarif or codequality.json",
            flags=("-o", "--output"),
            group=CI,
            writes="report",
        ),
    ] = ()
    as_json: JsonOption = False
