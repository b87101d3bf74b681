"""What the guard knows in one trial, and the verdict on a call."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

from rightcall.model.approval import CONFIRMATION_PARAMETER
from rightcall.model.record import Record
from rightcall.tools.guard.binding import BoundPolicy, covers
from rightcall.tools.guard.conditions import Breach, CheckedCall, Used, amount_of, breach_of
from rightcall.tools.guard.policy import GuardRule, several
from rightcall.tools.guard.provenance import Provenance
from rightcall.tools.guard.values import leaf_values

Severity = Literal["allow", "confirm", "deny"]
_ORDER: dict[Severity, int] = {"allow": 0, "confirm": 1, "deny": 2}


class GuardVerdict(Record, frozen=True):
    """The verdict on a call: which rules it breaks, and of the hardest of them the argument, its label and why."""

    verdict: Severity = "allow"
    by: tuple[str, ...] = ()
    argument: str = ""
    label: str = ""
    why: str = ""

    @property
    def stops(self) -> bool:
        return self.verdict != "allow"


ALLOWED = GuardVerdict()


class GuardState:
    """What the guard knows in one trial."""

    def __init__(self, guard: BoundPolicy, caller: tuple[str, ...] | None = None) -> None:
        self.guard, self.caller = guard, caller
        self.provenance = Provenance(guard.policy)
        self.used = Used()

    def copy(self) -> GuardState:
        """The same state, to go on from in another way."""
        twin = GuardState(self.guard, self.caller)
        twin.provenance, twin.used = self.provenance.copy(), self.used.copy()
        return twin

    def hear(self, text: str) -> None:
        """A user turn, or the suite's system text."""
        self.provenance.hear(text)

    def read(self, text: str) -> None:
        """A text of somebody else that the agent is given: a document, an earlier result, the words of an error."""
        self.provenance.read_text(text)

    def check(self, tool: str, arguments: Mapping[str, Any]) -> GuardVerdict:
        """The verdict on a call. Changes nothing."""
        leaves_of_call = list(leaf_values(without_token(arguments)))
        call = CheckedCall(tool, leaves_of_call, self.provenance, self.used)
        breaches: list[tuple[Severity, GuardRule, Breach]] = []
        for rule in self.guard.rules_for(tool, (path for path, _ in leaves_of_call)):
            if rule.role and (self.caller is None or rule.role not in self.caller):
                continue
            if any(covers(several(rule.unless), path) for path, _ in leaves_of_call):
                continue
            breach = breach_of(rule, self.guard.key_of(rule), call, partial(covers, several(rule.arg)))
            if breach is not None:
                breaches.append((_severity(rule), rule, breach))
        if not breaches:
            return ALLOWED
        worst, _, breach = max(breaches, key=lambda entry: _ORDER[entry[0]])
        by = dict.fromkeys(rule.label for _, rule, _ in breaches)
        return GuardVerdict(worst, tuple(by), breach.argument, breach.label, breach.why)

    def ran(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """A call was let through: it counts towards limits, and what it carried is no longer anybody's field."""
        self.provenance.send(without_token(arguments))
        self.count(tool, arguments)

    def count(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Count a call towards the limits of its tool."""
        leaves_of_call = list(leaf_values(without_token(arguments)))
        for rule in self.guard.rules_for(tool, (path for path, _ in leaves_of_call)):
            if rule.limit is not None:
                key = self.guard.key_of(rule)
                self.used.calls[key] = self.used.calls.get(key, 0) + 1
                amount = amount_of(rule.limit.arg, leaves_of_call) if rule.limit.arg else None
                self.used.totals[key] = self.used.totals.get(key, 0.0) + (amount or 0.0)

    def confirm(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """The user agreed to a call: its values are the user's."""
        self.provenance.confirm(tool, arguments)

    def result(self, tool: str, arguments: Mapping[str, Any], output: Any) -> None:
        """A call was answered."""
        self.provenance.read_result(self.guard.roles_of(tool), arguments, output)


def without_token(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments without a confirmation token, which means nothing."""
    return {name: value for name, value in arguments.items() if name != CONFIRMATION_PARAMETER}


def _severity(rule: GuardRule) -> Severity:
    if rule.otherwise is not None:
        return rule.otherwise
    return "deny" if rule.condition in ("deny", "allow", "limit") else "confirm"
