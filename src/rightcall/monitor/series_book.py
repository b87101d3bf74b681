"""All watched series: one for each check of each version of each agent, kept in the store between runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rightcall.monitor.baseline import Reference, TrafficBaseline
from rightcall.monitor.drift import (
    HOUR,
    Crossing,
    Series,
    new_series,
    packed_series,
    restarted,
    step,
    unpacked_series,
)
from rightcall.monitor.session_hours import SessionHours
from rightcall.monitor.settings import HARD, MonitorSettings, seconds
from rightcall.stats import detector_threshold
from rightcall.store import SessionCount, Store, TraceRow

KIND = "series"
MOST = 5_000
"""Series that are kept. A prompt with the time in it makes every trace a version: then the oldest are evicted."""

Place = tuple[str, str, str]
"""Agent, version and name of a series."""


class SeriesBook:
    """Feeds values to series and creates new ones. Without a baseline a series only counts sessions."""

    def __init__(
        self, store: Store, settings: MonitorSettings, baseline: Callable[[str], TrafficBaseline | None]
    ) -> None:
        self._store, self._settings, self._baseline = store, settings, baseline
        self._series = {_place(name): unpacked_series(data) for name, data in store.states(KIND).items()}
        self._sessions = SessionHours(store)
        self._changed: set[Place] = set()

    def watch(self, row: TraceRow, name: str, bad: float, time: int) -> tuple[Series, Crossing | None]:
        """Add a check's result on a trace; its session is counted when the hour ends."""
        place = row.agent, row.version, name
        series = self._series.get(place)
        if series is None or not series.q0:
            series = self._begin(place, series)
        self._changed.add(place)
        series.hour = max(series.hour, time // HOUR)
        series.started = series.started or time
        if bad:
            series.bad_traces = [*series.bad_traces[-4:], row.trace_id]
        if not row.session:
            return series, step(series, bad, time)
        self._sessions.add(place, row.session, bad, time)
        return series, None

    def pass_time(self, agent: str, time: int) -> Iterator[tuple[Place, Series, Crossing]]:
        """Count the sessions of an hour that ended before `time`; returns what crossed its threshold."""
        if self._sessions.begins(agent, time):
            yield from self._count_sessions(agent)

    def flush(self) -> Iterator[tuple[Place, Series, Crossing]]:
        """Count the sessions of the current hour now; returns what crossed its threshold."""
        for agent in self._sessions.agents():
            yield from self._count_sessions(agent)

    def _count_sessions(self, agent: str) -> Iterator[tuple[Place, Series, Crossing]]:
        for place, value, time in self._sessions.end(agent):
            series = self._series.get(place)
            if series is None:  # it was evicted
                continue
            self._changed.add(place)
            crossing = step(series, value, time)
            if crossing is not None:
                yield place, series, crossing

    def restart(self, agent: str) -> None:
        """Restart the series of an agent against its current baseline."""
        for place in [place for place in self._series if place[0] == agent]:
            self._series[place] = restarted(self._series[place], *self._bounds(agent, place[2]))
            self._changed.add(place)

    def release(self, latched: Callable[[], set[int]]) -> None:
        """Restart every series whose alarm was acknowledged."""
        alarmed = [place for place, series in self._series.items() if series.alarm is not None]
        still = latched() if alarmed else set()
        for place in alarmed:
            series = self._series[place]
            if series.alarm not in still:
                self._series[place] = restarted(series, series.q0, series.threshold)
                self._changed.add(place)

    def save(self) -> None:
        """Write the changes."""
        self._sessions.save()
        documents = {_name(p): packed_series(self._series[p]) for p in self._changed if p in self._series}
        self._store.set_states(KIND, documents)
        self._store.set_session_counts(
            [
                SessionCount(*p, s.sessions, s.bad_sessions)
                for p in self._changed
                if (s := self._series.get(p))
            ]
        )
        self._changed.clear()

    def _begin(self, place: Place, known: Series | None) -> Series:
        q0, threshold = self._bounds(place[0], place[2])
        if known is not None and not q0:
            return known
        if len(self._series) >= MOST and known is None:
            self._make_room()
        self._series[place] = series = restarted(known, q0, threshold) if known else new_series(q0, threshold)
        return series

    def _make_room(self) -> None:
        """Evict a tenth of the series, those without traffic for the longest time."""
        oldest = sorted(self._series, key=lambda place: self._series[place].hour)[: max(1, MOST // 10)]
        for place in oldest:
            del self._series[place]
        self._store.drop_states(KIND, [_name(place) for place in oldest])

    def _bounds(self, agent: str, name: str) -> tuple[float, float]:
        """The rate to compare with and the threshold; zeros while no baseline has this check."""
        base = self._baseline(agent) if name not in HARD else None
        reference = reference_of(base, name) if base is not None else None
        if base is None or reference is None:
            return 0.0, 0.0
        return reference.q0, threshold_of(self._settings, base)


def reference_of(base: TrafficBaseline, name: str) -> Reference | None:
    """The reference of a series in the baseline."""
    return base.checks.get(name) or base.tools.get(name)


def threshold_of(settings: MonitorSettings, base: TrafficBaseline) -> float:
    """The threshold A, given the traffic of the baseline and the number of watched series."""
    days = seconds(settings.false_alarms.per) / 86400
    return detector_threshold(
        max(1.0, base.per_day * days), settings.false_alarms.share, watched_series(settings, base)
    )


def watched_series(settings: MonitorSettings, base: TrafficBaseline) -> int:
    """How many series share the false alarms; the tools of the baseline add two each, for more and for less."""
    extra = len(base.tools) if settings.tool_mix else 0
    return settings.series + extra * max(1, len(settings.agents)) * settings.false_alarms.versions


def _name(place: Place) -> str:
    return "\t".join(place)


def _place(name: str) -> Place:
    agent, version, check = name.split("\t", 2)
    return agent, version, check
