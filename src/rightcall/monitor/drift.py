"""One monitored series: a check of one version of one agent, against a frozen baseline."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from rightcall.stats import Detector, confidence_sequence, detector_step, new_detector

HOUR = 3600 * 1_000_000_000


class Series(msgspec.Struct):
    """The state of a series, as stored.

    Its values are sessions (`SessionHours`): a burst from one user is not independent evidence about the agent.
    `hour` is that of the last trace. A series with q0 0 has no baseline and only counts. `sessions` and
    `bad_sessions` count all values ever seen; the others start over with every baseline and acknowledgement.
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
    """Evidence that reached its threshold: since which value, and its time."""

    evidence: float
    since_value: int
    since_time: int


def new_series(q0: float, threshold: float) -> Series:
    state = new_detector(q0)
    return Series(
        q0,
        threshold,
        state.r,
        state.cusum,
        state.since,
        since_times=[[0, 0] for _ in state.r],
        bad_traces=[],
    )


def restarted(series: Series, q0: float, threshold: float) -> Series:
    """A series that starts over, with its count of sessions."""
    fresh = new_series(q0, threshold)
    fresh.hour = series.hour
    fresh.sessions, fresh.bad_sessions = series.sessions, series.bad_sessions
    return fresh


def step(series: Series, x: float, time: int) -> Crossing | None:
    """Count one value; returns the crossing when the evidence reaches the threshold for the first time."""
    series.sessions += 1
    series.bad_sessions += x
    if not series.q0:
        return None
    before = series.detector
    after = detector_step(before, x, series.q0)
    for k, (old, new) in enumerate(zip(before.since, after.since, strict=True)):
        if new != old or before.n == 0:
            series.since_times[k] = [new, time]
    series.r, series.cusum, series.since, series.n = after.r, after.cusum, after.since, after.n
    series.total += x
    if series.alarm is not None or after.evidence < series.threshold:
        return None
    best = max(range(len(after.r)), key=lambda k: after.r[k])
    return Crossing(after.evidence, after.change_point, series.since_times[best][1])


def packed_series(series: Series) -> bytes:
    return msgspec.json.encode(series)


def unpacked_series(data: bytes) -> Series:
    return msgspec.json.decode(data, type=Series)
