"""Imports traces from files into the store, or into files of trajectories and goldens to review; one at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from rightcall.datasets import save_goldens, save_trajectories
from rightcall.model.trajectory import RecordedTrajectory
from rightcall.monitor.checks import CheckedAgent, run_checks
from rightcall.monitor.settings import DEFAULT
from rightcall.monitor.trace_record import kept_trace
from rightcall.store import SessionCount, Store, TraceRow
from rightcall.traces import CandidateSpool, Trace, candidate_id

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
    candidates: int = 0
    problems: Counter[str] = field(default_factory=Counter)

    def useful_of(self, traces: Iterable[Trace]) -> Iterator[Trace]:
        """The traces that contain an agent's work; all traces are counted."""
        for trace in traces:
            made = trace.trajectory
            self.traces += 1
            self.calls += len(made.calls)
            self.unknown_arguments += sum(call.arguments_unknown for call in made.calls)
            for text in trace.problems:
                if text in self.problems or len(self.problems) < MOST_KINDS:
                    self.problems[text] += 1
            if made.calls or made.output or made.messages:
                self.useful += 1
                yield trace


def import_to_folder(traces: Iterable[Trace], folder: Path, clean: Callable[[Trace], Trace]) -> Imported:
    """Write `trajectories.jsonl` and `candidates.jsonl`, what `clean` makes of each trace."""
    found, candidates = Imported(), CandidateSpool()
    folder.mkdir(parents=True, exist_ok=True)

    def recorded() -> Iterator[RecordedTrajectory]:
        for trace in found.useful_of(map(clean, traces)):
            candidates.add(trace)
            yield RecordedTrajectory(trace.golden_id or candidate_id(trace), trace.trajectory, trace.trial)

    save_trajectories(recorded(), folder / "trajectories.jsonl")
    save_goldens(candidates, folder / "candidates.jsonl")
    found.candidates = candidates.count
    return found


def import_to_store(traces: Iterable[Trace], store: Store, clean: Callable[[Trace], Trace]) -> Imported:
    """Check the traces and store them for review."""
    found, candidates, sessions = Imported(), CandidateSpool(), SessionTally()
    stream = found.useful_of(map(clean, traces))
    while batch := list(islice(stream, AT_ONCE)):
        kept = []
        for trace in batch:
            candidates.add(trace)
            checks = run_checks(DEFAULT, trace, CheckedAgent())
            agent = trace.service or trace.agent or "agent"
            kept.append(kept_trace(trace, agent, checks, any(check.bad for check in checks), queue=True))
        known = store.known_traces([each.row.trace_id for each in kept])
        store.keep_traces(kept)
        for each in kept:
            if each.row.trace_id not in known:
                known.add(each.row.trace_id)
                sessions.add(each.row)
    store.add_imported_sessions(sessions.counts())
    found.candidates = candidates.count
    return found


class SessionTally:
    """Counts a session once an hour, as the monitor does. Traces come oldest first, so one hour is held at a time."""

    def __init__(self) -> None:
        self._hour = ""
        self._open: dict[tuple[str, str, str, str], list[float]] = {}
        self._totals: dict[tuple[str, str, str], list[float]] = {}

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
