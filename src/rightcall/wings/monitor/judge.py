"""The judges of the settings, and which traces each sees: shares by stratum, lowered for the next hour when the daily
budget requires it.

Within an hour the share of a stratum never changes, and it never depends on the content of a trace: so the probability
that is stored with every score is the one it was chosen with.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from rightcall.core.digest import hex_digest
from rightcall.core.event_loop import run_blocking
from rightcall.metrics.measurement import measure_one
from rightcall.metrics.resolve import as_metrics
from rightcall.model.case import TestCase
from rightcall.wings.monitor.settings import JudgeSettings
from rightcall.wings.traces.trace import Trace

HOUR = 3600 * 1_000_000_000
FAILED, TOOL, INTENT = "failed", "tool:", "intent:"
Judge = Callable[[TestCase], float | None]


def judge_of(settings: JudgeSettings) -> Judge:
    """The metric of the settings: 1 when it fails, 0 when it passes, None when it gives no verdict."""
    (metric,) = as_metrics([settings.metric])

    def judge(case: TestCase) -> float | None:
        score = run_blocking(measure_one(metric, case))
        return None if score.error else float(not score.passed)

    return judge


def is_chosen(salt: str, trace_id: str, p: float) -> bool:
    """Whether SHA-256(salt ‖ trace id) falls into the share p.

    Equal in every process and independent of content; raising `p` keeps the traces that were already chosen.
    """
    return int(hex_digest(f"{salt}{trace_id}", 16), 16) / 2**64 < p


class JudgeSpending(msgspec.Struct):
    """How much a judge was used in the current day, as stored.

    `due` is how many traces of this hour the full shares would have chosen, on average; `factor` multiplies the shares.
    """

    hour: int = 0
    used: int = 0
    due: float = 0.0
    factor: float = 1.0

    def share(self, judge: JudgeSettings, p: float, time: int) -> float:
        """The probability with which a trace at this time is sampled; 0 when the daily budget is used up."""
        hour = time // HOUR
        if hour > self.hour:
            self.used = self.used if hour // 24 == self.hour // 24 else 0
            self.factor = next_factor(self.due, self.used, judge.limit, 24 - hour % 24)
            self.hour, self.due = hour, 0.0
        self.due += p
        return 0.0 if self.used >= judge.limit else p * self.factor


def next_factor(due: float, used: int, limit: float, hours_left: int) -> float:
    """The factor of the shares for the next hour, assuming that the rest of the day is like the last hour."""
    affordable = max(0.0, limit - used) / max(1, hours_left)
    return 1.0 if due <= affordable else affordable / due


def stratum_of(judge: JudgeSettings, trace: Trace, failed: bool) -> tuple[str, float]:
    """The stratum of a trace with the largest share, and that share; the empty one has the judge's own."""
    called = {call.name for call in trace.trajectory.calls}
    fitting = [
        (p, name)
        for name, p in judge.strata.items()
        if (name == FAILED and failed)
        or (name.startswith(TOOL) and name.removeprefix(TOOL) in called)
        or (name.startswith(INTENT) and name.removeprefix(INTENT) in trace.tags)
    ]
    p, name = max(fitting, default=(judge.sample, ""))
    return name, p
