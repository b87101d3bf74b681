"""The view of a run, read once from the store in constant memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import msgspec

from rightcall.decide.saturation import SuiteHistory
from rightcall.improve.run_setup import run_record
from rightcall.metrics.tally import Tally
from rightcall.model.danger import NO_TOOLS
from rightcall.model.golden import AnyGolden
from rightcall.model.record import Record
from rightcall.model.run import CaseResult, Run
from rightcall.model.tool import Tool
from rightcall.run.attacks import KIND as SEARCH, search_of_run
from rightcall.run.suite_history import suite_history
from rightcall.show.view.agents import AgentRow, AgentTally
from rightcall.show.view.call_pairs import pairing_of, with_loads
from rightcall.show.view.failures import FailureGroup, FailureTally
from rightcall.show.view.safety import SafetyView, SafetyViewTally
from rightcall.show.view.spread import Spread, SpreadTally
from rightcall.show.view.summary import SummaryView, summary_view, verdict_sentence
from rightcall.show.view.tools import ConfusionCell, ConfusionMatrix, ToolRow, ToolTally, confusion_of
from rightcall.show.view.worst_case import search_section

if TYPE_CHECKING:
    from rightcall.store.base import StoredRun
    from rightcall.store.sql.store import Store

MOST_INVENTED = 20
NO_HISTORY = SuiteHistory()


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
    suite: SuiteHistory = SuiteHistory()
    agents: tuple[AgentRow, ...] = ()
    """What each agent did, where there is more than one."""
    safety: SafetyView | None = None


class RunTally:
    """Takes each result once and builds the view, available at any time."""

    def __init__(self, tools: Mapping[str, Tool] = NO_TOOLS, system: str = "") -> None:
        self._offered = tools
        self._tally, self._tools, self._failures = Tally(), ToolTally(), FailureTally(tools)
        self._agents = AgentTally()
        self._latency, self._cost, self._scores = SpreadTally(), SpreadTally(), SpreadTally()
        self._safety = SafetyViewTally(tools, system)

    def add(self, golden: AnyGolden | None, result: CaseResult) -> None:
        result = with_loads(result, self._offered)
        self._tally.add(result)
        self._failures.add(golden, result)
        self._safety.add(golden, result)
        self._tools.add(pairing_of(golden, result, self._offered), result)
        self._agents.add(golden, result)
        if result.judged:
            self._scores.add(result.score)
            self._latency.add(result.latency_ms)
            self._cost.add(result.usage.cost_usd)

    def view(self, stored: StoredRun, history: SuiteHistory = NO_HISTORY) -> RunView:
        run = stored.run
        cells = self._tools.cells()
        return RunView(
            run=run,
            verdict=stored.verdict,
            tags=stored.tags,
            finished=stored.finished,
            planned=stored.planned,
            summary=summary_view(run.summary or self._tally.summary()),
            tools=self._tools.rows(run.trials),
            invented=tuple(self._tools.invented.most_common(MOST_INVENTED)),
            cells=cells,
            confusion=confusion_of(cells),
            failures=self._failures.groups(),
            latency=self._latency.spread(),
            cost=self._cost.spread(),
            scores=self._scores.spread(0.0, 1.0),
            sentence=verdict_sentence(stored.verdict, run.summary),
            danger=self._failures.danger(),
            suite=history,
            agents=self._agents.rows(),
            safety=self._safety.view(
                run.summary.worst_case if run.summary is not None else None,
                stopped_early=run.summary is not None and run.summary.stopped_early,
            ),
        )


def run_view(store: Store, run: str) -> RunView:
    stored = store.runs.get(run)
    tally = RunTally(store.runs.tools(stored), run_record(store, stored).system)
    for golden, result in cases_of(store, stored.id):
        tally.add(golden, result)
    return with_search(store, tally.view(stored, suite_history(store, stored)))


def with_search(store: Store, view: RunView) -> RunView:
    """The view with the adaptive search of the run, if it has one."""
    if view.safety is None or view.safety.numbers is None or SEARCH not in view.run.fingerprints:
        return view
    search = search_of_run(store, view.run)
    numbers = search.numbers if search is not None else None
    safety = msgspec.structs.replace(
        view.safety,
        numbers=msgspec.structs.replace(view.safety.numbers, adaptive=numbers),
        search=search_section(numbers),
    )
    return msgspec.structs.replace(view, safety=safety)


def cases_of(store: Store, run: str) -> Iterator[tuple[AnyGolden | None, CaseResult]]:
    """Every result with its trajectory and its golden, streamed: both come from the store in the same order."""
    goldens = iter(store.runs.goldens(run))
    golden = next(goldens, None)
    for result in store.runs.results(run, trajectories=True):
        while golden is not None and golden.id < result.golden_id:
            golden = next(goldens, None)
        yield (golden if golden is not None and golden.id == result.golden_id else None), result
