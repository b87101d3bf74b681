"""The time of a case: model answers and tool calls in sequence."""

from __future__ import annotations

from itertools import groupby
from typing import Literal

from rightcall.model.record import Record
from rightcall.model.trajectory import Trajectory
from rightcall.report.text import one_line

MOST_BARS = 200


class Bar(Record, frozen=True):
    """One piece of time, from the start of the case.

    `estimated` marks answers whose time was not measured: they share the remaining time evenly.
    """

    kind: Literal["model", "tool"]
    label: str
    start_ms: float
    duration_ms: float
    estimated: bool = False


def waterfall(trajectory: Trajectory) -> tuple[Bar, ...]:
    """Answers in order, each followed by its calls, which run at the same time."""
    steps = {
        step: list(calls)
        for step, calls in groupby(trajectory.calls, key=lambda call: 0 if call.step is None else call.step)
    }
    answers = [message for message in trajectory.messages if message.role == "assistant"]
    tools = sum(max((c.latency_ms or 0.0 for c in calls), default=0.0) for calls in steps.values())
    count = max(len(answers), max(steps, default=-1) + 1)
    if trajectory.latency_ms is None and not tools:
        return ()
    measured = [message.latency_ms for message in answers]
    unmeasured = count - sum(latency is not None for latency in measured)
    left = max(0.0, (trajectory.latency_ms or 0.0) - tools - sum(latency or 0.0 for latency in measured))
    clock, bars = 0.0, list[Bar]()
    for step in range(count):
        known = measured[step] if step < len(measured) else None
        duration = left / unmeasured if known is None else known
        bars.append(Bar("model", "model", clock, duration, known is None and unmeasured > 1))
        clock += duration
        calls = steps.get(step, [])
        bars += [
            Bar("tool", one_line(c.name, 100), clock, c.latency_ms) for c in calls if c.latency_ms is not None
        ]
        clock += max((call.latency_ms or 0.0 for call in calls), default=0.0)
    return tuple(bars[:MOST_BARS])
