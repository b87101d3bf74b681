"""What is known of goldens from runs and files together: right behaviour, and the votes of agents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike

from rightcall.improve.doubt_decisions import marks_of_kept
from rightcall.improve.past_files import PastFiles
from rightcall.improve.past_runs import (
    PastCase,
    PastRuns,
    ballots_of,
    known_behaviour,
    named_runs,
    newest_runs,
)
from rightcall.improve.votes import Ballots, Voter, voters_of
from rightcall.model.golden import AnyGolden
from rightcall.model.record import Record
from rightcall.run.rehearsal.known_good import KnownBehaviour
from rightcall.store.address import open_store, store_address


class Electorate(Record, frozen=True):
    """Who votes, and who is `below_half` of the suite. Goldens `changed` since a run; doubts that were `kept` out."""

    voting: tuple[str, ...] = ()
    below_half: tuple[str, ...] = ()
    changed: int = 0
    kept: int = 0


@dataclass
class PastEvidence:
    """Runs of a store and files of trajectories. `settled` are the marks of doubts that were decided."""

    runs: PastRuns | None = None
    files: PastFiles = field(default_factory=lambda: PastFiles(()))
    settled: frozenset[str] = frozenset()

    def cases(self, golden: AnyGolden) -> list[PastCase]:
        """What agents did on a golden."""
        return [*(self.runs(golden) if self.runs else ()), *self.files(golden)]

    def known(self, golden: AnyGolden) -> list[KnownBehaviour]:
        """What passed."""
        return known_behaviour(self.cases(golden))

    def ballots(self) -> Ballots:
        """The votes of the agents that pass at least half."""
        return ballots_of(self.cases, self._rates())

    def electorate(self, kept: int = 0) -> Electorate:
        """Who votes and who does not."""
        rates = self._rates()
        voters = voters_of(rates)
        names = {voter: "/".join(filter(None, (voter.of_family, voter.name))) for voter in rates}
        return Electorate(
            tuple(sorted(names[voter] for voter in voters)),
            tuple(sorted(names[voter] for voter in rates if voter not in voters)),
            len(self.runs.changed) if self.runs else 0,
            kept,
        )

    def _rates(self) -> dict[Voter, tuple[int, int]]:
        rates = dict(self.runs.rates()) if self.runs else {}
        for voter, (passed, judged) in self.files.rates().items():
            before = rates.get(voter, (0, 0))
            rates[voter] = before[0] + passed, before[1] + judged
        return rates


@contextmanager
def past_evidence(
    name: str,
    *,
    runs: Sequence[str] = (),
    every: bool = False,
    trajectories: Sequence[str] = (),
    families: Mapping[str, str] | None = None,
    store: str | PathLike[str] | None = None,
) -> Iterator[PastEvidence]:
    """Of these runs, or of the newest or `every` run of the suite `name`; without a store, of files alone."""
    files = PastFiles(trajectories, families)
    file = store_address(store).file
    if not runs and file is not None and not file.exists():
        yield PastEvidence(None, files)
        return
    with open_store(store, must_exist=bool(runs)) as opened:
        chosen = named_runs(opened, runs)
        if not runs and name:
            chosen = newest_runs(opened, name, every=every)
        yield PastEvidence(PastRuns(opened, chosen, families), files, marks_of_kept(opened))
