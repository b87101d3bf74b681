"""Saturation: a suite whose every trial passes, run after run, can no longer show progress.

A run counts as evidence only if it ran every golden of the dataset live and judged every trial. A run that does not
count proves nothing good, but a failed trial in it is still a failed trial: it ends the streak.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rightcall.core.text import first_names, pluralize
from rightcall.model.record import Record
from rightcall.model.run import SuiteKind

LEAST_RUNS = 3
"""Runs in which every trial must pass, or a golden must fail, before anything is said."""
MOST_NAMED = 5


class PastRun(Record, frozen=True):
    """A run of the same goldens, judged by the same metrics. `counts` says whether it is evidence."""

    id: str
    agent: str
    passed: int
    failed: int
    counts: bool


class Saturation(Record, frozen=True, omit_defaults=False):
    """The newest runs, all of whose trials passed."""

    runs: int
    trials: int
    agents: int


class NeverPassed(Record, frozen=True, omit_defaults=False):
    """Goldens that failed in each of these runs, and passed in none that is known."""

    goldens: tuple[str, ...]
    runs: int
    agents: int


class SuiteHistory(Record, frozen=True, omit_defaults=False):
    """What others than a run's own results say: earlier runs about its suite, people about its judged cases (`judged`).

    It decides no verdict and no exit code.
    """

    kind: SuiteKind | None = None
    saturated: Saturation | None = None
    never_passed: NeverPassed | None = None
    judged: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What to show below a table of rates; that all pass is what a regression suite is for, and no note."""
        return self.sentences()

    def sentences(self, name: Callable[[str], str] = str) -> tuple[str, ...]:
        """The notes, with ids of goldens as `name` makes them fit for the format."""
        return tuple(filter(None, (*self.judged, _saturation_note(self), _never_passed_note(self, name))))


def saturation(newest_first: Sequence[PastRun], least: int = LEAST_RUNS) -> Saturation | None:
    """The streak of runs without a failed trial; None if fewer than `least` count, or if the newest does not."""
    streak: list[PastRun] = []
    for run in newest_first:
        if run.failed or (not streak and not run.counts):
            break
        if run.counts:
            streak.append(run)
    if len(streak) < least:
        return None
    return Saturation(len(streak), sum(run.passed for run in streak), len({run.agent for run in streak}))


def evidence_of_failure(newest_first: Sequence[PastRun], least: int = LEAST_RUNS) -> list[PastRun]:
    """The runs in which a golden must fail to be called never passed: the newest that count, and the newest of each
    agent; empty for fewer than `least`, or when the newest run does not count.
    """
    counted = [run for run in newest_first if run.counts]
    if len(counted) < least or not newest_first[0].counts:
        return []
    agents = {run.agent: run for run in reversed(counted)}  # the newest of each
    return list({run.id: run for run in (*counted[:least], *agents.values())}.values())


def _saturation_note(history: SuiteHistory) -> str:
    if history.saturated is None or history.kind == "regression":
        return ""
    streak = history.saturated
    runs = f"the last {pluralize(streak.runs, 'run')}, {streak.trials:,} of {streak.trials:,} trials"
    if history.kind == "capability":
        return (
            f"warning: this capability suite can no longer show progress: everything passed in {runs}; add harder "
            "goldens (`rightcall generate goldens`), or make it a regression suite (`kind: regression`)"
        )
    return (
        f"this suite can no longer show progress: everything passed in {runs}; state what it is for with "
        "`kind: regression` or `kind: capability`"
    )


def _never_passed_note(history: SuiteHistory, name: Callable[[str], str]) -> str:
    if history.never_passed is None or history.kind != "regression":
        return ""
    failing = history.never_passed
    number, names = len(failing.goldens), first_names([*map(name, failing.goldens)], MOST_NAMED)
    agents = f" of {pluralize(failing.agents, 'agent')}" if failing.agents > 1 else ""
    return (
        f"warning: {pluralize(number, 'golden')} of this regression suite never passed in "
        f"{pluralize(failing.runs, 'run')}{agents}: {names}; correct {'it' if number == 1 else 'them'}, or move "
        f"{'it' if number == 1 else 'them'} to a capability suite until an agent passes"
    )
