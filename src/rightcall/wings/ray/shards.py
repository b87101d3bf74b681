"""Scoring recorded behaviour in shards: many tasks, one result, the same to the last bit as in one process.

A shard is a range of lines of a file, or of row groups of a Parquet file. It writes `part-00017.jsonl`, then
`part-00017.tally`, each by a rename: a shard that runs twice overwrites itself, one that has a tally is done, so the
same command resumes. Where goldens are attacks, it writes `part-00017.safety` before: what a report of safety reads.
"""

from __future__ import annotations

import functools
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count, islice
from pathlib import Path
from typing import BinaryIO, TypeVar, cast

import msgspec

from rightcall.api.recorded_scores import mentions_attacks
from rightcall.core.codec import decode, describe_value, encode_as
from rightcall.core.digest import hex_digest
from rightcall.core.errors import ConfigError, InputError, RightCallError
from rightcall.datasets.goldens import load_goldens
from rightcall.datasets.index import GoldenIndex
from rightcall.datasets.review import refuse_unreviewed
from rightcall.datasets.trajectories import lines_before, trajectories_between, trajectory_ranges
from rightcall.files.atomic import atomic_write
from rightcall.files.checked_read import require_file
from rightcall.metrics.passes import stable_hash
from rightcall.metrics.safety.endless import EndlessTasks
from rightcall.metrics.score_case import Scorer
from rightcall.metrics.tally import Tally
from rightcall.model.floor import Floor
from rightcall.model.golden import AnyGolden
from rightcall.model.run import CaseResult, Summary
from rightcall.model.safety import MARK
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory
from rightcall.run.floor import floor_of_recorded, too_many
from rightcall.run.recorded_scores import Visit, score_pairs
from rightcall.show.rows import write_rows
from rightcall.show.view.safety import SafetyView, SafetyViewTally
from rightcall.wings.ray.hash_buckets import HashBuckets

SHARD_BYTES = 64 * 2**20
INDEX, SETUP = "goldens.index", "shards.json"
NAMED, AT_A_TIME = 3, 1_000_000
SUFFIXES = (".jsonl", ".parquet")


@dataclass(frozen=True)
class Scoring:
    """What is scored and how; the same for every shard. Every task must be able to read the files.

    `attacks` says that goldens may be attempts, and `endless` has tasks that are known to reach a limit without one.
    """

    goldens: Path
    scorer: Scorer
    tools: tuple[Tool, ...]
    out: Path
    include_unreviewed: bool = False
    attacks: bool = False
    endless: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Shard:
    """A range of lines of a file of trajectories."""

    number: int
    path: Path
    start: int
    end: int

    def part(self, out: Path, suffix: str) -> Path:
        return out / f"part-{self.number:05}.{suffix}"


class ShardKind(msgspec.Struct, frozen=True):
    """Whether all trials of a shard are independent, which must be known of all shards before they are merged."""

    apart: bool


class ShardTally(ShardKind, frozen=True):
    """What a finished shard counted. `cases` are hashes of golden and trial, `goldens` of ids, sorted, as int64."""

    tally: bytes
    cases: bytes
    goldens: bytes


class ShardedScores(msgspec.Struct, frozen=True):
    """The summary of all shards, how many there were, how many goldens had no trajectory, and what attacks did."""

    summary: Summary
    shards: int
    left_out: int
    safety: SafetyView | None = None


Run = Callable[[Callable[[Shard], None], Sequence[Shard]], Iterator[None]]
"""Scores shards elsewhere, in any order; yields as each one finishes."""


def score_shards(
    scoring: Scoring,
    trajectories: Path,
    *,
    run: Run = map,
    shard_bytes: int = SHARD_BYTES,
    partial: bool = False,
    done: Callable[[int, int], None] = lambda finished, all_of_them: None,
) -> ShardedScores:
    """Score every shard that is not done, then add them up."""
    scoring.out.mkdir(parents=True, exist_ok=True)
    numbers = count()
    shards = [
        Shard(next(numbers), path, start, end)
        for path in _files(trajectories)
        for start, end in trajectory_ranges(path, shard_bytes)
    ]
    _same_setup(scoring, trajectories, shards)
    if not (scoring.out / INDEX).exists():
        try:
            _write_index(scoring)
        except RightCallError:
            (scoring.out / SETUP).unlink()  # nothing was scored: the corrected files may use the folder
            raise
    scoring = replace(scoring, attacks=mentions_attacks(scoring.goldens))
    suffixes = ("tally", "safety") if scoring.attacks else ("tally",)
    open_shards = [
        shard for shard in shards if not all(shard.part(scoring.out, suffix).exists() for suffix in suffixes)
    ]
    finished = len(shards) - len(open_shards)
    for _ in run(functools.partial(score_shard, scoring), open_shards):
        finished += 1
        done(finished, len(shards))
    if scoring.attacks:
        endless, unsettled = _unsettled(scoring, shards)
        for _ in run(functools.partial(score_shard, replace(scoring, endless=endless)), unsettled):
            pass
    return _merge(scoring, shards, trajectories, partial)


def score_shard(scoring: Scoring, shard: Shard) -> None:
    """Score the lines of one shard and write its two files."""
    tally = Tally(scoring.scorer.names, stable=True)
    with GoldenIndex.read(scoring.out / INDEX) as index:
        pairs = _Pairs(scoring, shard, index)
        with atomic_write(shard.part(scoring.out, "jsonl")) as file, _safety_file(scoring, shard) as visit:
            results = score_pairs(
                pairs, scoring.goldens, tools=scoring.tools, scorer=scoring.scorer, visit=visit
            )
            tools = {tool.name: tool for tool in scoring.tools}
            write_rows(tally.watch(results), cast(BinaryIO, file), tools)
    cases, goldens = (array("q", sorted(hashes)).tobytes() for hashes in (pairs.cases, pairs.met))
    counted = ShardTally(tally.apart, tally.state(), cases, goldens)
    with atomic_write(shard.part(scoring.out, "tally")) as file:
        file.write(msgspec.msgpack.encode(counted))


@contextmanager
def _safety_file(scoring: Scoring, shard: Shard) -> Iterator[Visit | None]:
    """Settles the attempts of a shard, and writes of each result what a report of safety reads."""
    if not scoring.attacks:
        yield None
        return
    endless = EndlessTasks(scoring.endless)
    with atomic_write(shard.part(scoring.out, "safety")) as file:

        def visit(golden: AnyGolden, result: CaseResult) -> CaseResult:
            settled = endless.settle(result)
            metrics = {name: settled.metrics[name] for name in ("resisted",) if name in settled.metrics}
            trajectory = settled.trajectory if golden.safety is not None else None
            kept = msgspec.structs.replace(settled, metrics=metrics, trajectory=trajectory)
            file.write(encode_as(kept, describe_value) + b"\n")
            return settled

        yield visit


def _safety_results(scoring: Scoring, shard: Shard) -> Iterator[CaseResult]:
    path = shard.part(scoring.out, "safety")
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            yield decode(line, CaseResult, f"{path}:{number}")


def _unsettled(scoring: Scoring, shards: Iterable[Shard]) -> tuple[frozenset[str], list[Shard]]:
    """All tasks that reach a limit without an attack, and the shards whose attempts must be scored knowing them."""
    endless, homes = EndlessTasks(), dict[tuple[str, int], Shard]()
    for shard in shards:
        for result in _safety_results(scoring, shard):
            endless.add(result)
            if any(failure.code == "runaway" for failure in result.codes):
                homes[result.golden_id, result.trial] = shard
    return endless.tasks, list(dict.fromkeys(homes[trial] for trial in endless.unsettled()))


def _safety_view(scoring: Scoring, shards: Iterable[Shard], index: GoldenIndex) -> SafetyView | None:
    """What attacks did, over all shards; None when none of the goldens is an attempt."""
    tally = SafetyViewTally({tool.name: tool for tool in scoring.tools})
    for shard in shards:
        for result in _safety_results(scoring, shard):
            entry = index.find(result.golden_id) if MARK in result.golden_id else None
            tally.add(entry[0] if entry is not None else None, result)
    return tally.view() if tally.used else None


class _Pairs:
    """Trajectories of a shard with their goldens, and what must be known to find repeats among all shards."""

    def __init__(self, scoring: Scoring, shard: Shard, index: GoldenIndex) -> None:
        self._scoring, self._shard, self._index = scoring, shard, index
        self.cases, self.met = array("q"), set[int]()

    def __iter__(self) -> Iterator[tuple[AnyGolden, int, Trajectory]]:
        shard = self._shard
        entry: tuple[AnyGolden, str] | None = None
        for line, recorded in trajectories_between(shard.path, shard.start, shard.end):
            if entry is None or entry[0].id != recorded.golden_id:
                entry = self._index.find(recorded.golden_id)
            if entry is None:
                raise InputError(
                    f"{shard.path}:{lines_before(shard.path, shard.start) + line}",
                    f"golden_id '{recorded.golden_id}' is not in {self._scoring.goldens}",
                    "are these the right two files?",
                )
            trial = recorded.trial or 0
            self.cases.append(stable_hash(f"{trial}/{recorded.golden_id}"))
            self.met.add(stable_hash(entry[1]))
            yield entry[0], trial, recorded.trajectory


def _merge(scoring: Scoring, shards: Sequence[Shard], trajectories: Path, partial: bool) -> ShardedScores:
    """All shards merged. Memory grows with rows only where trials must be grouped, by golden or by cluster."""
    whole = Tally(scoring.scorer.names, stable=True)
    apart = all(_read(scoring, shard, ShardKind).apart for shard in shards)
    with HashBuckets(scoring.out) as cases, HashBuckets(scoring.out) as met:
        for shard in shards:
            counted = _read(scoring, shard, ShardTally)
            whole.merge(Tally.from_state(counted.tally, apart=apart))
            cases.add(array("q", counted.cases))
            met.add(array("q", counted.goldens))
        if cases.repeated():
            raise InputError(
                str(trajectories),
                "a golden has several trajectories with the same trial, or without one",
                'number them, {"golden_id": …, "trial": 1}: shards cannot count what came before',
            )
        with GoldenIndex.read(scoring.out / INDEX) as index:
            missing, names = _missing(index, met, scoring.out)
            goldens = index.count()
            safety = _safety_view(scoring, shards, index) if scoring.attacks else None
    if missing and not partial:
        listed = ", ".join(f"'{name}'" for name in names) + (", …" if missing > len(names) else "")
        subject = "1 golden has" if missing == 1 else f"{missing:,} goldens have"
        problem = f"{subject} no trajectory in {trajectories}: {listed}"
        raise InputError(str(scoring.goldens), problem, "record them too, or skip them with --partial")
    summary = msgspec.structs.replace(whole.summary(), floor=_floor(scoring, goldens, missing))
    return ShardedScores(summary, len(shards), missing, safety)


def _floor(scoring: Scoring, goldens: int, missing: int) -> Floor:
    """What trivial agents pass of the same goldens."""
    if missing:
        return Floor(skipped="not every golden has a trajectory")
    tools = {tool.name: tool for tool in scoring.tools}
    few = too_many(goldens, asked=False)
    return few or floor_of_recorded(load_goldens(scoring.goldens), scoring.scorer, tools)


def _missing(index: GoldenIndex, met: HashBuckets, folder: Path) -> tuple[int, list[str]]:
    """How many goldens have no trajectory, and the first of them."""
    if met.distinct() == index.count():
        return 0, []
    with HashBuckets(folder) as buckets:
        ids = index.ids()
        while some := sorted(map(stable_hash, islice(ids, AT_A_TIME))):
            buckets.add(array("q", some))
        missing, hashes = met.missing(buckets, AT_A_TIME)
    return missing, list(islice((name for name in index.ids() if stable_hash(name) in hashes), NAMED))


Kind = TypeVar("Kind", bound=msgspec.Struct)


def _read(scoring: Scoring, shard: Shard, kind: type[Kind]) -> Kind:
    return msgspec.msgpack.decode(shard.part(scoring.out, "tally").read_bytes(), type=kind)


def _same_setup(scoring: Scoring, trajectories: Path, shards: Iterable[Shard]) -> None:
    """Refuse a folder that holds parts of something else."""
    state = scoring.goldens.stat()
    told: dict[str, object] = {
        "goldens": [str(scoring.goldens.resolve()), state.st_size, state.st_mtime_ns],
        "trajectories": str(trajectories.resolve()),
        "metrics": [repr(metric) for metric in (*scoring.scorer.metrics, *scoring.scorer.observe)],
        "rules": repr(scoring.scorer.rules),
        "tools": hex_digest(msgspec.json.encode(scoring.tools)),
        "shards": [[str(shard.path.resolve()), shard.start, shard.end] for shard in shards],
    }
    if scoring.include_unreviewed:
        told["unreviewed"] = True  # another setup: the index was written without a look at reviews
    content, file = msgspec.json.encode(told), scoring.out / SETUP
    if file.exists() and file.read_bytes() != content:
        raise ConfigError(
            f"{scoring.out}: contains shards of other files, metrics or rules; name an empty folder with --out"
        )
    with atomic_write(file) as out:
        out.write(content)


def _write_index(scoring: Scoring) -> None:
    draft = scoring.out / f"{INDEX}.draft"
    draft.unlink(missing_ok=True)
    goldens = load_goldens(scoring.goldens)
    if not scoring.include_unreviewed:
        goldens = refuse_unreviewed(goldens, scoring.goldens)
    if GoldenIndex.write(draft, goldens) is None:
        raise InputError(str(scoring.goldens), "an id occurs twice", "give each golden its own id")
    draft.replace(scoring.out / INDEX)


def _files(trajectories: Path) -> list[Path]:
    paths = sorted(trajectories.iterdir()) if trajectories.is_dir() else [require_file(trajectories)]
    paths = [path for path in paths if path.suffix in SUFFIXES]
    if not paths:
        raise InputError(
            str(trajectories),
            "shards are cut from .jsonl and .parquet files",
            "name one, or a folder of them; other formats are scored without --on",
        )
    return paths
