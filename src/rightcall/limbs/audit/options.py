"""The options of `rightcall audit` and `rightcall.audit`, each declared once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from rightcall.core.options import CI, SELECTION, JsonOption, Option, StoreOption, TrustOption, described
from rightcall.core.seam import Limb
from rightcall.decide.config import AboveFloor
from rightcall.records.golden import AnyGolden
from rightcall.records.record import Record


@dataclass(frozen=True, kw_only=True)
class AuditChoices:
    """What is planted, and what is known to be right."""

    metrics: Annotated[Sequence[Any], Option("Extra metric", flags=("--metric",))] = ()
    runs: Annotated[
        Sequence[str],
        Option(
            "Run whose passing trajectories count as correct",
            flags=("--run",),
            default="the newest run of each agent",
        ),
    ] = ()
    trajectories: Annotated[
        Sequence[str],
        Option(
            "File of trajectories that counts as a run of an agent",
            metavar="[[FAMILY/]AGENT=]FILE",
        ),
    ] = ()
    only: Annotated[
        Literal["mutants", "floor", "doubts"] | None, Option("Only this part of the audit", group=SELECTION)
    ] = None
    operators: Annotated[
        Sequence[str],
        Option("Plant only bugs of this kind", flags=("--operator",), metavar="NAME", group=SELECTION),
    ] = ()
    seed: Annotated[
        str, Option("Seed of the choice of bugs", metavar="TEXT", group=SELECTION, default="from the dataset")
    ] = ""
    write: Annotated[
        str | Path | None,
        Option("Output file for the goldens with all proposed changes", metavar="PATH", writes="document"),
    ] = None
    store: StoreOption = None
    trust: TrustOption = False


@dataclass(frozen=True)
class AuditCall(AuditChoices):
    """The parameters of `rightcall.audit`."""

    suite: Annotated[str | Path | Iterable[AnyGolden], Option("A suite, a dataset, or goldens")]
    _: KW_ONLY
    tools: Annotated[
        str | Path | Iterable[Any], Option("Tools of the goldens, or their file; a suite has its own")
    ] = ()
    progress: Annotated[Callable[[], None] | None, Option("Called after each golden")] = None


@dataclass(frozen=True, kw_only=True)
class AuditOptions(AuditChoices):
    """The options of `rightcall audit`."""

    tools: Annotated[Path | None, Option("Tool definitions of a dataset")] = None
    every: Annotated[bool, Option("Show every bug that passes", flags=("--all",))] = False
    least: Annotated[
        float | None,
        Option(
            "Fail if the lower bound of the catch rate is below this", flags=("--min",), group=CI, ge=0, le=1
        ),
    ] = None
    strict: Annotated[
        bool,
        Option("Fail when a golden is certainly wrong: it cannot be met, or a tool refuses it", group=CI),
    ] = False
    output: Annotated[
        Path | None,
        Option("Write the audit to a file: .html or .json", flags=("-o", "--output"), writes="report"),
    ] = None
    as_json: JsonOption = False


class AuditSettings(Record, frozen=True):
    """What `rightcall audit` plants, and what it knows about agents: models of one maker share mistakes."""

    operators: Annotated[
        tuple[str, ...], described("kinds of bugs to plant; !NAME leaves one out [default: all]")
    ] = ()
    equivalent: Annotated[tuple[str, ...], described("ids of bugs that are harmless and left out")] = ()
    families: Annotated[
        dict[str, str],
        described("maker of each agent or model, by name [default: derived from the model's name]"),
    ] = {}
    above_floor: AboveFloor = None


class AuditLimb(Limb):
    """`audit` of a suite, and the requirement that a run passes more than agents that understand nothing."""

    block = Annotated[AuditSettings | None, described("settings of `rightcall audit`")]

    def gate(self, block: AuditSettings) -> Mapping[str, Any]:
        return {"above_floor": block.above_floor}
