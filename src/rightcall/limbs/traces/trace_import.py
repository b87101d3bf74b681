"""Imports traces from files into the store, and finds those of goldens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from rightcall.datasets.goldens import load_goldens
from rightcall.limbs.traces.checks import DEFAULT, CheckedAgent, run_checks
from rightcall.limbs.traces.reader import is_trace_export, load_traces
from rightcall.limbs.traces.trace import Trace, trace_to_keep
from rightcall.records.golden import names_agents
from rightcall.records.trajectory import RecordedTrajectory
from rightcall.store.sql.store import Store

AT_ONCE = 500
MOST_KINDS = 1000
"""Different problems that are counted; hostile files could make each one different."""


@dataclass
class Imported:
    """What an import found."""

    traces: int = 0
    useful: int = 0
    calls: int = 0
    unknown_arguments: int = 0
    problems: Counter[str] = field(default_factory=Counter)

    def useful_of(self, traces: Iterable[Trace]) -> Iterator[Trace]:
        """The traces that contain an agent's work; all traces are counted."""
        for trace in traces:
            trajectory = trace.trajectory
            self.traces += 1
            self.calls += len(trajectory.calls)
            self.unknown_arguments += sum(call.arguments_unknown for call in trajectory.calls)
            for text in trace.problems:
                if text in self.problems or len(self.problems) < MOST_KINDS:
                    self.problems[text] += 1
            if trajectory.calls or trajectory.output or trajectory.messages:
                self.useful += 1
                yield trace


def import_traces(traces: Iterable[Trace], store: Store) -> Imported:
    """Check the traces and store them for review; one that is imported again counts once."""
    outcome = Imported()
    stream = outcome.useful_of(traces)
    while batch := list(islice(stream, AT_ONCE)):
        kept = []
        for trace in batch:
            checks = run_checks(DEFAULT, trace, CheckedAgent())
            kept.append(trace_to_keep(trace, trace.service or trace.agent or "agent", checks, queue=True))
        store.traces.keep(kept)
    return outcome


def recorded_goldens(goldens: Path, recorded: Path) -> tuple[list[RecordedTrajectory], int] | None:
    """What was recorded for each golden, and how many traces have none; None when the file holds no traces."""
    if not is_trace_export(recorded):
        return None
    by_trace: dict[str, str] = {}
    ids: dict[str, bool] = {}  # whether the golden is about the calls of all agents
    for golden in load_goldens(goldens):
        ids[golden.id] = names_agents(golden)
        origin = golden.metadata.get("trace")
        if isinstance(origin, dict) and isinstance(trace_id := origin.get("trace_id"), str):
            by_trace[trace_id] = golden.id
    rows = []
    left_out = 0
    for about_agents in sorted(set(ids.values())) or [False]:
        left_out = 0
        for trace in load_traces(recorded, calls="all" if about_agents else "auto"):
            golden_id = trace.golden_id if trace.golden_id in ids else by_trace.get(trace.trace_id)
            if golden_id is None:
                left_out += 1
            elif ids[golden_id] == about_agents:
                rows.append(RecordedTrajectory(golden_id, trace.trajectory, trace.trial))
    return rows, left_out
