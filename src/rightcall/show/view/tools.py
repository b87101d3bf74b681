"""Statistics per tool and per agent: calls that were expected, made and correct, confusions, what each agent used."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from rightcall.metrics.matching.expectation import pattern_text
from rightcall.records.call import agent_of
from rightcall.records.failure import confusions
from rightcall.records.golden import AnyGolden
from rightcall.records.record import Record
from rightcall.records.run import CaseResult
from rightcall.show.text import one_line
from rightcall.show.view.call_pairs import Pairing, ShownPair
from rightcall.show.view.calls import has_team
from rightcall.show.view.summary import ShownRate, rate

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store

ALMOST_RIGHT = ("wrong_arguments", "out_of_order", "wrong_agent")
"""Calls of the right tool that are wrong all the same."""
MOST_NAMES = 1000
"""Maximum number of distinct tool names, in case a model invents a new one every time."""
BEYOND = "…"


class ToolRow(Record, frozen=True):
    """One tool over all cases, in calls.

    `expected` = `right` + `wrong_arguments` + `missed`; `missed` were not made, or made to another tool.
    `surplus` were made without being expected. `found` is right of expected, `sound` right of called.
    """

    name: str
    expected: int
    called: int
    right: int
    wrong_arguments: int
    missed: int
    surplus: int
    found: ShownRate
    sound: ShownRate
    mixed_up_with: tuple[tuple[str, int], ...] = ()


class ConfusionCell(Record, frozen=True):
    """How often `called` was called where `expected` was expected; None is *no call*.

    `invented` marks calls of tools that do not exist: they share one column, and `called` is None.
    """

    expected: str | None
    called: str | None
    count: int
    invented: bool = False


class ToolTally:
    """Counts pairs as they arrive."""

    def __init__(self) -> None:
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._cells: Counter[tuple[str | None, str | None, bool]] = Counter()
        self.invented: Counter[str] = Counter()

    def add(self, pairing: Pairing, result: CaseResult) -> None:
        """Count one case, unless it has no answer or no check."""
        if not result.judged:
            return
        for pair in pairing.pairs:
            self._add(pair, pairing, result)
        for (expected_tool, called), count in confusions(result.codes).items():
            self._cells[self._name(expected_tool), self._name(called), False] += count
        if not pairing.pairs:
            self._cells[None, None, False] += 1

    def rows(self) -> tuple[ToolRow, ...]:
        """Tools with the most failures first."""
        rows = [self._row(name, counts) for name, counts in self._counts.items()]
        return tuple(sorted(rows, key=lambda r: (r.right - r.expected - r.surplus, -r.expected, r.name)))

    def cells(self) -> tuple[ConfusionCell, ...]:
        """Every combination that occurred, the most frequent first."""
        return tuple(
            ConfusionCell(expected, called, count, invented)
            for (expected, called, invented), count in self._cells.most_common()
        )

    def _add(self, pair: ShownPair, pairing: Pairing, result: CaseResult) -> None:
        expected_tool = None if pair.expected is None else self._name(pattern_text(_tool(pairing, pair)))
        called = None if pair.call is None else self._name(pairing.calls[pair.call].name)
        if pair.kind in ("right", *ALMOST_RIGHT):
            # An expectation of several tools is met by the one called.
            expected_tool = called = called or expected_tool
        if expected_tool is not None:
            self._counts[expected_tool].update(
                expected=1,
                missed=pair.kind in ("missing", "wrong_tool", "invented"),
                right=pair.kind == "right",
                wrong_arguments=pair.kind in ALMOST_RIGHT,
            )
        if pair.kind == "invented":
            self.invented[self._name(called or "")] += 1
            self._cells[expected_tool, None, True] += 1
            return
        if called is not None:
            self._counts[called].update(called=1, surplus=expected_tool != called)
        if pair.kind != "wrong_tool":
            self._cells[expected_tool, called, False] += 1

    def _name(self, name: str) -> str:
        is_listed = name in self._counts or name in self.invented
        return name if is_listed or len(self._counts) + len(self.invented) < MOST_NAMES else BEYOND

    def _row(self, name: str, counts: Counter[str]) -> ToolRow:
        own = ((called, count) for (expected, called, _), count in self._cells.items() if expected == name)
        mixed = Counter({called: count for called, count in own if called not in (None, name)})
        kinds = ("expected", "called", "right", "wrong_arguments", "missed", "surplus")
        numbers = {kind: int(counts[kind]) for kind in kinds}
        return ToolRow(
            name,
            **numbers,
            found=rate(counts["right"], counts["expected"]),
            sound=rate(counts["right"], counts["called"]),
            mixed_up_with=tuple((str(called), count) for called, count in mixed.most_common(5)),
        )


def _tool(pairing: Pairing, pair: ShownPair) -> object:
    at = pair.expected or 0
    return pairing.expected[at].tool if at < len(pairing.expected) else BEYOND


NO_CALL = "no call"
INVENTED = "invented tool"
OTHERS = "other tools"
MOST_TOOLS = 20


class ConfusionMatrix(Record, frozen=True):
    """Rows are expected, columns called; both begin with the tools, alphabetically, in the same order.

    The last row is *no call*; the last columns are *no call* and *invented tool*, when they occur.
    Tools beyond the twenty most frequent are together in *other tools*.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    @property
    def most(self) -> int:
        return max(chain.from_iterable(self.counts), default=0)


def confusion_of(cells: Sequence[ConfusionCell]) -> ConfusionMatrix:
    weights: Counter[str] = Counter()
    for cell in cells:
        for name in (cell.expected, cell.called):
            if name is not None:
                weights[name] += cell.count
    tools = sorted(name for name, _ in weights.most_common(MOST_TOOLS))
    laid: Counter[tuple[str, str]] = Counter()
    for cell in cells:
        row = _label(cell.expected, tools)
        column = INVENTED if cell.invented else _label(cell.called, tools)
        laid[row, column] += cell.count
    in_rows = {row for row, _ in laid}
    in_columns = {column for _, column in laid}
    rows = [*tools, *(special for special in (OTHERS, NO_CALL) if special in in_rows)]
    columns = [*tools, *(special for special in (OTHERS, NO_CALL, INVENTED) if special in in_columns)]
    counts = tuple(tuple(laid[row, column] for column in columns) for row in rows)
    return ConfusionMatrix(tuple(rows), tuple(columns), counts)


def _label(name: str | None, tools: Sequence[str]) -> str:
    if name is None:
        return NO_CALL
    return name if name in tools else OTHERS


MOST_AGENTS = 200
UNKNOWN = "unknown agent"


class AgentRow(Record, frozen=True):
    """One agent over all cases.

    `wrong` are its calls that a failure names, `failed` those whose tool failed, `over` its budgets that were
    exceeded. `tokens` is None when they were not recorded.
    """

    name: str
    cases: int
    calls: int
    wrong: int
    failed: int
    answers: int
    tokens: int | None
    handed_to: int
    over: int


class AgentTally:
    """Counts the work of agents as cases arrive; empty when no case has more than one agent."""

    def __init__(self) -> None:
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._measured: set[str] = set()
        self._is_team = False

    def add(self, golden: AnyGolden | None, result: CaseResult) -> None:
        """Count one case, unless it has no answer or no check."""
        trajectory = result.trajectory
        if trajectory is None or not result.judged:
            return
        if not trajectory.answers and not any(map(agent_of, trajectory.calls)):
            return
        self._is_team = self._is_team or has_team(trajectory)
        wrong = {failure.call for failure in result.codes if failure.call is not None}
        seen = set[str]()
        for at, call in enumerate(trajectory.calls):
            name = self._name(agent_of(call))
            seen.add(name)
            self._counts[name].update(calls=1, wrong=at in wrong, failed=call.status == "error")
            if isinstance(target := call.notes.get("handoff"), str) and target:
                self._counts[self._name(target)].update(handed_to=1)
        for answer in trajectory.answers:
            name = self._name(answer.agent or "")
            seen.add(name)
            self._counts[name].update(answers=1, tokens=answer.tokens or 0)
            if answer.tokens is not None:
                self._measured.add(name)
        for failure in result.codes:
            if failure.agent:
                self._counts[self._name(failure.agent)].update(over=1)
        for name in seen:
            self._counts[name].update(cases=1)

    def rows(self) -> tuple[AgentRow, ...]:
        """Agents with the most mistakes first; none when there is only one."""
        if not self._is_team:
            return ()
        rows = [self._row(name, counts) for name, counts in self._counts.items()]
        return tuple(sorted(rows, key=lambda row: (-row.wrong - row.over, -row.calls, row.name)))

    def _row(self, name: str, counts: Counter[str]) -> AgentRow:
        tokens = int(counts["tokens"]) if name in self._measured else None
        numbers = {key: int(counts[key]) for key in ("cases", "calls", "wrong", "failed", "answers")}
        return AgentRow(name, **numbers, tokens=tokens, handed_to=counts["handed_to"], over=counts["over"])

    def _name(self, agent: str) -> str:
        name = one_line(agent, 100) or UNKNOWN
        return name if name in self._counts or len(self._counts) < MOST_AGENTS else BEYOND


def agent_rows(store: Store, run: str) -> tuple[AgentRow, ...]:
    """What each agent did in a stored run."""
    tally = AgentTally()
    for result in store.runs.results(run, trajectories=True):
        tally.add(None, result)
    return tally.rows()
