"""Traces that belong to goldens, for `rightcall score`: a golden names its trace, or the spans name their golden."""

from __future__ import annotations

from pathlib import Path

from rightcall.datasets.goldens import load_goldens
from rightcall.model.trajectory import RecordedTrajectory
from rightcall.wings.traces.reader import is_trace_export, load_traces


def recorded_goldens(goldens: Path, recorded: Path) -> tuple[list[RecordedTrajectory], int] | None:
    """What was recorded for each golden, and how many traces have none; None when the file holds no traces."""
    if not is_trace_export(recorded):
        return None
    by_trace: dict[str, str] = {}
    ids: set[str] = set()
    for golden in load_goldens(goldens):
        ids.add(golden.id)
        origin = golden.metadata.get("trace")
        if isinstance(origin, dict) and isinstance(trace_id := origin.get("trace_id"), str):
            by_trace[trace_id] = golden.id
    rows, left_out = [], 0
    for trace in load_traces(recorded):
        golden_id = trace.golden_id if trace.golden_id in ids else by_trace.get(trace.trace_id)
        if golden_id:
            rows.append(RecordedTrajectory(golden_id, trace.trajectory, trace.trial))
        else:
            left_out += 1
    return rows, left_out
