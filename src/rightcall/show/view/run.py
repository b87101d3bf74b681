"""The view of a run, read once from the store in constant memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rightcall.improve.run_setup import run_record
from rightcall.metrics.tally import Tally
from rightcall.records.golden import AnyGolden
from rightcall.records.record import Record
from rightcall.records.run import CaseResult, Run
from rightcall.run.decisions import evidence_sentences
from rightcall.show.view.call_pairs import pairing_of, with_loads
from rightcall.show.view.failures import FailureGroup, FailureTally
from rightcall.show.view.safety import SafetyView, SafetyViewTally
from rightcall.show.view.spread import Spread, SpreadTally
from rightcall.show.view.summary import SummaryView, summary_view, verdict_reason
from rightcall.show.view.tools import (
    AgentRow,
    AgentTally,
    ConfusionCell,
    ConfusionMatrix,
    ToolRow,
    ToolTally,
    confusion_of,
)

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store

Case = tuple[AnyGolden | None, CaseResult]
MOST_INVENTED = 20


class RunView(Record, frozen=True):
    """Every displayed number of a run.

    `finished` is false while the run is being written, or when it was stopped; the numbers are then those of
    the results so far. `sentence` says why the verdict is what it is, `danger` what cannot be taken back, `suite` what
    earlier runs say about the suite, `safety` what attacks did.
    """

    run: Run
    verdict: str
    tags: tuple[str, ...]
    finished: bool
    planned: int
    summary: SummaryView
    tools: tuple[ToolRow, ...]
    invented: tuple[tuple[str, int], ...]
    cells: tuple[ConfusionCell, ...]
    confusion: ConfusionMatrix
    failures: tuple[FailureGroup, ...]
    latency: Spread | None
    cost: Spread | None
    scores: Spread | None
    sentence: str = ""
    danger: str = ""
    dangerous: tuple[str, ...] = ()
    """The first goldens that it names."""
    people: tuple[str, ...] = ()
    """What people would say of its judged metrics."""
    agents: tuple[AgentRow, ...] = ()
    """What each agent did, where there is more than one."""
    safety: SafetyView | None = None


class RunReading:
    """A stored run that is read once, case by case; its view is available at any time."""

    def __init__(self, store: Store, run: str) -> None:
        self.store = store
        self.stored = store.runs.get(run)
        self.tools, self.system = store.tools_of(self.stored), run_record(store, self.stored).system
        self._tally, self._tools, self._failures = Tally(), ToolTally(), FailureTally(self.tools)
        self._agents = AgentTally()
        self._latency = SpreadTally()
        self._cost = SpreadTally()
        self._scores = SpreadTally()
        self._safety = SafetyViewTally(self.tools, self.system)

    def cases(self) -> Iterator[Case]:
        """Every result with its golden; each is counted before it is handed on."""
        for case in cases_of(self.store, self.stored.id):
            self._add(*case)
            yield case

    def _add(self, golden: AnyGolden | None, result: CaseResult) -> None:
        result = with_loads(result, self.tools)
        self._tally.add(result)
        self._failures.add(golden, result)
        self._safety.add(golden, result)
        self._tools.add(pairing_of(golden, result, self.tools), result)
        self._agents.add(golden, result)
        if result.judged:
            self._scores.add(result.score)
            self._latency.add(result.latency_ms)
            self._cost.add(result.usage.cost_usd)

    def view(self) -> RunView:
        """Every number of the cases that were read."""
        stored = self.stored
        run = self.stored.run
        cells = self._tools.cells()
        return RunView(
            run=run,
            verdict=stored.verdict,
            tags=stored.tags,
            finished=stored.finished,
            planned=stored.planned,
            summary=summary_view(run.summary or self._tally.summary()),
            tools=self._tools.rows(),
            invented=tuple(self._tools.invented.most_common(MOST_INVENTED)),
            cells=cells,
            confusion=confusion_of(cells),
            failures=self._failures.groups(),
            latency=self._latency.spread(),
            cost=self._cost.spread(),
            scores=self._scores.spread(0.0, 1.0),
            sentence=verdict_reason(run.summary),
            danger=self._failures.danger(),
            dangerous=tuple(self._failures.dangerous),
            people=evidence_sentences(self.store, stored),
            agents=self._agents.rows(),
            safety=self._safety_view(),
        )

    def _safety_view(self) -> SafetyView | None:
        """What attacks did."""
        summary = self.stored.run.summary
        return self._safety.view(
            summary.worst_case if summary is not None else None,
            stopped_early=summary is not None and summary.stopped_early,
        )


def run_view(store: Store, run: str) -> RunView:
    reading = RunReading(store, run)
    for _ in reading.cases():
        pass
    return reading.view()


def cases_of(store: Store, run: str) -> Iterator[Case]:
    """Every result with its trajectory and its golden, streamed: both come from the store in the same order."""
    goldens = iter(store.runs.goldens(run))
    golden = next(goldens, None)
    for result in store.runs.results(run, trajectories=True):
        while golden is not None and golden.id < result.golden_id:
            golden = next(goldens, None)
        yield (golden if golden is not None and golden.id == result.golden_id else None), result
