"""All watched series: one for each check of each version of each agent, kept in the store between runs.

Traces of one session count as one value, the mean of its hour: those of the current hour wait in the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from rightcall.limbs.monitor.baseline import KIND as BASELINE, TrafficBaseline
from rightcall.limbs.monitor.bounds import bounds_of
from rightcall.limbs.monitor.drift import LATE, Bounds, Crossing, Series, new_series, restart_series, step
from rightcall.limbs.monitor.settings import HARD, MonitorSettings
from rightcall.limbs.monitor.week_blocks import HOUR
from rightcall.store.sql.store import Store
from rightcall.store.watch import SessionCount, SessionHour, TraceRow

KIND = "series"
HOURS = "hour"
MOST = 5_000
"""Series that are kept. A prompt with the time in it makes every trace a version: then the oldest are evicted."""
MOST_AGENTS = 1_000
"""Maximum number of agents whose current hour is remembered; for others, the hour ends with their next trace."""

Place = tuple[str, str, str]
"""Agent, version and name of a series."""
Crossed = tuple[Place, Series, Crossing]
"""A series whose evidence has reached its threshold."""


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
        self._sessions = SessionHours(store)
        self._changed: set[Place] = set()
        self._compared: set[Place] = set()
        self._agents = 0

    def watch(self, row: TraceRow, name: str, bad: float, time: int) -> Iterator[Crossed]:
        """Add a check's result on a trace; its session is counted when the hour ends."""
        place = row.agent, row.version, name
        series = self._current(place) or self._begin(place)
        self._changed.add(place)
        series.hour = max(series.hour, time // HOUR)
        series.started = series.started or time
        if bad:
            series.bad_traces = [*series.bad_traces[-4:], row.trace_id]
        if row.session:
            self._sessions.add(place, row.session, bad, time)
        elif (crossing := step(series, bad, time)) is not None:
            yield place, series, crossing

    def pass_time(self, agent: str, time: int) -> Iterator[Crossed]:
        """Count the sessions of an hour that ended before `time`; returns what crossed its threshold."""
        if self._sessions.begins(agent, time):
            yield from self._count_sessions(agent)

    def flush(self) -> Iterator[Crossed]:
        """Count the sessions of the current hour now; returns what crossed its threshold."""
        for agent in self._sessions.agents():
            yield from self._count_sessions(agent)

    def _count_sessions(self, agent: str) -> Iterator[Crossed]:
        for place, value, time in self._sessions.end(agent):
            series = self._current(place)
            if series is None:  # it was evicted
                continue
            self._changed.add(place)
            if (crossing := step(series, value, time)) is not None:
                yield place, series, crossing

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
        self._sessions.save()
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


class SessionHours:
    """Collects check results of the sessions in each agent's current hour.

    They wait in the store, so that memory does not grow with their number and nothing is written twice: `save` adds
    only what is new since the last call.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._hours = {agent: int(data) for agent, data in store.traces.states(HOURS).items()}
        self._new: dict[tuple[str, str, str], dict[str, list[float]]] = {}
        self._moved: set[str] = set()

    def add(self, place: tuple[str, str, str], session: str, bad: float, time: int) -> None:
        """Count a check's result on one trace; `place` is agent, version and name of the series."""
        agent, version, name = place
        held = self._new.setdefault((agent, version, session), {}).setdefault(name, [0.0, 0.0, float(time)])
        held[0] += bad
        held[1] += 1

    def begins(self, agent: str, time: int) -> bool:
        """Whether a trace of this time begins a new hour of its agent; late ones count in the current hour.

        A trace from the future must not stop the clock: one that is more than a day older sets it back.
        """
        hour = time // HOUR
        newest = self._hours.get(agent, 0)
        if newest - LATE <= hour <= newest:
            return False
        if len(self._hours) >= MOST_AGENTS:
            self._hours.clear()
        self._hours[agent] = hour
        self._moved.add(agent)
        return True

    def end(self, agent: str) -> Iterator[tuple[tuple[str, str, str], float, int]]:
        """The values of the agent's sessions in the order of their first traces: series, value, time."""
        self.save()
        while hours := self._store.traces.take_sessions(agent):
            for hour in hours:
                for name, (bad, count, time) in hour.values.items():
                    yield (hour.agent, hour.version, name), bad / count, int(time)

    def agents(self) -> list[str]:
        """Agents with sessions that are not counted yet."""
        self.save()
        return self._store.traces.agents_with_sessions()

    def save(self) -> None:
        """Write what is new."""
        new = self._new
        self._new = {}
        self._store.traces.add_to_sessions([SessionHour(*place, values) for place, values in new.items()])
        moved = {
            agent: msgspec.json.encode(self._hours[agent]) for agent in self._moved if agent in self._hours
        }
        self._store.traces.set_states(HOURS, moved)
        self._moved.clear()


def _name(place: Place) -> str:
    return "\t".join(place)


def _place(name: str) -> Place:
    agent, version, check = name.split("\t", 2)
    return agent, version, check
