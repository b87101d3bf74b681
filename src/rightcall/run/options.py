"""The options of `rightcall run` and `rightcall.run_suite`, each declared once.

`SuiteOverrides` is shared with `check`. Keys of a suite that an option replaces take their description and bounds from
here (`run/suite.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated, Literal

from rightcall.core.options import (
    CI,
    SELECTION,
    ConcurrencyOption,
    Option,
    StoreOption,
    TrialsOption,
    TrustOption,
)
from rightcall.recording.library import RecordMode

Limit = Annotated[int | None, Option("Maximum number of goldens", group=SELECTION, ge=1)]


@dataclass(frozen=True, kw_only=True)
class SuiteOverrides:
    """What replaces settings of a suite, and where its results are."""

    record: Annotated[
        RecordMode | None,
        Option(
            "Record and replay model answers: auto asks the model only for what is not recorded, replay never asks it",
            group=CI,
        ),
    ] = None
    trust: TrustOption = False
    store: StoreOption = None


@dataclass(frozen=True, kw_only=True)
class SuiteOptions(SuiteOverrides):
    """What of a suite is run, and how."""

    metrics: Annotated[Sequence[str], Option("Extra metric", flags=("--metric",))] = ()
    trials: TrialsOption = None
    concurrency: ConcurrencyOption = None
    only: Annotated[
        Sequence[str], Option("Only this id (wildcards * and ?), tag or category", group=SELECTION)
    ] = ()
    limit: Limit = None
    faults: Annotated[
        str | Path | None,
        Option("Inject these faults; also run a fault-free control", group=SELECTION, metavar="PATH"),
    ] = None
    attacks: Annotated[
        str | Path | None,
        Option(
            "Attack the agent: auto derives a plan from the tools, FILE contains one, none attacks nothing",
            group=SELECTION,
            metavar="auto|none|FILE",
        ),
    ] = None
    resume: Annotated[
        str | None,
        Option("Resume an unfinished run: an id, a prefix or `last`", metavar="RUN"),
    ] = None


@dataclass(frozen=True)
class RunSuiteOptions(SuiteOptions):
    """The parameters of `rightcall.run_suite`."""

    suite: Annotated[str | Path, Option("File of the suite")]
    _: KW_ONLY
    model: Annotated[
        str | None,
        Option("Model to use: provider:model[@URL] or a name from models", default="the suite's model"),
    ] = None
    quiet: Annotated[
        bool | None, Option("Print nothing", default="print the result, except in notebooks and under pytest")
    ] = None


@dataclass(frozen=True, kw_only=True)
class RunOptions(SuiteOptions):
    """The options of `rightcall run`."""

    models: Annotated[
        Sequence[str],
        Option(
            "Agent to ask: module:function, provider:model[@URL], a name from models, http:URL or exec:COMMAND",
            flags=("--agent", "--model"),
            default="the suite's",
        ),
    ] = ()
    observe: Annotated[
        str,
        Option(
            "Hear the calls of an agent that returns only text: auto, openai, anthropic, … (`list frameworks`), otel",
            metavar="NAME",
        ),
    ] = ""
    perturb: Annotated[
        Sequence[str],
        Option(
            "Measure the effect of harmless changes: order, names, distractors, paraphrase, typos",
            metavar="KIND[,KIND]",
            group=SELECTION,
        ),
    ] = ()
    dry_run: Annotated[bool, Option("Estimate requests, tokens and cost without sending anything")] = False
    save_baseline: Annotated[
        Path | None,
        Option("Add the run to this baseline file; runs with equal inputs are pooled", group=CI),
    ] = None
    exit_on: Annotated[
        Literal["verdict", "infra"],
        Option(
            "What decides the exit code; with infra, a finished run exits with 0 whatever its verdict",
            group=CI,
        ),
    ] = "verdict"
    failures: Annotated[int, Option("Maximum kinds of failures shown", ge=0)] = 4
    as_json: Annotated[
        bool, Option("Output JSON: one line per case, then one for the run", flags=("--json",))
    ] = False
