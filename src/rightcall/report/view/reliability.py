"""What trials and simulated users say about how far a pass rate can be relied on."""

from __future__ import annotations

from rightcall.model.play import PERSONA, USER
from rightcall.model.record import Record
from rightcall.model.run import Summary, UserSpread


class UserRow(Record, frozen=True):
    """The conversations with one simulated user: a manner, or a model that plays users."""

    name: str
    cases: int
    pass_rate: float


def user_rows(summary: Summary) -> tuple[UserRow, ...]:
    """One row for each simulated user; the conversations of one are no sample of the others'."""
    return tuple(
        UserRow(tag.removeprefix(PERSONA).removeprefix(USER), group.cases, group.pass_rate)
        for tag, group in summary.tags.items()
        if tag.startswith((PERSONA, USER)) and group.cases
    )


def reliability_notes(summary: Summary) -> tuple[str, ...]:
    """Sentences for every report: pass^k, and how far simulated users differ."""
    notes = []
    if summary.pass_k:
        values = ", ".join(f"{value:.3f}" for value in summary.pass_k)
        ks = "k = 1" if len(summary.pass_k) == 1 else f"k = 1 to {len(summary.pass_k)}"
        notes.append(f"pass^k (k trials out of k pass): {values} for {ks}")
    rows = user_rows(summary)
    if rows:
        shown = ", ".join(f"{row.name} {row.pass_rate:.1%} of {row.cases:,}" for row in rows)
        alone = "; one simulated user says little of others" if len(rows) == 1 else ""
        notes.append(f"passed by simulated user: {shown}{alone}")
    notes += [_spread(spread) for spread in summary.spreads]
    return tuple(notes)


def _spread(found: UserSpread) -> str:
    who = "manners" if found.between == "persona" else "user models"
    points = f"spread between {who}: {100 * found.difference:.1f} points"
    over = "1 scenario" if found.scenarios == 1 else f"{found.scenarios:,} scenarios"
    if found.low is None or found.high is None:
        return f"{points} on {over}, too few for an interval"
    which = f"{found.highest} over {found.lowest}, " if found.difference else ""
    interval = f"95 % interval {100 * found.low:+.1f} to {100 * found.high:+.1f}"
    return f"{points} ({which}{interval}, {over})"
