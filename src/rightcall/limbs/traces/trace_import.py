"""Imports traces from files into the store, or into files of trajectories and goldens to review; one at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import msgspec

from rightcall.datasets.goldens import load_goldens, save_goldens
from rightcall.datasets.trajectories import save_trajectories
from rightcall.limbs.traces.checks import DEFAULT, CheckedAgent, run_checks
from rightcall.limbs.traces.golden_candidate import CandidateSpool
from rightcall.limbs.traces.reader import is_trace_export, load_traces
from rightcall.limbs.traces.trace import Trace, candidate_id
from rightcall.limbs.traces.trace_record import trace_to_keep
from rightcall.records.golden import names_agents
from rightcall.records.trajectory import RecordedTrajectory
from rightcall.store.sql.store import Store
from rightcall.store.watch import SessionCount, TraceRow
from rightcall.tools.idempotency.owners import process_runs, this_process

AT_ONCE = 500
EMPTY = msgspec.msgpack.encode(("", [], []))
MOST_KINDS = 1000
"""Different problems that are counted; hostile files could make each one different."""


@dataclass
class Imported:
    """What an import found."""

    traces: int = 0
    useful: int = 0
    calls: int = 0
    unknown_arguments: int = 0
    candidates: int = 0
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


def import_to_folder(traces: Iterable[Trace], folder: Path) -> Imported:
    """Write `trajectories.jsonl` and `candidates.jsonl`."""
    outcome = Imported()
    candidates = CandidateSpool()
    folder.mkdir(parents=True, exist_ok=True)

    def read_trajectories() -> Iterator[RecordedTrajectory]:
        for trace in outcome.useful_of(traces):
            candidates.add(trace)
            yield RecordedTrajectory(trace.golden_id or candidate_id(trace), trace.trajectory, trace.trial)

    save_trajectories(read_trajectories(), folder / "trajectories.jsonl")
    save_goldens(candidates, folder / "candidates.jsonl")
    outcome.candidates = candidates.count
    return outcome


def import_to_store(traces: Iterable[Trace], store: Store) -> Imported:
    """Check the traces and store them for review. An import that was killed is continued: nothing counts twice."""
    outcome = Imported()
    candidates = CandidateSpool()
    name = this_process()
    interrupted = _interrupted_imports(store)
    sessions = SessionTally(interrupted.values())
    stream = outcome.useful_of(traces)
    while batch := list(islice(stream, AT_ONCE)):
        kept = []
        for trace in batch:
            candidates.add(trace)
            checks = run_checks(DEFAULT, trace, CheckedAgent())
            agent = trace.service or trace.agent or "agent"
            kept.append(trace_to_keep(trace, agent, checks, queue=True))
        known_ids = store.traces.ids_in_store([kept_row.row.trace_id for kept_row in kept])
        for kept_row in kept:
            if kept_row.row.trace_id not in known_ids:
                known_ids.add(kept_row.row.trace_id)
                sessions.add(kept_row.row)
        store.traces.keep(kept, {**dict.fromkeys(interrupted, EMPTY), name: sessions.packed()})
    store.traces.count_sessions(sessions.counts(), ended_imports=[name, *interrupted])
    outcome.candidates = candidates.count
    return outcome


def _interrupted_imports(store: Store) -> dict[str, bytes]:
    """What imports had counted that ended in this process, or with theirs, by the name of the process."""
    notes = store.traces.states("importing").items()
    return {name: note for name, note in notes if name == this_process() or process_runs(name) is False}


class SessionTally:
    """Counts a session once an hour, as the monitor does. Traces come oldest first, so one hour is held at a time.

    `before` are the packed tallies of imports that were interrupted: they are continued.
    """

    def __init__(self, before: Iterable[bytes] = ()) -> None:
        self._hour = ""
        self._open: dict[tuple[str, str, str, str], list[float]] = {}
        self._totals: dict[tuple[str, str, str], list[float]] = {}
        for note in before:
            hour, held, totals = msgspec.msgpack.decode(note)
            self._hour = max(self._hour, hour)
            for counts, rows in ((self._open, held), (self._totals, totals)):
                for place, numbers in rows:
                    old = counts.setdefault(tuple(place), [0.0, 0.0])
                    old[:] = [a + b for a, b in zip(old, numbers, strict=True)]

    def packed(self) -> bytes:
        """What has been counted, so that another process can continue."""
        return msgspec.msgpack.encode((self._hour, list(self._open.items()), list(self._totals.items())))

    def add(self, row: TraceRow) -> None:
        if row.started_at[:13] > self._hour:
            self._end()
            self._hour = row.started_at[:13]
        for check in row.checks:
            if check.bad is not None:
                place = (row.agent, row.version, check.name, row.session or row.trace_id)
                held = self._open.setdefault(place, [0.0, 0.0])
                held[0] += check.bad
                held[1] += 1

    def counts(self) -> list[SessionCount]:
        self._end()
        return [SessionCount(*place, int(total[0]), total[1]) for place, total in self._totals.items()]

    def _end(self) -> None:
        for (agent, version, name, _), (bad, count) in self._open.items():
            total = self._totals.setdefault((agent, version, name), [0.0, 0.0])
            total[0] += 1
            total[1] += bad / count
        self._open = {}


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
