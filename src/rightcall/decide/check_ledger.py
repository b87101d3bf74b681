"""The ledger of checks: how many there were, how many raised an alarm, and what that uses of the allowed false alarms.

A set of records, one for each check that made calls: merging ledgers is the union of the sets, so it may be done in
any order, twice, or not at all. Nothing here decides: the levels of `check` are constants, and a record that is lost
changes a printed line and no verdict.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta

from rightcall.core.digest import hex_digest
from rightcall.core.errors import InputError
from rightcall.core.text import pluralize
from rightcall.model.record import Record

KEPT = timedelta(days=366)
ROUND_TO = 50


class CheckEntry(Record, frozen=True, omit_defaults=False):
    """A check that made calls. `check` names its suite, its inputs and its baseline, `draw` counts draws of these."""

    check: str
    at: str
    draw: int = 1
    alarm: bool = False
    confirmed: bool = False


class CheckBudget(Record, frozen=True, omit_defaults=False):
    """What the checks since a day used: `spent` of `allowed` false alarms, expected at most.

    `checks` counts this one too if it made calls; `alarms` of them raised an alarm, and `confirmed` were confirmed.
    """

    allowed: float
    checks: int
    spent: float
    alarms: int
    confirmed: int
    since: str

    @property
    def words(self) -> str:
        """`143 checks since 2026-01-01: 0.57 of 1 allowed; 5 first alarms, 3 confirmed`."""
        alarms = pluralize(self.alarms, "first alarm")
        used = f"{self.spent:.2g} of {self.allowed:g} allowed"
        return f"{pluralize(self.checks, 'check')} since {self.since}: {used}; {alarms}, {self.confirmed} confirmed"


def ledger_key(suite: str, inputs: str, baseline: str) -> str:
    """The name of a check."""
    return hex_digest("\0".join((suite, inputs, baseline)), 24)


def merge_ledgers(*ledgers: Iterable[CheckEntry], now: datetime | None = None) -> tuple[CheckEntry, ...]:
    """The union, by name and draw, without checks of more than 366 days ago.

    Two records of one draw, such as those of two jobs at the same time, become one: the earlier time, and an alarm if
    either had one.
    """
    entries: dict[tuple[str, int], CheckEntry] = {}
    for entry in (entry for ledger in ledgers for entry in ledger):
        other = entries.get((entry.check, entry.draw))
        entries[entry.check, entry.draw] = entry if other is None else _join(entry, other)
    oldest = (now or datetime.now(UTC)) - KEPT
    kept = [entry for entry in entries.values() if time_of(entry) >= oldest]
    return tuple(sorted(kept, key=lambda entry: (entry.at, entry.check, entry.draw)))


def budget_of(entries: Collection[CheckEntry], allowed: float, checks: int) -> CheckBudget | None:
    """What these checks used; None when there are none."""
    if not entries:
        return None
    return CheckBudget(
        allowed,
        len(entries),
        round(len(entries) * allowed / checks, 6),
        sum(entry.alarm for entry in entries),
        sum(entry.confirmed for entry in entries),
        min(map(time_of, entries)).date().isoformat(),
    )


def over_budget_words(budget: CheckBudget, checks: int) -> str:
    """A note when there are more checks than the allowed false alarms cover; "" when there are not. Never a refusal."""
    if budget.checks <= checks:
        return ""
    fits = -(-budget.checks // ROUND_TO) * ROUND_TO
    return (
        f"{budget.checks:,} checks exceed the {checks:,} that the allowed false alarms cover; "
        f"set `check: {{checks: {fits}}}` in the suite"
    )


def time_of(entry: CheckEntry) -> datetime:
    """When the check was made."""
    at = datetime.fromisoformat(entry.at)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def require_time(entry: CheckEntry, where: str) -> CheckEntry:
    """The entry, if its time can be read; `InputError` otherwise."""
    try:
        time_of(entry)
    except ValueError:
        raise InputError(where, f"at must be a time such as 2026-01-31T12:00:00Z, got '{entry.at}'") from None
    return entry


def _join(entry: CheckEntry, other: CheckEntry) -> CheckEntry:
    earlier = min((entry, other), key=lambda record: (time_of(record), record.at))
    return CheckEntry(
        entry.check,
        earlier.at,
        entry.draw,
        entry.alarm or other.alarm,
        entry.confirmed or other.confirmed,
    )
