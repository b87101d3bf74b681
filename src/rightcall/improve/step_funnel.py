"""The step funnel: how many trials took each step of the expected path, and where the others went instead.

Read from the failures that the scorer derived from its alignment: a step is taken unless a failure names one of its
calls. Nothing is aligned again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rightcall.improve.counters import FailedTrial, GoldenTrials, most_common
from rightcall.improve.expected_path import PathStep, expected_paths
from rightcall.model.failure import CODES, FORBIDDEN, Failure
from rightcall.model.record import Record

MOST_FUNNELS = 20
MOST_DETAILS = 3
MOST_EXAMPLES = 3

Destination = Literal[
    "forbidden", "not_asked", "other_tool", "wrong_arguments", "out_of_order", "skipped", "error", "stopped", "no_call",
    "failed",
]  # fmt: skip
DESTINATIONS: dict[Destination, str] = {
    "forbidden": "forbidden call",
    "not_asked": "did not ask",
    "other_tool": "other tool",
    "wrong_arguments": "wrong arguments",
    "out_of_order": "out of order",
    "skipped": "went on without it",
    "error": "error of a tool",
    "stopped": "stopped",
    "no_call": "no call",
    "failed": "failed otherwise",
}
"""Where a trial that left the path went, in words; of several, the first counts."""
NOT_ASKED = frozenset(("unconfirmed", "missing_confirmation"))
OF_PAIR: dict[str, Destination] = {
    "wrong_tool": "other_tool",
    "invented": "other_tool",
    "wrong_arguments": "wrong_arguments",
    "out_of_order": "out_of_order",
}


class FunnelExit(Record, frozen=True, omit_defaults=False):
    """Trials that left the path at a step and went to the same place; `details` are the tools, parameters or codes."""

    where: Destination
    trials: int
    details: tuple[tuple[str, int], ...] = ()
    examples: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """`other tool 5 (get_weather 3, get_time 2)`."""
        named = ", ".join(f"{name} {times:,}" for name, times in self.details)
        return f"{DESTINATIONS[self.where]} {self.trials:,}" + (f" ({named})" if named else "")


class FunnelStep(Record, frozen=True, omit_defaults=False):
    """One step: the trials that took it and all before it, and where those went that took only those before it."""

    label: str
    tools: tuple[str, ...]
    reached: int
    exits: tuple[FunnelExit, ...] = ()


class StepFunnel(Record, frozen=True, omit_defaults=False):
    """Goldens that expect the same sequence of tools. The last step is to pass.

    `passed` counts all trials that passed, `shortcuts` those of them that did not take every step.
    """

    goldens: int
    trials: int
    passed: int
    shortcuts: int
    steps: tuple[FunnelStep, ...]
    examples: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """`find_order → refund_order`."""
        return " → ".join(step.label for step in self.steps[:-1])


class FunnelTally:
    """Counts trials golden by golden; keeps counters only. `listed` says how calls without any order are taken.

    `left_out` are goldens whose alternatives have different steps, `attempts` attacks and their benign twins.
    """

    def __init__(self, *, listed: bool = True) -> None:
        self._listed = listed
        self._groups: dict[tuple[str, ...], _Group] = {}
        self.left_out = self.attempts = 0

    def watch(self, trials: Iterable[GoldenTrials]) -> Iterator[GoldenTrials]:
        """Pass goldens through, counting each, without attempts."""
        for trials_of_golden in trials:
            if trials_of_golden.golden.safety is not None:
                self.attempts += 1
                continue
            self.add(trials_of_golden)
            yield trials_of_golden

    def add(self, trials: GoldenTrials) -> None:
        if not trials.judged:
            return
        paths = expected_paths(trials.golden, listed=self._listed)
        if len(paths) != 1:  # of several, nothing tells which one a passing trial took
            self.left_out += len(paths) > 1
            return
        (path,) = paths
        key = tuple(step.label for step in path)
        self._groups.setdefault(key, _Group(path)).add(trials, path)

    def funnels(self) -> tuple[StepFunnel, ...]:
        """The largest funnels, by trials."""
        largest = sorted(self._groups.items(), key=lambda item: (-item[1].trials, item[0]))
        return tuple(group.funnel() for _, group in largest[:MOST_FUNNELS])


@dataclass
class _Left:
    """Trials that left the path at a step for one destination."""

    trials: int = 0
    details: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)


class _Group:
    """The goldens of one sequence of tools."""

    def __init__(self, path: Sequence[PathStep]) -> None:
        self._path = path
        self.goldens = self.trials = self.passed = self.shortcuts = 0
        self._examples: list[str] = []
        self._left: defaultdict[tuple[int, Destination], _Left] = defaultdict(_Left)

    def add(self, trials: GoldenTrials, path: Sequence[PathStep]) -> None:
        self.goldens += 1
        self.trials += trials.judged
        self.passed += trials.passed
        _keep(self._examples, trials.golden.id)
        for trial in trials.failed:
            self._leave(trials.golden.id, trial, path, passed=False)
        for trial in trials.flawed:
            self._leave(trials.golden.id, trial, path, passed=True)

    def _leave(self, golden_id: str, trial: FailedTrial, path: Sequence[PathStep], *, passed: bool) -> None:
        number, step = next(
            ((number, step) for number, step in enumerate(path) if _failures_at(step, trial.codes)),
            (len(path), None),
        )
        if passed and step is None:
            return
        self.shortcuts += passed
        where, detail = _destination(step, path[number + 1 :], trial)
        left = self._left[number, where]
        left.trials += 1
        if detail:
            left.details[detail] += 1
        _keep(left.examples, golden_id)

    def funnel(self) -> StepFunnel:
        steps, left = [], self.trials
        for number in range(len(self._path) + 1):
            exits = [
                FunnelExit(
                    where, gone.trials, tuple(most_common(gone.details)[:MOST_DETAILS]), tuple(gone.examples)
                )
                for where in DESTINATIONS
                if (gone := self._left.get((number, where))) is not None
            ]
            exits.sort(key=lambda exit_: -exit_.trials)
            left -= sum(exit_.trials for exit_ in exits)
            last = number == len(self._path)
            label, tools = ("passed", ()) if last else (self._path[number].label, self._path[number].tools)
            steps.append(FunnelStep(label, tools, left, tuple(exits)))
        return StepFunnel(
            self.goldens, self.trials, self.passed, self.shortcuts, tuple(steps), tuple(self._examples)
        )


def _failures_at(step: PathStep, codes: Sequence[Failure]) -> list[Failure]:
    """The failures because of which a step was not taken."""
    if step.asks:
        return [f for f in codes if f.code in NOT_ASKED and f.tool in step.tools]
    return [f for f in codes if f.expected_call in step.places and CODES[f.code].pair]


def _destination(
    step: PathStep | None, later: Sequence[PathStep], trial: FailedTrial
) -> tuple[Destination, str]:
    """Where a trial went instead of taking a step; without a step, why it did not pass."""
    if step is not None and step.asks:
        return "not_asked", ""
    forbidden = next((f for f in trial.codes if f.code in FORBIDDEN and f.code != "forbidden_arg"), None)
    if forbidden is not None:
        return "forbidden", forbidden.tool
    stopped = next((f.code for f in trial.codes if CODES[f.code].symptom == "stopped"), "")
    if step is not None:
        return _instead(step, later, trial, stopped)
    return ("stopped", stopped) if stopped else ("failed", trial.codes[0].code if trial.codes else "")


def _instead(
    step: PathStep, later: Sequence[PathStep], trial: FailedTrial, stopped: str
) -> tuple[Destination, str]:
    """What was done instead of the calls of a step."""
    here = _failures_at(step, trial.codes)
    pairs = {OF_PAIR[kind]: f for f in reversed(here) if (kind := CODES[f.code].pair) in OF_PAIR}
    for where in DESTINATIONS:
        if where in pairs:
            return where, _detail(where, pairs[where], here)
    if skipped_to := next((step.label for step in later if _was_tried(step, trial.codes)), ""):
        return "skipped", skipped_to
    if failed := _failed_call(step, trial):
        return "error", failed
    if stopped:
        return "stopped", stopped
    other = next((f for f in trial.codes if CODES[f.code].pair == "unexpected"), None)
    return ("other_tool", other.tool) if other is not None else ("no_call", "")


def _was_tried(step: PathStep, codes: Sequence[Failure]) -> bool:
    """Whether the calls of a step were made, rightly or not."""
    kinds = {CODES[f.code].pair for f in _failures_at(step, codes)}
    return not step.asks and kinds <= {"wrong_arguments", "out_of_order"}


def _failed_call(step: PathStep, trial: FailedTrial) -> str:
    """The tool whose error ended the trial, or kept it from this step."""
    own = [call.name for call in trial.calls if call.status == "error" and call.name in step.tools]
    last = trial.calls[-1] if trial.calls else None
    return last.name if last is not None and last.status == "error" else own[-1] if own else ""


def _detail(where: Destination, failure: Failure, here: Sequence[Failure]) -> str:
    if where == "other_tool":
        return str(failure.actual or "")
    if where == "wrong_arguments":
        return ", ".join(dict.fromkeys(f.parameter for f in here if f.parameter and f.call == failure.call))
    return ""


def _keep(examples: list[str], golden_id: str) -> None:
    if len(examples) < MOST_EXAMPLES and golden_id not in examples:
        examples.append(golden_id)
