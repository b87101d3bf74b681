"""What is watched for drift: a series for each check of each version of each agent, kept in the store between runs.

Traces of one session count as one value, the mean of its hour, because a burst from one user is not independent
evidence about the agent. They are read from the store when the hour has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec

from rightcall.limbs.monitor.baseline import KIND as BASELINE, TrafficBaseline
from rightcall.limbs.monitor.settings import HARD, MonitorSettings, seconds
from rightcall.limbs.traces.trace import time_text
from rightcall.stats.detect import Detector, detector_step, detector_threshold, new_detector, reference_rate
from rightcall.stats.sequential import confidence_sequence
from rightcall.store.base import SessionCount, TraceFilter, TraceRow
from rightcall.store.sql.store import Store

KIND = "series"
HOURS = "hour"
HOUR = 3600 * 1_000_000_000
GRACE = 300 * 1_000_000_000
"""How long after an hour its sessions are counted: until then its last traces have arrived."""
LATE = 24
"""Hours by which a trace may be late; one that is older, or after one from the future, sets the clock back."""
MOST = 5_000
"""Series that are kept. A prompt with the time in it makes every trace a version: then the oldest are evicted."""
MOST_AGENTS = 1_000
"""Maximum number of agents whose current hour is remembered."""
FLOORS = {"slow": 0.05}
"""Sessions above the 95 % point are 5 % by its definition."""

Place = tuple[str, str, str]
"""Agent, version and name of a series."""


class Bounds(msgspec.Struct, frozen=True):
    """What a series is compared with: the rate not to exceed, and the threshold A of its evidence."""

    q0: float
    threshold: float


def bounds_of(settings: MonitorSettings, base: TrafficBaseline, name: str, agents: int = 1) -> Bounds | None:
    """The bounds of a series; None when the baseline lacks it. `agents` is how many have a baseline.

    Half of the stated share of false alarms is for a reference rate that is too low by chance, half for evidence that
    reaches the threshold by chance.
    """
    reference = base.checks.get(name)
    if reference is None:
        return None
    share = settings.false_alarms.share / 2
    series = watched_series(settings, agents)
    sessions = max(1.0, base.per_day * seconds(settings.false_alarms.per) / 86400)
    q0 = reference_rate(reference.bad, reference.n, share / series)
    return Bounds(max(FLOORS.get(name, 0.0), q0), detector_threshold(sessions, share, series))


def watched_series(settings: MonitorSettings, agents: int = 1) -> int:
    """How many series share the false alarms: agents × checks × versions.

    Agents with a baseline are watched, listed or not.
    """
    return max(1, agents, len(settings.agents)) * len(settings.drifting) * settings.false_alarms.versions


class Series(msgspec.Struct):
    """The state of a series, as stored.

    `hour` is that of the last trace. A series without bounds has no baseline and only counts. `sessions` and
    `bad_sessions` count all values ever seen; the others start over with every baseline and acknowledgement.
    """

    bounds: Bounds | None = None
    detector: Detector = Detector((), (), ())
    total: float = 0.0
    hour: int = 0
    since_times: list[int] = []
    bad_traces: list[str] = []
    alarm: int | None = None
    sessions: int = 0
    bad_sessions: float = 0.0

    def rate(self, alpha: float = 0.05) -> tuple[float, float, float]:
        """Rate and its confidence sequence, valid at any time."""
        n = self.detector.n
        if not n:
            return 0.0, 0.0, 1.0
        interval = confidence_sequence(self.total, n, alpha)
        return self.total / n, interval.low, interval.high


@dataclass(frozen=True)
class Crossing:
    """Evidence of a series that reached its threshold, and since when."""

    place: Place
    series: Series
    evidence: float
    since_time: int


def new_series(bounds: Bounds | None) -> Series:
    """A series without values; without bounds it only counts."""
    if bounds is None:
        return Series()
    state = new_detector(bounds.q0)
    return Series(bounds, state, since_times=[0] * len(state.r))


def restart_series(series: Series, bounds: Bounds | None, *, latched: bool = False) -> Series:
    """A series that starts over, with its count of sessions; `latched` keeps its alarm."""
    fresh = new_series(bounds)
    fresh.hour = series.hour
    fresh.sessions = series.sessions
    fresh.bad_sessions = series.bad_sessions
    if latched:
        fresh.alarm = series.alarm
    return fresh


def step(series: Series, x: float, time: int) -> int | None:
    """Count one value; returns the time of the change when the evidence reaches the threshold for the first time."""
    series.sessions += 1
    series.bad_sessions += x
    if series.bounds is None:
        return None
    before = series.detector
    after = detector_step(before, x, series.bounds.q0)
    for k, (old, new) in enumerate(zip(before.since, after.since, strict=True)):
        if new != old or before.n == 0:
            series.since_times[k] = time
    series.detector = after
    series.total += x
    if series.alarm is not None or not after.r or after.evidence < series.bounds.threshold:
        return None
    return series.since_times[after.r.index(max(after.r))]


class CurrentHour(msgspec.Struct, frozen=True):
    """The hour of an agent's traces, and the one before, whose sessions are counted."""

    hour: int
    before: int


class SeriesBook:
    """Feeds values to series and creates new ones. Without a baseline a series only counts sessions."""

    def __init__(
        self, store: Store, settings: MonitorSettings, baseline: Callable[[str], TrafficBaseline | None]
    ) -> None:
        self._store = store
        self._settings = settings
        self._baseline = baseline
        self._series = {
            _place(name): msgspec.json.decode(data, type=Series)
            for name, data in store.traces.states(KIND).items()
        }
        hours = store.traces.states(HOURS).items()
        self._hours = {agent: msgspec.json.decode(held, type=CurrentHour) for agent, held in hours}
        self._changed: set[Place] = set()
        self._compared: set[Place] = set()
        self._agents = 0

    def watch(self, row: TraceRow, name: str, bad: float, time: int) -> Iterator[Crossing]:
        """Add a check's result on a trace; its session is counted when the hour ends."""
        place = row.agent, row.version, name
        series = self._current(place) or self._begin(place)
        self._changed.add(place)
        series.hour = max(series.hour, time // HOUR)
        if bad:
            series.bad_traces = [*series.bad_traces[-4:], row.trace_id]
        if not row.session and (since := step(series, bad, time)) is not None:
            yield Crossing(place, series, series.detector.evidence, since)

    def pass_time(self, agent: str, time: int) -> Iterator[Crossing]:
        """Count the sessions of an hour that ended before `time`; returns what crossed its threshold.

        A trace from the future must not stop the clock: one that is more than a day older sets it back.
        """
        hour = (time - GRACE) // HOUR
        current = self._hours.get(agent, CurrentHour(0, 0))
        if current.hour - LATE <= hour <= current.hour:
            return
        if len(self._hours) >= MOST_AGENTS:
            self._hours.clear()
        self._hours[agent] = CurrentHour(hour, current.hour)
        self._store.traces.set_states(HOURS, {agent: msgspec.json.encode(self._hours[agent])})
        if current.hour != current.before:
            yield from self._count_sessions(agent, current.hour)

    def _count_sessions(self, agent: str, hour: int) -> Iterator[Crossing]:
        """The mean of each session of an hour, in the order of their first traces."""
        start, end = (time_text(at * HOUR) for at in (hour, hour + 1))
        values: dict[tuple[Place, str], list[float]] = {}
        for row in self._store.traces.each(TraceFilter(agent=agent, since=start, until=end)):
            for check in row.checks if row.session else ():
                if check.bad is not None:
                    place = row.agent, row.version, check.name
                    values.setdefault((place, row.session), []).append(check.bad)
        for (place, _), bad in values.items():
            series = self._current(place)
            if series is None:  # it was evicted
                continue
            self._changed.add(place)
            if (since := step(series, sum(bad) / len(bad), hour * HOUR)) is not None:
                yield Crossing(place, series, series.detector.evidence, since)

    def restart(self, agent: str) -> None:
        """Restart the series of an agent against its current baseline; others start over when theirs has changed."""
        self._compared.clear()
        self._agents = 0
        for place in [place for place in self._series if place[0] == agent]:
            self._series[place] = restart_series(self._series[place], self._bounds(place))
            self._changed.add(place)

    def release(self, latched: Callable[[], set[int]]) -> None:
        """Restart every series whose alarm was acknowledged."""
        alarmed = [place for place, series in self._series.items() if series.alarm is not None]
        still = latched() if alarmed else set()
        for place in alarmed:
            series = self._series[place]
            if series.alarm not in still:
                self._series[place] = restart_series(series, series.bounds)
                self._changed.add(place)

    def save(self) -> None:
        """Write the changes."""
        changed = {place: self._series[place] for place in self._changed if place in self._series}
        self._store.traces.set_states(KIND, {_name(p): msgspec.json.encode(s) for p, s in changed.items()})
        self._store.traces.count_sessions(
            [SessionCount(*place, s.sessions, s.bad_sessions) for place, s in changed.items()]
        )
        self._changed.clear()

    def _current(self, place: Place) -> Series | None:
        """The series against its bounds; when these are new, after an upgrade or other settings, it starts over.

        An alarm stays latched.
        """
        series = self._series.get(place)
        if series is None or place in self._compared:
            return series
        bounds = self._bounds(place)
        if bounds is None:  # a baseline may come
            return series
        self._compared.add(place)
        if series.bounds != bounds:
            self._series[place] = series = restart_series(series, bounds, latched=True)
            self._changed.add(place)
        return series

    def _begin(self, place: Place) -> Series:
        if len(self._series) >= MOST:
            self._make_room()
        self._series[place] = series = new_series(self._bounds(place))
        return series

    def _make_room(self) -> None:
        """Evict a tenth of the series, those without traffic for the longest time."""
        oldest = sorted(self._series, key=lambda place: self._series[place].hour)[: max(1, MOST // 10)]
        for place in oldest:
            del self._series[place]
            self._compared.discard(place)
        self._store.traces.set_states(KIND, {_name(place): None for place in oldest})

    def _bounds(self, place: Place) -> Bounds | None:
        """What the series is compared with; None while no baseline has this check."""
        agent, _, name = place
        base = self._baseline(agent) if name not in HARD else None
        if base is None:
            return None
        self._agents = self._agents or len(self._store.traces.states(BASELINE))
        return bounds_of(self._settings, base, name, self._agents)


def _name(place: Place) -> str:
    return "\t".join(place)


def _place(name: str) -> Place:
    agent, version, check = name.split("\t", 2)
    return agent, version, check
