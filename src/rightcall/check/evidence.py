"""What the trials of a check have shown so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain

from rightcall.check.design import CheckDesign
from rightcall.decide.check_result import AlarmConfirmation, CheckCalls, HardFailure
from rightcall.decide.small_suite import SmallDecision
from rightcall.metrics.tally import Tally
from rightcall.records.run import CaseResult


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
