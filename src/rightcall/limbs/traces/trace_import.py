"""Imports traces from files into the store, and finds those of goldens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from rightcall.core.errors import InputError, suggestion
from rightcall.core.text import one_line
from rightcall.datasets.goldens import load_goldens
from rightcall.limbs.traces.checks import DEFAULT, CheckedAgent, run_checks
from rightcall.limbs.traces.reader import FILE, is_trace_export, load_traces
from rightcall.limbs.traces.trace import Trace, trace_to_keep
from rightcall.records.golden import names_agents, request_of
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


def recorded_goldens(goldens: Path, *recorded: Path) -> tuple[list[RecordedTrajectory], int] | None:
    """What was recorded for each golden, and how many traces have none; None when a file holds no traces."""
    if not all(map(is_trace_export, recorded)):
        return None
    by_trace: dict[str, str] = {}
    by_input: dict[str, str] = {}
    ids: dict[str, bool] = {}  # whether the golden is about the calls of all agents
    for golden in load_goldens(goldens):
        ids[golden.id] = names_agents(golden)
        asked = " ".join(request_of(golden).split())
        by_input[asked] = "" if asked in by_input else golden.id  # a request of two goldens names neither
        origin = golden.metadata.get("trace")
        if isinstance(origin, dict) and isinstance(trace_id := origin.get("trace_id"), str):
            by_trace[trace_id] = golden.id
    rows = []
    left_out = 0
    for about_agents in sorted(set(ids.values())) or [False]:
        left_out = 0
        for trace in load_traces(*recorded, calls="all" if about_agents else "auto"):
            golden_id = trace.golden_id if trace.golden_id in ids else by_trace.get(trace.trace_id)
            trial = trace.trial
            if golden_id is None and FILE in trace.resource:
                golden_id, trial = _golden_of_transcript(trace, ids, by_input)
            if golden_id is None:
                left_out += 1
            elif ids[golden_id] == about_agents:
                rows.append(RecordedTrajectory(golden_id, trace.trajectory, trial))
    return rows, left_out


def _golden_of_transcript(
    trace: Trace, ids: Mapping[str, object], by_input: Mapping[str, str]
) -> tuple[str, int | None]:
    """The golden that a transcript is named after, or that asks the same; `ID.2.jsonl` is the second trial of `ID`."""
    stem = str(trace.resource[FILE])
    name, _, number = stem.rpartition(".")
    if stem in ids:
        return stem, None
    if name in ids and number.isdecimal() and int(number):
        return name, int(number) - 1
    if golden_id := by_input.get(" ".join(trace.input.split())):
        return golden_id, None
    hint = suggestion(stem, ids) or "call it after its golden: ID.jsonl, or ID.2.jsonl for another trial"
    begins = f"begins with {one_line(trace.input, 80)!r}" if trace.input else "does not say what was asked"
    raise InputError(stem, f"the transcript {begins} and is called after no golden", hint)
