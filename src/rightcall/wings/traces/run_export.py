"""The scores of a stored run, sent as OpenTelemetry events, optionally with spans of its trials."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from rightcall.core.digest import hex_digest
from rightcall.model.golden import AnyGolden
from rightcall.model.run import CaseResult
from rightcall.store.base import StoredRun
from rightcall.store.sql.store import Store
from rightcall.wings.traces.events import Evaluation, RunSpan, logs_request, send, spans_request
from rightcall.wings.traces.redaction import Redactor

AT_ONCE = 200


async def export_run(store: Store, run: str, url: str, *, spans: bool = False) -> int:
    """Send every score of a run; returns how many."""
    stored_run = store.runs.get(run)
    clean = Redactor(store.traces.redaction_key()).text
    sent = 0
    if spans:
        await send(url, "/v1/traces", spans_request([_run_span(stored_run)]))
    for results in _batches(store.runs.results(stored_run.id, trajectories=False)):
        if spans:
            await send(
                url, "/v1/traces", spans_request(_trial_span(stored_run, result) for result in results)
            )
        goldens = {g.id: g for g in store.runs.goldens(stored_run.id, [r.golden_id for r in results])}
        scores = [
            e
            for r in results
            for e in evaluations_of(stored_run, r, goldens.get(r.golden_id), own_span=spans)
        ]
        await send(url, "/v1/logs", logs_request(scores, clean))
        sent += len(scores)
    return sent


def evaluations_of(
    run: StoredRun, result: CaseResult, golden: AnyGolden | None, *, own_span: bool
) -> Iterator[Evaluation]:
    """The scores of one trial. Their parent is the trial's span, otherwise the trace that its golden came from."""
    origin: dict[str, Any] = golden.metadata.get("trace", {}) if golden is not None else {}
    trace_id, span_id = str(origin.get("trace_id", "")), str(origin.get("root_span", ""))
    if own_span:
        trace_id, span_id = _digest(run.id, 32), _digest(f"{run.id}/{result.golden_id}/{result.trial}", 16)
    about: dict[str, str | int | float] = {
        "rightcall.run.id": run.id,
        "rightcall.golden.id": result.golden_id,
        "rightcall.trial": result.trial,
    }
    for name, score in result.metrics.items():
        yield Evaluation(name, score, trace_id, span_id, attributes=about)


def _batches(results: Iterable[CaseResult]) -> Iterator[list[CaseResult]]:
    stream = iter(results)
    while batch := list(islice(stream, AT_ONCE)):
        yield batch


def _run_span(run: StoredRun) -> RunSpan:
    start = _nanoseconds(run.run.started_at)
    return RunSpan(_digest(run.id, 32), _digest(f"run/{run.id}", 16), "rightcall.run", start, start + 1,
                   attributes={"rightcall.run.id": run.id, "gen_ai.agent.name": run.run.agent})  # fmt: skip


def _trial_span(run: StoredRun, result: CaseResult) -> RunSpan:
    start = _nanoseconds(run.run.started_at)
    taken = int((result.latency_ms or 0) * 1e6)
    return RunSpan(
        _digest(run.id, 32),
        _digest(f"{run.id}/{result.golden_id}/{result.trial}", 16),
        "rightcall.trial",
        start,
        start + taken,
        _digest(f"run/{run.id}", 16),
        bool(result.error),
        {"rightcall.golden.id": result.golden_id, "rightcall.trial": result.trial},
    )


def _digest(text: str, size: int) -> str:
    return hex_digest(text, size)


def _nanoseconds(text: str) -> int:
    return int(datetime.datetime.fromisoformat(text).timestamp() * 1e9)
