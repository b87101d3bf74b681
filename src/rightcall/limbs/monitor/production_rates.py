"""How often production checks were bad, by version, with bounds that stay valid at every look; and what changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from rightcall.stats.intervals import Interval, difference_of_groups
from rightcall.stats.sequential import confidence_sequence
from rightcall.store.base import SessionCount
from rightcall.store.sql.store import Store

Unit = Literal["sessions", "traces"]


@dataclass(frozen=True)
class CheckRate:
    """One check of one version, over all days.

    The bounds are a 95 % confidence sequence over sessions, since traces of one user come in bursts; over traces when
    sessions were not counted.
    """

    agent: str
    name: str
    version: str
    unit: Unit
    n: int
    rate: float
    low: float
    high: float
    first_day: str

    @property
    def bounds(self) -> Interval:
        return Interval(self.low, self.high)


@dataclass(frozen=True)
class VersionChange:
    """The newest version of an agent against the one before, by one check: the difference and its 95 % interval."""

    agent: str
    name: str
    before: str
    now: str
    difference: float
    low: float
    high: float

    @property
    def said(self) -> str:
        return "worse" if self.low > 0 else "better" if self.high < 0 else "no difference shown"


def check_rates(store: Store) -> list[CheckRate]:
    """A rate for each check of each version of each agent, over all days."""
    totals: dict[tuple[str, str, str], list[float]] = {}
    days: dict[tuple[str, str, str], str] = {}
    for count in store.traces.check_counts():
        if count.name == "any":
            continue
        place = count.agent, count.name, count.version
        days[place] = min(days.get(place, count.day), count.day)
        held = totals.setdefault(place, [0.0, 0.0])
        held[0] += count.seen
        held[1] += count.bad
    by_session = {(s.agent, s.name, s.version): s for s in store.traces.session_counts() if s.sessions}
    return [
        _rate(place, total, by_session.get(place), days[place])
        for place, total in totals.items()
        if total[0] >= 1
    ]


def _rate(
    place: tuple[str, str, str], total: list[float], session: SessionCount | None, day: str
) -> CheckRate:
    seen, bad = total
    if session is None:
        bounds = confidence_sequence(min(max(bad, 0.0), seen), seen)
        return CheckRate(*place, "traces", int(seen), bad / seen, *bounds, day)
    bounds = confidence_sequence(min(session.bad, session.sessions), session.sessions)
    return CheckRate(*place, "sessions", session.sessions, session.bad / session.sessions, *bounds, day)


def version_changes(rates: Iterable[CheckRate]) -> list[VersionChange]:
    """For each check the two versions that appeared last."""
    series: dict[tuple[str, str], list[CheckRate]] = {}
    for rate in rates:
        series.setdefault((rate.agent, rate.name), []).append(rate)
    changes: list[VersionChange] = []
    for several in series.values():
        last = sorted(several, key=lambda rate: (rate.first_day, rate.version))[-2:]
        for before, now in pairwise(last):
            apart = difference_of_groups(now.rate, now.bounds, before.rate, before.bounds)
            versions = before.version, now.version
            changes.append(VersionChange(now.agent, now.name, *versions, now.rate - before.rate, *apart))
    return changes
