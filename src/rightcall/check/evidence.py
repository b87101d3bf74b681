"""What the trials of a check have shown so far; which hosts were silent, and what is known without them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from rightcall.check.design import CheckDesign
from rightcall.core.text import one_line, pluralize
from rightcall.decide.check_result import AlarmConfirmation, CheckCalls, HardFailure
from rightcall.decide.check_rule import CheckWord
from rightcall.decide.small_suite import SmallDecision
from rightcall.metrics.tally import Tally
from rightcall.records.run import CaseResult

MOST_ERRORS = 0.05
"""Share of trials without an answer from which nothing else is said."""


@dataclass
class CheckEvidence:
    """What the trials of a check have shown so far.

    `spent` counts trials of the candidate, `base_spent` those of the version before the change, `confirm` is what came
    of an alarm, and `small` the decision about few goldens. `moved` is the p-value of whatever was asked as a control;
    `replayed` counts answers that were recorded before, and with `only_replayed` no model was called.
    """

    design: CheckDesign
    tally: Tally
    results: dict[str, list[CaseResult]] = field(default_factory=dict)
    hard: list[HardFailure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    spent: int = 0
    base_spent: int = 0
    errors: int = 0
    skipped: int = 0
    requests: list[int | None] = field(default_factory=list)
    """To the model, of each trial of both versions; None where they were not seen."""
    moved: float | None = None
    replayed: int = 0
    only_replayed: bool = False
    confirm: AlarmConfirmation | None = None
    small: SmallDecision | None = None
    base_tally: Tally = field(default_factory=lambda: Tally(()))

    @property
    def calls(self) -> int:
        """Calls of the candidate and of the base version."""
        return self.spent + self.base_spent

    def note_requests(self, results: Iterable[CaseResult]) -> None:
        for trajectory in (result.trajectory for result in results):
            answers = () if trajectory is None else trajectory.answers or trajectory.own_messages
            self.requests.append(len(answers) or None)

    @property
    def spent_calls(self) -> CheckCalls:
        """What the trials cost."""
        design = self.design
        seen = [count for count in self.requests if count is not None]
        requests = sum(seen) if len(seen) == len(self.requests) else None
        full = round(design.full * sum(seen) / len(seen)) if requests else None
        return CheckCalls(
            self.calls,
            design.planned_calls,
            design.full,
            self.replayed,
            requests=requests,
            full_requests=full,
        )

    @property
    def tried(self) -> list[CaseResult]:
        return list(chain.from_iterable(self.results.values()))

    def never_answered(self, golden: str) -> bool:
        """Whether a golden was tried and got no answer at all."""
        results = self.results.get(golden, ())
        return bool(results) and all(result.error for result in results)

    @property
    def trials(self) -> int:
        """Trials that got an answer."""
        return sum(result.judged for result in self.tried)


def too_silent(word: CheckWord, errors: int, spent: int, results: Mapping[str, Sequence[CaseResult]]) -> bool:
    """Whether trials without an answer leave no verdict: too many, or nothing else stands in the way of a PASS."""
    others = any(any(trial.judged and not trial.passed for trial in trials) for trials in results.values())
    return errors > MOST_ERRORS * spent or bool(errors and word != "PASS" and not others)


def silence_words(results: Mapping[str, Sequence[CaseResult]]) -> str:
    """How many goldens got no answer, and which hosts were silent, as far as that is known."""
    silent = [golden for golden, trials in results.items() if any(trial.error for trial in trials)]
    hosts = ", ".join(_silent_hosts(results))
    return (
        f"{len(silent):,} of {pluralize(len(results), 'golden')} could not run: no answer"
        f"{f' from {hosts}' if hosts else ''}"
    )


def silence_notes(results: Mapping[str, Sequence[CaseResult]], services: Sequence[str]) -> list[str]:
    """What the first silent trial said, whether main was answered, and what is known without an answer."""
    errors = [trial.error for trial in chain.from_iterable(results.values()) if trial.error]
    if not errors:
        return []
    known = [host for host in _silent_hosts(results) if host in services]
    notes = [one_line(errors[0], 300)]
    notes += [f"on main {', '.join(known)} answered"] if known else []
    passed = sum(all(trial.passed for trial in trials) for trials in results.values())
    return [*notes, f"no verdict about this change; {pluralize(passed, 'golden')} passed"]


def _silent_hosts(results: Mapping[str, Sequence[CaseResult]]) -> list[str]:
    trials = [trial.trajectory for trial in chain.from_iterable(results.values()) if trial.error]
    return sorted({trajectory.unreached for trajectory in trials if trajectory and trajectory.unreached})
