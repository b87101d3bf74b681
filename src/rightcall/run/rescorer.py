"""Scores a stored run again with other metrics or rules, and stores the result as a new run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import msgspec

from rightcall.core.event_loop import run_blocking
from rightcall.datasets.review import refuse_unreviewed
from rightcall.decide.verdict import Verdict
from rightcall.metrics.score_case import Scorer
from rightcall.metrics.tally import Tally
from rightcall.recording.judged_trial import tape_judges
from rightcall.recording.library import Recordings
from rightcall.records.golden import AnyGolden, Golden
from rightcall.records.run import CaseResult, Run, Summary
from rightcall.records.score import Score
from rightcall.records.tool import Tool
from rightcall.run.answers import verdict_by_answers
from rightcall.run.conclude import verdict_without_gate, with_verdict
from rightcall.run.gate_evidence import facts_of_run, results_of_run
from rightcall.run.plan import scorer_fingerprint
from rightcall.run.run_judges import judges_document, with_judges
from rightcall.run.run_record import new_run, tools_of_run
from rightcall.store.address import Persistence, open_store
from rightcall.store.base import Key, StoredRun
from rightcall.store.sql.store import Store

BATCH = 100
SHARD = 5_000


@dataclass(frozen=True)
class RescoreShard:
    """Some results of a run, to be scored again by any process that can open the store."""

    keys: tuple[Key, ...]
    goldens: Mapping[str, AnyGolden]


@dataclass(frozen=True)
class RescoreTask:
    """Scores a shard of a stored run again and stores the results; running it twice changes nothing."""

    store: str
    old: str
    new: str
    epoch: int
    scorer: Scorer
    tools: Mapping[str, Tool]

    def __call__(self, shard: RescoreShard) -> None:
        with open_store(self.store, must_exist=True) as store:
            stored = store.runs.results_of(self.old, shard.keys, trajectories=True)
            writer = store.runs.join(self.new, epoch=self.epoch)
            results = run_blocking(_score_again(stored.values(), shard.goldens, self.tools, self.scorer))
            Persistence()(lambda: writer.add(results))


Spread = Callable[[RescoreTask, Sequence[RescoreShard]], Iterator[None]]
"""Scores the shards of a run elsewhere, in any order; yields as each one finishes."""


async def rescore_run(
    store: Store,
    run: str,
    scorer: Scorer,
    *,
    goldens: Iterable[AnyGolden] = (),
    spread: Spread | None = None,
    recordings: Recordings | None = None,
) -> tuple[str, Summary, Verdict]:
    """Score every stored trajectory of a run; returns the new run's id, summary and verdict.

    Judges are recorded in `recordings`, or replayed from them, where scoring is not spread.
    `goldens` replace stored ones with the same id, which have lost any functions they contained. `spread` scores shards
    of the run elsewhere [default: one after the other, here].
    """
    with tape_judges(recordings, Golden(""), 0):  # a replay needs no key of a judge
        await scorer.require_ready()
    old = store.runs.get(run)
    goldens_by_id = {golden.id: golden for golden in store.runs.goldens(old.id)}
    goldens_by_id |= {
        golden.id: golden for golden in refuse_unreviewed(goldens) if golden.id in goldens_by_id
    }
    tools = tools_of_run(store, old)
    judges = judges_document(scorer)
    new = with_judges(_new_run(old, scorer), judges)
    writer = store.runs.begin(new, planned=old.results, documents=judges)
    writer.add_goldens(list(goldens_by_id.values()))
    tally = Tally(scorer.names)
    if spread is not None:
        place = str(store.file.resolve()) if store.file else store.url
        task = RescoreTask(place, old.id, new.id, writer.epoch, scorer=scorer, tools=tools)
        for _ in spread(task, list(_shards(store.runs.result_keys(old.id), goldens_by_id))):
            pass
        tally.add_all(results_of_run(store, new.id))
    else:
        stream = store.runs.results(old.id, trajectories=True)
        while batch := list(islice(stream, BATCH)):
            results = await _score_again(batch, goldens_by_id, tools, scorer, recordings=recordings)
            writer.add(results)
            tally.add_all(results)
    before = old.run.summary
    kept = ("stopped_early", "worst_case", "failed_tools", "keeps_state")
    as_before: Any = {name: getattr(before, name) for name in kept if before is not None}
    summary = msgspec.structs.replace(tally.summary(), **as_before)
    verdict = verdict_by_answers(
        verdict_without_gate(summary, facts_of_run(store, new).get("judged")), store, new.id, old.run.agent
    )
    summary = with_verdict(summary, verdict)
    store.runs.finish(new.id, summary, verdict.word)
    return new.id, summary, verdict


async def _score_again(
    results: Iterable[CaseResult],
    goldens: Mapping[str, AnyGolden],
    tools: Mapping[str, Tool],
    scorer: Scorer,
    recordings: Recordings | None = None,
) -> list[CaseResult]:
    return [await _again(result, goldens, tools, scorer, recordings=recordings) for result in results]


async def _again(
    result: CaseResult,
    goldens: Mapping[str, AnyGolden],
    tools: Mapping[str, Tool],
    scorer: Scorer,
    recordings: Recordings | None,
) -> CaseResult:
    golden = goldens.get(result.golden_id)
    trajectory = result.trajectory
    if golden is None or trajectory is None:
        what = "golden" if golden is None else "trajectory"
        error = result.error or f"the {what} of this case was not stored, so it cannot be rescored"
        overall = {"overall": Score.broken(error)}
        return msgspec.structs.replace(
            result, passed=False, score=0.0, metrics=overall, codes=(), error=error, checked=True
        )
    with tape_judges(recordings, golden, result.trial, keep_others=True):
        scored = await scorer.result(golden, result.trial, trajectory, tools)
    return msgspec.structs.replace(scored, trajectory=trajectory, first_request=result.first_request)


def _new_run(old: StoredRun, scorer: Scorer) -> Run:
    name = f"{old.run.name} (rescored)"
    new = new_run(name, old.run.agent, fingerprints={})
    fingerprints = {kind: text for kind, text in old.run.fingerprints.items() if kind != "measures"}
    return msgspec.structs.replace(
        old.run,
        id=new.id,
        name=name,
        group=name,
        started_at=new.started_at,
        finished_at=None,
        summary=None,
        fingerprints=fingerprints | {"metrics": scorer_fingerprint(scorer)},
        settings={**old.run.settings, "rescored": old.id},
    )


def _shards(keys: Iterable[Key], goldens: Mapping[str, AnyGolden]) -> Iterator[RescoreShard]:
    """The results of a run in the order of their goldens, some at a time, each shard with the goldens it needs."""
    stream = iter(keys)
    while some := tuple(islice(stream, SHARD)):
        needed = {golden_id for golden_id, _ in some}
        yield RescoreShard(some, {name: goldens[name] for name in needed if name in goldens})
