"""`rc.audit`: would a suite notice? Bugs planted in right behaviour, scored by its own goldens. No model is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from rightcall.api.tool_lint import definitions_given
from rightcall.core.digest import digest_of_parts
from rightcall.core.event_loop import as_blocking
from rightcall.core.options import (
    CI,
    SELECTION,
    JsonOption,
    Option,
    StoreOption,
    TrustOption,
    described,
    takes,
)
from rightcall.core.seam import Limb
from rightcall.datasets.goldens import numbered_goldens, save_goldens
from rightcall.decide.config import AboveFloor
from rightcall.files.atomic import refuse_existing
from rightcall.files.documents import read_document
from rightcall.improve.golden_doubts import Doubter
from rightcall.improve.past_evidence import PastEvidence, past_evidence
from rightcall.limbs.audit.audit import AuditListener, Auditor, AuditPlan
from rightcall.limbs.audit.mutation import select_operators
from rightcall.limbs.audit.result import AuditResult, Survivor, with_audit_note
from rightcall.limbs.audit.scene import Mutant
from rightcall.metrics.base import AnyMetric
from rightcall.metrics.resolve import as_metrics
from rightcall.metrics.score_case import Scorer
from rightcall.records.floor import Floor
from rightcall.records.golden import AnyGolden, with_id
from rightcall.records.record import Record
from rightcall.run.floor import TrivialScorer, compute_floor
from rightcall.run.plan import Plan
from rightcall.run.rehearsal.trial import Trial, reads_expected_output, trial_of_plan
from rightcall.run.suite import load_suite
from rightcall.run.suite_plan import plan_suite
from rightcall.run.trust import require_trust
from rightcall.tools.definitions.source import load_tools
from rightcall.tools.runtime.toolbox import Toolbox


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


NO_SETTINGS = AuditSettings()
DOCUMENTS = (".yaml", ".yml", ".json")


@dataclass(frozen=True)
class AuditSubject:
    """What is audited: goldens with their places, read as often as they are needed, and how they are scored."""

    goldens: Callable[[], Iterator[tuple[str, AnyGolden]]]
    trial: Trial
    name: str = ""
    system: str = ""
    needs_content: bool = False
    dataset: Path | None = None
    settings: AuditSettings = NO_SETTINGS
    asks_once: bool = True
    """Whether calls have no results, except in conversations."""
    originals: Callable[[], Iterator[AnyGolden]] | None = None
    """The goldens as they are in the file: a suite chooses their tools and their simulated users."""

    def without_places(self) -> Iterator[AnyGolden]:
        return (golden for _, golden in self.goldens())

    def in_file(self) -> Iterator[AnyGolden]:
        """The goldens as they are in the file."""
        return self.originals() if self.originals is not None else self.without_places()


@takes(AuditCall)
async def aaudit(options: AuditCall) -> AuditResult:
    """Which bugs a suite, a dataset or goldens would notice, and what change of a golden would catch the others.

    Bugs are planted in behaviour that is right: stored trajectories that pass, of `runs` or of the newest run of each
    agent, otherwise one made from the golden. `write` is a file for the goldens with all proposed changes.
    """
    return await run_audit(options)


async def run_audit(
    options: AuditCall, listeners: Sequence[AuditListener] = (), subject: AuditSubject | None = None
) -> AuditResult:
    """The same, telling listeners of every mutant and of every golden; `subject` is what the options name."""
    subject = subject or subject_of(options)
    if options.write is not None:
        refuse_existing(Path(options.write))
    changes = TightenedGoldens()
    listeners = (*listeners, *([changes] if options.write is not None else []))
    with past_of(subject, options) as past:
        await past.files.score(subject.without_places(), subject.trial)
        auditor = Auditor(subject.trial, plan_of(options, subject), past.known, listeners)
        doubter = Doubter(subject.trial, past.ballots(), system=subject.system)
        plants, doubts_goldens = (options.only in (None, part) for part in ("mutants", "doubts"))
        if plants:
            await auditor.learn(subject.goldens())
        for where, golden in subject.goldens():
            if plants:
                await auditor.audit(where, golden)
            if doubts_goldens:
                await doubter.examine(where, golden)
            if options.progress is not None:
                options.progress()
        doubts = doubter.doubts()
        electorate = past.electorate()
    if options.write is not None:
        save_goldens(tightened_goldens(subject, changes.by_id), options.write)
    return msgspec.structs.replace(
        auditor.result(),
        doubts=doubts,
        examined=doubter.examined,
        electorate=electorate,
        floor=await _floor(subject, options),
    )


async def _floor(subject: AuditSubject, options: AuditCall) -> Floor | None:
    """What trivial agents pass of all goldens; None when only another part is asked for."""
    if options.only not in (None, "floor"):
        return None
    scorer = TrivialScorer(subject.trial, single_turn=subject.asks_once)
    return await compute_floor(subject.without_places(), scorer)


def past_of(subject: AuditSubject, options: AuditCall) -> AbstractContextManager[PastEvidence]:
    """What agents did before: of the named runs, or of the newest run of each agent of the suite."""
    return past_evidence(
        subject.name,
        runs=options.runs,
        trajectories=options.trajectories,
        families=subject.settings.families,
        store=options.store,
    )


def plan_of(options: AuditCall, subject: AuditSubject) -> AuditPlan:
    """What is planted: what the options name, else what the suite does."""
    settings = subject.settings
    return AuditPlan(
        select_operators(options.operators or settings.operators),
        frozenset(settings.equivalent),
        options.seed or _seed(subject),
        subject.system,
        needs_content=subject.needs_content,
    )


class TightenedGoldens(AuditListener):
    """The goldens with all proposed changes, by id."""

    def __init__(self) -> None:
        self.by_id: dict[str, AnyGolden] = {}

    def on_golden(
        self, golden: AnyGolden, survivors: Sequence[tuple[Survivor, Mutant]], tightened: AnyGolden | None
    ) -> None:
        if tightened is not None:
            self.by_id[golden.id] = with_audit_note(tightened, [survivor for survivor, _ in survivors])


def tightened_goldens(subject: AuditSubject, tightened: Mapping[str, AnyGolden]) -> Iterator[AnyGolden]:
    """The goldens of the file with the proposed changes; what the suite chose for them stays out of the file."""
    for original in subject.in_file():
        golden = tightened.get(original.id)
        if golden is None:
            yield original
            continue
        chosen = ("tools", "tool_set", "cluster", "tags")
        fields = {name: getattr(original, name) for name in chosen if hasattr(original, name)}
        yield msgspec.structs.replace(golden, **fields)


audit = as_blocking("audit", aaudit)


def subject_of(options: AuditCall) -> AuditSubject:
    """What is audited: a suite, or goldens with their tools."""
    suite = options.suite
    tools = options.tools
    metrics = options.metrics
    trust = options.trust
    if isinstance(suite, str | Path) and Path(suite).suffix in DOCUMENTS and _is_suite(Path(suite)):
        return _of_suite(Path(suite), metrics, trust=trust)
    offered = load_tools(tools) if isinstance(tools, str | Path) else definitions_given(tools)
    definitions = {tool.name: tool for tool in offered}
    trial = Trial(Scorer(as_metrics(metrics)), definitions, Toolbox(offered) if offered else None)
    if isinstance(suite, str | Path):
        path = Path(suite)
        return AuditSubject(
            lambda: ((f"{path}:{line}", golden) for line, golden in numbered_goldens(path)),
            trial,
            dataset=path,
        )
    goldens = [with_id(golden) for golden in suite]
    return AuditSubject(lambda: ((f"golden '{golden.id}'", golden) for golden in goldens), trial)


def _is_suite(path: Path) -> bool:
    """Whether a document is a suite and not a dataset: it names a dataset and an agent."""
    document = read_document(path)
    return isinstance(document, dict) and {"dataset", "agent"} <= document.keys()


def _of_suite(path: Path, metrics: Iterable[AnyMetric], *, trust: bool) -> AuditSubject:
    suite = load_suite(path)
    require_trust(path, trust=trust)
    plan: Plan = plan_suite(suite, path.parent)
    plan = replace(plan, metrics=(*plan.metrics, *as_metrics(metrics)))
    dataset = plan.dataset if isinstance(plan.dataset, Path) else path
    needs_content = any(map(reads_expected_output, plan.metrics))
    return AuditSubject(
        lambda: _with_places(dataset, plan),
        trial_of_plan(plan),
        suite.name,
        plan.agent.system,
        needs_content=needs_content,
        dataset=dataset,
        settings=suite.block("audit") or NO_SETTINGS,
        asks_once=plan.agent.asks_once,
        originals=lambda: (golden for _, golden in plan.numbered_goldens()),
    )


def _with_places(dataset: Path, plan: Plan) -> Iterator[tuple[str, AnyGolden]]:
    """The goldens with their lines; a conversation with one of several users is where its scenario is."""
    lines = {golden.id: line for line, golden in plan.numbered_goldens()}
    for golden in plan.in_dataset_order():
        line = lines.get(golden.id) or lines.get(golden.cluster or "") or 0
        yield f"{dataset}:{line}", golden


def _seed(subject: AuditSubject) -> str:
    """The goldens' fingerprint: the same dataset gives the same mutants, in whatever order it is."""
    return digest_of_parts(sorted(golden.id.encode() for golden in subject.without_places()), 16)
