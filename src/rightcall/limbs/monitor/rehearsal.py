"""The baseline played through the detector: what it would have raised, and whether its false-alarm rate can be stated.

Months are made by drawing whole days of the baseline, weekdays for weekdays and weekend days for weekend days, the same
days for all series. The order of sessions within an hour is not kept: bad ones are spread evenly.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import msgspec

from rightcall.core.text import percent, pluralize
from rightcall.limbs.monitor.baseline import (
    KIND as BASELINE,
    HourCounts,
    TrafficBaseline,
    baseline_hours,
    current_baseline,
    reference_of_hours,
)
from rightcall.limbs.monitor.bounds import bounds_of, watched_names, watched_series
from rightcall.limbs.monitor.drift import Bounds, new_series, step
from rightcall.limbs.monitor.settings import MonitorSettings, seconds
from rightcall.limbs.monitor.week_blocks import HOUR, block_text, block_totals, blocks_of, cell_of, day_of
from rightcall.stats.detect import bets
from rightcall.store.sql.store import Store

KIND = "rehearsal"
MONTHS = 100
"""Months to draw."""
ENOUGH = (5, 2)
"""Weekdays and weekend days that a baseline needs: a week of what it has seen."""
MOVES = 0.01
"""Days that differ more than this p-value allows are not explained by chance and blocks."""


class Raised(msgspec.Struct, frozen=True):
    """An alarm that the baseline itself would have raised."""

    check: str
    hour: int
    evidence: float


class Rehearsal(msgspec.Struct, frozen=True):
    """What the baseline shows about the detector. `not_guaranteed` has the reasons why the stated share of false
    alarms is not claimed; empty when it is. `unseen` has the hours of the week that are not watched."""

    of: str
    weekdays: int
    weekends: int
    months: int
    alarms: float | None
    raised: tuple[Raised, ...] = ()
    unseen: str = ""
    moves: float | None = None
    not_guaranteed: tuple[str, ...] = ()
    advice: str = ""


def rehearsal(store: Store, settings: MonitorSettings, base: TrafficBaseline, agents: int = 1) -> Rehearsal:
    """The rehearsal of an agent's current baseline with these settings; stored, so that it is computed once."""
    alarms = settings.false_alarms
    names = watched_names(settings, base)
    digest = f"1 {base.made_at} {alarms.share} {alarms.per} {alarms.versions} {alarms.burst} {agents} {names}"
    held = stored_rehearsals(store, base.agent).get(base.agent)
    if held is not None and held.of == digest:
        return held
    new_rehearsal = rehearse(settings, base, baseline_hours(store, base.agent), agents, digest=digest)
    store.traces.set_states(KIND, {base.agent: msgspec.json.encode(new_rehearsal)})
    return new_rehearsal


@dataclass(frozen=True)
class BaselinePlan:
    """What the baseline of one agent shows, before its monitoring is turned on."""

    agent: str
    share: float
    per: str
    series: int
    timezone: str
    rehearsal: Rehearsal


def baseline_plans(store: Store, settings: MonitorSettings) -> list[BaselinePlan]:
    """The plan of each agent that has a baseline."""
    agents = list(settings.agents) or sorted({agent for agent, *_ in store.traces.counts()})
    with_baseline = len(store.traces.states(BASELINE))
    alarms = settings.false_alarms
    return [
        BaselinePlan(
            agent,
            alarms.share,
            alarms.per,
            watched_series(settings, with_baseline),
            timezone=base.timezone,
            rehearsal=rehearsal(store, settings, base, with_baseline),
        )
        for agent in agents
        if (base := current_baseline(store, agent)) is not None
    ]


def stored_rehearsals(store: Store, *agents: str) -> dict[str, Rehearsal]:
    """The rehearsals that were stored last, by agent: of all, or of these."""
    stored = store.traces.states(KIND, *agents).items()
    return {agent: msgspec.json.decode(held, type=Rehearsal) for agent, held in stored}


def rehearse(
    settings: MonitorSettings, base: TrafficBaseline, hours: HourCounts, agents: int = 1, digest: str = ""
) -> Rehearsal:
    """Play the hours of a baseline, and months of its days, through the detectors."""
    watched = {
        name: bounds
        for name in watched_names(settings, base)
        if name in hours and (bounds := bounds_of(settings, base, name, agents)) is not None
    }
    raised = tuple(
        chain.from_iterable(_play_hours(name, bounds, hours[name]) for name, bounds in watched.items())
    )
    share = _share_of_drawn_months(watched, hours, settings) if watched else None
    moves = movement_p_value({name: hours[name] for name in watched}, base.timezone) if watched else None
    outcome = Rehearsal(
        digest, *base.days, MONTHS if watched else 0, share, raised, _unseen_hours(base, watched), moves
    )
    problems = tuple(_problems(settings, outcome))
    return msgspec.structs.replace(outcome, not_guaranteed=problems, advice=_advice(outcome))


def spread_values(n: int, bad: float) -> list[float]:
    """The values of an hour: whole sessions that are bad, spread evenly, and what is left over in the last one."""
    whole = min(n, int(bad + 1e-9))
    values = [float((i + 1) * whole // n > i * whole // n) for i in range(n)]
    rest = bad - whole
    if rest > 1e-9:
        values[values.index(0.0)] = rest
    return values


def _play_hours(name: str, bounds: Bounds, hours: list[tuple[int, int, float]]) -> list[Raised]:
    series = new_series(bounds)
    for hour, n, bad in hours:
        for value in spread_values(n, bad):
            crossing = step(series, value, hour * HOUR)
            if crossing is not None:
                return [Raised(name, hour, crossing.evidence)]
    return []


HourMap = list[tuple[float, float]]
"""What an hour does to the evidence, a_k and b_k: R_k becomes a_k R_k + b_k, at most `cap` (R_k + 1)."""


def _share_of_drawn_months(watched: dict[str, Bounds], hours: HourCounts, settings: MonitorSettings) -> float:
    """The share of drawn months in which any series alarms; the evidence is looked at once an hour."""
    maps = {name: _hour_maps(bounds, hours[name]) for name, bounds in watched.items()}
    days = sorted(set(chain.from_iterable(maps.values())))
    kinds = [[day for day in days if (day % 7 >= 5) == weekend] for weekend in (False, True)]
    length = max(1, round(seconds(settings.false_alarms.per) / 86400))
    draw = random.Random("drawn months")  # noqa: S311
    alarms = 0
    for _ in range(MONTHS):
        drawn = [draw.choice(kind) for day in range(length) if (kind := kinds[day % 7 >= 5])]
        alarms += any(_alarms(bounds, maps[name], drawn) for name, bounds in watched.items())
    return alarms / MONTHS


def _hour_maps(bounds: Bounds, hours: list[tuple[int, int, float]]) -> dict[int, list[HourMap]]:
    days: dict[int, list[HourMap]] = defaultdict(list)
    for hour, n, bad in hours:
        q0 = bounds.q0s[cell_of(hour, bounds.zone)]
        if not q0:
            continue
        lams = bets(q0, bounds.growth)
        hour_map = [(1.0, 0.0)] * len(lams)
        for value in spread_values(n, bad):
            for k, lam in enumerate(lams):
                (a, b) = hour_map[k]
                e = max(0.0, 1 + lam * (value - q0))
                hour_map[k] = min(a * e, 1e200), min((b + 1) * e, 1e200)
        days[day_of(hour, bounds.zone)].append(hour_map)
    return days


def _alarms(bounds: Bounds, maps: dict[int, list[HourMap]], drawn: list[int]) -> bool:
    r = [0.0] * len(bounds.growth)
    enough = bounds.threshold * len(r)
    cap = bounds.cap if bounds.window >= HOUR else math.inf
    for day in drawn:
        for hour_map in maps.get(day, ()):
            pairs = zip(r, hour_map, strict=True)
            r = [min(a * value + b, cap * (value + 1.0), 1e200) for value, (a, b) in pairs]
            if r and sum(r) >= enough:
                return True
    return False


def _unseen_hours(base: TrafficBaseline, watched: dict[str, Bounds]) -> str:
    """The hours of the week in which some series is not watched."""
    texts = dict.fromkeys(block_text(blocks_of(base.checks[name].cells), -1) for name in watched)
    return "; ".join(text for text in texts if text)


def _problems(settings: MonitorSettings, outcome: Rehearsal) -> Iterator[str]:
    """Why the share of false alarms is not claimed."""
    counts = (outcome.weekdays, outcome.weekends)
    for count, enough, title in zip(counts, ENOUGH, ("weekdays", "weekend days"), strict=True):
        if 0 < count < enough:
            yield f"the baseline has {count} of the {enough} {title} of a week"
    if not seconds(settings.false_alarms.burst):
        yield "false_alarms.burst is 0: a short disturbance raises an alarm"
    if outcome.raised:
        names = ", ".join(dict.fromkeys(alarm.check for alarm in outcome.raised))
        yield f"the baseline itself would have raised an alarm ({names})"
    if outcome.alarms is not None and outcome.alarms > settings.false_alarms.share:
        yield f"{percent(outcome.alarms, 0)} of months resampled from its days would alarm"
    if outcome.moves is not None and outcome.moves < MOVES:
        yield f"rates move from day to day more than chance explains (p = {outcome.moves:.2g})"


def _advice(outcome: Rehearsal) -> str:
    days = outcome.weekdays + outcome.weekends
    if not days or days >= 28:
        return ""
    why = "slow movements need four weeks to be seen"
    enough = 28
    if days < 14:
        why = "one week shows no difference between weeks"
        enough = 14
    return f"{pluralize(days, 'day')} of baseline: {why}; {enough} days recommended"


PHI = 0.9
LIMIT = 2.5
FEWEST_BAD = 5
FEWEST_DAYS = 5
MOST_DAYS = 60


def movement_p_value(hours: HourCounts, zone: str = "UTC") -> float | None:
    """The probability of days that differ this much if nothing moves; None when too little is known to say."""
    total = mean = variance = 0.0
    for own in hours.values():
        z = day_residuals(own, zone)[-MOST_DAYS:]
        if len(z) >= FEWEST_DAYS:
            form, its_mean, its_variance = _form(z)
            total = total + form
            mean = mean + its_mean
            variance = variance + its_variance
    if not mean:
        return None
    df = 2 * mean**2 / variance
    cube = (max(0.0, total) / mean) ** (1 / 3)
    deviate = (cube - (1 - 2 / (9 * df))) / math.sqrt(2 / (9 * df))
    return math.erfc(deviate / math.sqrt(2)) / 2


def day_residuals(hours: list[tuple[int, int, float]], zone: str) -> list[float]:
    """For each day its bad sessions, less those expected by block, in standard deviations."""
    reference = reference_of_hours(hours, zone)
    if not FEWEST_BAD <= reference.bad <= reference.n - FEWEST_BAD:
        return []
    block = blocks_of(reference.cells)
    rates = {name: bad / n for name, (n, bad) in block_totals(reference.cells, block).items()}
    days: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for hour, n, bad in hours:
        rate = rates.get(block[cell_of(hour, zone)])
        if rate is not None:
            day = days[day_of(hour, zone)]
            day[0] += bad - n * rate
            day[1] += n * rate * (1 - rate)
    z = [rest / math.sqrt(spread) for _, (rest, spread) in sorted(days.items()) if spread > 0]
    return [max(-LIMIT, min(LIMIT, value)) for value in z]


def _form(z: list[float]) -> tuple[float, float, float]:
    """z'Qz with Q = PKP, K the kernel and P the projection that the fitted rates are; its mean and variance."""
    size = len(z)
    kernel = [[PHI ** abs(i - j) for j in range(size)] for i in range(size)]
    rows = [sum(row) / size for row in kernel]
    whole = sum(rows) / size
    q = [[kernel[i][j] - rows[i] - rows[j] + whole for j in range(size)] for i in range(size)]
    form = sum(sum(z[i] * z[j] * q[i][j] for j in range(size)) for i in range(size))
    return form, sum(q[i][i] for i in range(size)), 2 * sum(sum(value**2 for value in row) for row in q)
