"""A stored run, scored again: the same trajectories by other metrics or rules, kept as a new run."""

from __future__ import annotations

import datetime
import secrets
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from rightcall.errors import ConfigError
from rightcall.gate import Verdict
from rightcall.metrics import Scorer, Tally
from rightcall.model import codec
from rightcall.model.golden import AnyGolden
from rightcall.model.run import CaseResult, Run, Summary
from rightcall.model.score import Score
from rightcall.model.tool import Tool
from rightcall.store import Store, StoredRun
from rightcall.suite.outcome import verdict_without_gate
from rightcall.suite.plan import scorer_fingerprint

BATCH = 100


async def rescore_run(
    store: Store, run: str, scorer: Scorer, *, goldens: Iterable[AnyGolden] = ()
) -> tuple[str, Summary, Verdict]:
    """Score every stored trajectory of a run; the id of the new run, what it adds up to, the verdict.

    `goldens` stand in for stored ones of the same id, which have lost the functions they were made with.
    """
    problems = await scorer.problems()
    if problems:
        raise ConfigError(*problems)
    old = store.run(run)
    known = {golden.id: golden for golden in store.goldens(old.id)}
    known |= {golden.id: golden for golden in goldens if golden.id in known}
    tools = stored_tools(store, old)
    new = _begun(old, scorer)
    writer = store.begin_run(new, planned=old.results)
    writer.add_goldens(list(known.values()))
    tally = Tally(scorer.names)
    for batch in _batches(store.results(old.id, trajectories=True)):
        results = [await _again(result, known, tools, scorer) for result in batch]
        writer.add(results)
        for result in results:
            tally.add(result)
    summary = tally.summary()
    verdict = verdict_without_gate(summary)
    store.finish_run(new.id, summary, verdict.word)
    return new.id, summary, verdict


def stored_tools(store: Store, run: StoredRun) -> dict[str, Tool]:
    """The tools a run was made with; none when the store does not hold them."""
    fingerprint = run.run.fingerprints.get("tools", "")
    content = store.document("tools", fingerprint) if fingerprint else None
    tools = codec.decode(content, list[Tool], f"tools of run {run.id}") if content else []
    return {tool.name: tool for tool in tools}


async def _again(
    result: CaseResult, goldens: Mapping[str, AnyGolden], tools: Mapping[str, Tool], scorer: Scorer
) -> CaseResult:
    golden, trajectory = goldens.get(result.golden_id), result.trajectory
    if golden is None or trajectory is None:
        what = "golden" if golden is None else "trajectory"
        error = result.error or f"the {what} of this case was not kept, so it cannot be scored again"
        overall = {"overall": Score.broken(error)}
        return msgspec.structs.replace(
            result, passed=False, score=0.0, metrics=overall, codes=(), error=error
        )
    scored = await scorer.result(golden, result.trial, trajectory, tools)
    return msgspec.structs.replace(scored, trajectory=trajectory)


def _begun(old: StoredRun, scorer: Scorer) -> Run:
    now = datetime.datetime.now(datetime.UTC)
    name = f"{old.run.name} (rescored)"
    fingerprints = {kind: text for kind, text in old.run.fingerprints.items() if kind != "measures"}
    return msgspec.structs.replace(
        old.run,
        id=f"{now:%y%m%d-%H%M%S}-{secrets.token_hex(3)}",
        name=name,
        group=name,
        started_at=now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        finished_at=None,
        summary=None,
        fingerprints=fingerprints | {"metrics": scorer_fingerprint(scorer)},
        settings={**old.run.settings, "rescored": old.id},
    )


def _batches(results: Iterable[CaseResult]) -> Iterator[list[CaseResult]]:
    batch: list[CaseResult] = []
    for result in results:
        batch.append(result)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
