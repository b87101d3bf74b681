"""The scores of a stored run, sent as OpenTelemetry events."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

import msgspec

from rightcall.core.errors import InfrastructureError
from rightcall.limbs.traces.otlp_receiver import JSON
from rightcall.limbs.traces.redaction import Redactor
from rightcall.records.golden import AnyGolden
from rightcall.records.run import CaseResult
from rightcall.records.score import Score
from rightcall.store.base import StoredRun
from rightcall.store.sql.store import Store

NAME = "gen_ai.evaluation.result"
LONGEST = 1000
SCOPE = "rightcall"


class Evaluation(msgspec.Struct, frozen=True):
    """One score of one trace or trial."""

    name: str
    score: Score
    trace_id: str = ""
    span_id: str = ""
    attributes: dict[str, str | int | float] = {}


def attributes_of(evaluation: Evaluation, clean: Callable[[str], str]) -> dict[str, Any]:
    """The attributes of the event. `clean` redacts the explanation."""
    score = evaluation.score
    attributes: dict[str, Any] = {"gen_ai.evaluation.name": evaluation.name}
    if score.error:
        attributes["error.type"] = score.error.split(":")[0][:100]
    else:
        attributes["gen_ai.evaluation.score.value"] = float(score.value)
        attributes["gen_ai.evaluation.score.label"] = "pass" if score.passed else "fail"
    if explanation := score.error or score.reason:
        attributes["gen_ai.evaluation.explanation"] = clean(explanation)[:LONGEST]
    return attributes | evaluation.attributes


def logs_request(
    evaluations: Iterable[Evaluation], clean: Callable[[str], str], *, now: int | None = None
) -> bytes:
    """An ExportLogsServiceRequest, in JSON, with one record for each evaluation."""
    at = str(time.time_ns() if now is None else now)
    records = [_record(evaluation, attributes_of(evaluation, clean), at) for evaluation in evaluations]
    scoped = {"scope": {"name": SCOPE}, "logRecords": records}
    resource = {"attributes": _pairs({"service.name": SCOPE})}
    return msgspec.json.encode({"resourceLogs": [{"resource": resource, "scopeLogs": [scoped]}]})


def _record(evaluation: Evaluation, attributes: Mapping[str, Any], at: str) -> dict[str, Any]:
    number, word = (13, "WARN") if evaluation.score.error else (9, "INFO")
    record = {"timeUnixNano": at, "observedTimeUnixNano": at, "severityNumber": number, "severityText": word,
              "eventName": NAME, "attributes": _pairs(attributes)}  # fmt: skip
    if _is_hex(evaluation.trace_id, 32) and _is_hex(evaluation.span_id, 16):
        record |= {"traceId": evaluation.trace_id, "spanId": evaluation.span_id}
    return record


def _pairs(attributes: Mapping[str, str | int | float]) -> list[dict[str, Any]]:
    """Attributes as OTLP writes them."""
    kinds = {bool: "boolValue", int: "intValue", float: "doubleValue", str: "stringValue"}
    values = ((name, kinds[type(value)], value) for name, value in attributes.items())
    return [{"key": name, "value": {kind: str(v) if kind == "intValue" else v}} for name, kind, v in values]


def _is_hex(value: str, size: int) -> bool:
    return len(value) == size and all(c in "0123456789abcdef" for c in value)


async def send(url: str, path: str, body: bytes) -> None:
    """POST to an OTLP endpoint (base or full URL); `InfrastructureError` when it is rejected."""
    import aiohttp

    target = url if url.rstrip("/").endswith(path) else url.rstrip("/") + path
    try:
        timeout = aiohttp.ClientTimeout(total=30)
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(target, data=body, headers={"content-type": JSON}) as reply,
        ):
            if not 200 <= reply.status < 300:
                raise InfrastructureError(f"{target} answered {reply.status}; is it an OTLP/HTTP endpoint?")
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        raise InfrastructureError(f"{target} is unreachable: {error}") from None


AT_ONCE = 200


async def export_run(store: Store, run: str, url: str) -> int:
    """Send every score of a run; returns how many."""
    stored_run = store.runs.get(run)
    clean = Redactor(store.traces.redaction_key()).text
    sent = 0
    stream = iter(store.runs.results(stored_run.id, trajectories=False))
    while results := list(islice(stream, AT_ONCE)):
        goldens = {g.id: g for g in store.runs.goldens(stored_run.id, [r.golden_id for r in results])}
        scores = list(
            chain.from_iterable(evaluations_of(stored_run, r, goldens.get(r.golden_id)) for r in results)
        )
        await send(url, "/v1/logs", logs_request(scores, clean))
        sent += len(scores)
    return sent


def evaluations_of(run: StoredRun, result: CaseResult, golden: AnyGolden | None) -> Iterator[Evaluation]:
    """The scores of one trial. Their parent is the trace that its golden came from."""
    origin: dict[str, Any] = golden.metadata.get("trace", {}) if golden is not None else {}
    trace_id = str(origin.get("trace_id", ""))
    span_id = str(origin.get("root_span", ""))
    about: dict[str, str | int | float] = {
        "rightcall.run.id": run.id,
        "rightcall.golden.id": result.golden_id,
        "rightcall.trial": result.trial,
    }
    for name, score in result.metrics.items():
        yield Evaluation(name, score, trace_id, span_id, attributes=about)
