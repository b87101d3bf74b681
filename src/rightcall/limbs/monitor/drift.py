"""One monitored series: a check of one version of one agent, against a frozen baseline."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from rightcall.limbs.monitor.week_blocks import HOUR, cell_of
from rightcall.stats.detect import Detector, detector_step, growth_of, limit_evidence, new_detector
from rightcall.stats.sequential import confidence_sequence

LATE = 24
"""Hours by which a trace may be late; one that is older, or after one from the future, sets the clock back."""


class Bounds(msgspec.Struct, frozen=True):
    """What a series is compared with: for each cell of the week the rate not to exceed (0: unseen, not watched), the
    threshold A, and what one window of time may contribute.

    `window` is in nanoseconds, 0 for none; `per_day` is the number of values a day that A was made for.
    """

    q0s: tuple[float, ...]
    threshold: float
    cap: float = 0.0
    window: int = 0
    zone: str = "UTC"
    per_day: float = 0.0

    @property
    def growth(self) -> tuple[float, ...]:
        return growth_of(self.q0s)

    @property
    def q0(self) -> float:
        """The highest rate of a block."""
        return max(self.q0s, default=0.0)


class Series(msgspec.Struct):
    """The state of a series, as stored.

    Its values are sessions (`SessionHours`): a burst from one user is not independent evidence about the agent.
    `hour` is that of the last trace. A series without bounds has no baseline and only counts. `sessions` and
    `bad_sessions` count all values ever seen; the others start over with every baseline and acknowledgement.
    `learning` counts values in cells of the week that the baseline has not seen.
    """

    q0: float
    threshold: float
    r: tuple[float, ...] = ()
    cusum: tuple[float, ...] = ()
    since: tuple[int, ...] = ()
    n: int = 0
    total: float = 0.0
    hour: int = 0
    since_times: list[list[int]] = []
    bad_traces: list[str] = []
    alarm: int | None = None
    started: int = 0
    sessions: int = 0
    bad_sessions: float = 0.0
    bounds: Bounds | None = None
    learning: int = 0
    window: int = 0
    window_r: tuple[float, ...] = ()
    day: int = 0
    day_n: int = 0
    weight: float = 1.0

    @property
    def detector(self) -> Detector:
        return Detector(self.r, self.cusum, self.since, self.n)

    @property
    def evidence(self) -> float:
        return self.detector.evidence

    def rate(self, alpha: float = 0.05) -> tuple[float, float, float]:
        """Rate and its confidence sequence, valid at any time."""
        if not self.n:
            return 0.0, 0.0, 1.0
        interval = confidence_sequence(self.total, self.n, alpha)
        return self.total / self.n, interval.low, interval.high


@dataclass(frozen=True)
class Crossing:
    """Evidence that reached its threshold, and since when."""

    evidence: float
    since_time: int


def new_series(bounds: Bounds | None) -> Series:
    """A series without values; without bounds it only counts."""
    if bounds is None:
        return Series(0.0, 0.0)
    state = new_detector(bounds.q0, bounds.growth)
    return Series(
        bounds.q0,
        bounds.threshold,
        state.r,
        state.cusum,
        since=state.since,
        since_times=[[0, 0] for _ in state.r],
        bounds=bounds,
        window_r=state.r,
    )


def restart_series(series: Series, bounds: Bounds | None, *, latched: bool = False) -> Series:
    """A series that starts over, with its count of sessions; `latched` keeps its alarm."""
    fresh = new_series(bounds)
    fresh.hour = series.hour
    fresh.sessions = series.sessions
    fresh.bad_sessions = series.bad_sessions
    if latched:
        fresh.alarm = series.alarm
    return fresh


def step(series: Series, x: float, time: int) -> Crossing | None:
    """Count one value; returns the crossing when the evidence reaches the threshold for the first time."""
    series.sessions += 1
    series.bad_sessions += x
    bounds = series.bounds
    if bounds is None:
        return None
    q0 = bounds.q0s[cell_of(time // HOUR, bounds.zone)]
    if not q0:
        series.learning += 1
        return None
    _pass_time(series, bounds, time)
    before = series.detector
    after = detector_step(before, x, q0, bounds.growth, weight=series.weight)
    for k, (old, new) in enumerate(zip(before.since, after.since, strict=True)):
        if new != old or before.n == 0:
            series.since_times[k] = [new, time]
    series.r = after.r
    series.cusum = after.cusum
    series.since = after.since
    series.n = after.n
    series.total += x
    series.day_n += 1
    if bounds.window:
        series.r = limit_evidence(series.r, series.window_r, bounds.cap)
    if series.alarm is not None or not series.r or series.evidence < bounds.threshold:
        return None
    best = max(range(len(series.r)), key=lambda k: after.r[k])
    return Crossing(series.evidence, series.since_times[best][1])


def _pass_time(series: Series, bounds: Bounds, time: int) -> None:
    """Begin a new window and a new day when their time has come; late values belong to the current ones.

    After a day with more values than A was made for, values weigh less: the stated share is one per period of time.
    """
    day = time // (24 * HOUR)
    if not series.day - 1 <= day <= series.day:
        if day == series.day + 1 and bounds.per_day:
            series.weight = min(1.0, bounds.per_day / max(1, series.day_n))
        series.day = day
        series.day_n = 0
    if not bounds.window:
        return
    window = time // bounds.window
    if window > series.window or (series.window - window) * bounds.window > LATE * HOUR:
        series.window = window
        series.window_r = series.r
