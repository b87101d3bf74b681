"""Exports a run as JSON Lines: equal results give equal bytes, in any completion order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from rightcall.records import CaseResult, ToolCall
from rightcall.store.sql.record_bytes import canonical


def export_lines(results: Iterable[CaseResult], *, timings: bool = True) -> Iterator[bytes]:
    """One line of JSON per result, with sorted keys, in the order of `results`.

    Without `timings`, measured times are omitted: two runs that did the same export identical files.
    """
    for result in results:
        yield canonical(result if timings else without_times(result)) + b"\n"


def without_times(result: CaseResult) -> CaseResult:
    trajectory = result.trajectory
    if trajectory is not None:
        messages = tuple(
            msgspec.structs.replace(message, calls=_calls_without_times(message.calls), latency_ms=None)
            for message in trajectory.messages
        )
        calls = _calls_without_times(trajectory.calls)
        trajectory = msgspec.structs.replace(
            trajectory, messages=messages, calls=calls, latency_ms=None, lag_ms=0.0
        )
    return msgspec.structs.replace(result, latency_ms=None, trajectory=trajectory)


def _calls_without_times(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    without: dict[str, Any] = {"latency_ms": None}
    return tuple(msgspec.structs.replace(call, **without) for call in calls)
