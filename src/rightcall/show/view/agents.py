"""Statistics per agent: what each did, what it used, and what went wrong in its calls."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from rightcall.model.agent_names import agent_of, path_of
from rightcall.model.golden import AnyGolden
from rightcall.model.record import Record
from rightcall.model.run import CaseResult
from rightcall.model.trajectory import Trajectory
from rightcall.show.text import one_line

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store

MOST_AGENTS = 200
BEYOND = "…"
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


def has_team(trajectory: Trajectory) -> bool:
    """Whether more than one agent worked on a case, so that it is worth saying who did what."""
    paths = {path_of(call) for call in trajectory.calls} | {
        tuple(answer.path) for answer in trajectory.answers
    }
    return len(paths - {()}) > 1
