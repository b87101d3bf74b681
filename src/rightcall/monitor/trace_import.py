"""Traces of files into the store, or into files of trajectories and goldens to review; one at a time."""

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
from rightcall.store import Store
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
        """The traces that tell of an agent; all are counted."""
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
    """Check the traces and keep them in the store, where they wait for review."""
    found, candidates = Imported(), CandidateSpool()
    stream = found.useful_of(map(clean, traces))
    while batch := list(islice(stream, AT_ONCE)):
        kept = []
        for trace in batch:
            candidates.add(trace)
            checks = run_checks(DEFAULT, trace, CheckedAgent())
            agent = trace.service or trace.agent or "agent"
            kept.append(kept_trace(trace, agent, checks, any(check.bad for check in checks), queue=True))
        store.keep_traces(kept)
    found.candidates = candidates.count
    return found
