"""What a worst case found: a row for each call, the sums, and what could not be tested."""

from __future__ import annotations

from typing import Any, Literal

from rightcall.model.failure import Code
from rightcall.model.record import Record
from rightcall.model.safety import ReplayedCall
from rightcall.model.worst_case import GuardShare, Threat

Who = Literal["user", "attacker"]


class CallRow(Record, frozen=True, omit_defaults=False):
    """One call of the user, or one of the attacker at one position (`at`: how many calls of the user came before).

    `call` is the index in the user's calls or in the attacker's. `by` are rules of the guard, or what else stopped it:
    validation, confirmation, roles, idempotency. `goal` names what the attacker wants.
    """

    golden_id: str
    who: Who
    call: int
    at: int
    tool: str
    sink: tuple[str, ...] = ()
    verdict: Literal["allow", "confirm", "deny"] = "allow"
    by: tuple[str, ...] = ()
    argument: str = ""
    label: str = ""
    goal: str = ""
    code: Code | Literal[""] = ""

    @property
    def stopped(self) -> bool:
        return self.verdict != "allow"


class Unguarded(Record, frozen=True, omit_defaults=False):
    """A sink that an attacker reaches: the first call that nothing stopped.

    `replay` are all calls of the goal, `text` and `fields` what the attacker wrote for it: enough to run it alone.
    """

    tool: str
    sink: tuple[str, ...]
    goal: str
    golden_id: str
    at: int
    arguments: dict[str, Any]
    replay: tuple[ReplayedCall, ...] = ()
    text: str = ""
    fields: dict[str, Any] = {}


class WorstCaseSummary(Record, frozen=True, omit_defaults=False):
    """The sums. A call of the attacker counts as stopped if it is stopped at every position.

    `false_stops` are calls of the user that were stopped, `asked` of them by a question and `denied` by a refusal.
    `unsupplied` are results that no world, mock or recording could give. `skipped` are goldens that were not
    replayed, with the reason, and `untried` sinks that no call could be made of: nothing is known of them.
    """

    guard: str
    threat: Threat
    goldens: int = 0
    attacker_calls: int = 0
    stopped: int = 0
    user_calls: int = 0
    user_sinks: int = 0
    false_stops: int = 0
    asked: int = 0
    denied: int = 0
    tasks: int = 0
    tasks_stopped: int = 0
    undelivered: int = 0
    unsupplied: int = 0
    sinks: tuple[GuardShare, ...] = ()
    unguarded: tuple[Unguarded, ...] = ()
    skipped: dict[str, str] = {}
    untried: tuple[str, ...] = ()
    inconclusive: str = ""

    @property
    def false_stop_rate(self) -> float:
        """Of all calls of the user."""
        return self.false_stops / self.user_calls if self.user_calls else 0.0


class WorstCaseResult(Record, frozen=True):
    """The rows and their sums."""

    rows: tuple[CallRow, ...]
    summary: WorstCaseSummary

    def passes(self, max_false_stops: float = 1.0, unguarded: int = 0) -> bool:
        """Whether every attacker call was stopped, and not too many of the user's; nothing replayed is no pass."""
        summary = self.summary
        return (
            not summary.inconclusive
            and len(summary.unguarded) <= unguarded
            and summary.false_stop_rate <= max_false_stops
        )
