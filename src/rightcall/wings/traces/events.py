"""Scores as OpenTelemetry events: `gen_ai.evaluation.result` log records for any backend, and spans of runs.

The mapping is that of pydantic-evals: a pass is value 1 and label `pass`, a score that is an error has no value, an
`error.type` and severity WARN. The parent is the span that was evaluated.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from rightcall.core.errors import InfrastructureError
from rightcall.model.score import Score
from rightcall.wings.traces.protobuf import fixed64, fixed_double, length, text, varint

NAME = "gen_ai.evaluation.result"
INFO, WARN = 9, 13
LONGEST = 1000
SCOPE = "rightcall"


class Evaluation(msgspec.Struct, frozen=True):
    """One score of one trace or trial. Without ids of a span it is joined by `response_id`."""

    name: str
    score: Score
    trace_id: str = ""
    span_id: str = ""
    response_id: str = ""
    attributes: dict[str, str | int | float] = {}


def attributes_of(evaluation: Evaluation, clean: Callable[[str], str]) -> dict[str, Any]:
    """The attributes of the event. `clean` redacts the explanation."""
    score = evaluation.score
    attributes: dict[str, Any] = {"gen_ai.evaluation.name": evaluation.name}
    if score.error:
        attributes["error.type"] = score.error.split(":")[0][:100]
        attributes["gen_ai.evaluation.explanation"] = clean(score.error)[:LONGEST]
    else:
        attributes["gen_ai.evaluation.score.value"] = float(score.value)
        attributes["gen_ai.evaluation.score.label"] = "pass" if score.passed else "fail"
        if score.reason:
            attributes["gen_ai.evaluation.explanation"] = clean(score.reason)[:LONGEST]
    if evaluation.response_id:
        attributes["gen_ai.response.id"] = evaluation.response_id
    return attributes | evaluation.attributes


def logs_request(
    evaluations: Iterable[Evaluation], clean: Callable[[str], str], *, now: int | None = None
) -> bytes:
    """An ExportLogsServiceRequest with one record for each evaluation."""
    at = time.time_ns() if now is None else now
    records = b"".join(length(2, _record(e, attributes_of(e, clean), at)) for e in evaluations)
    scope = length(1, text(1, SCOPE))
    return length(1, _resource() + length(2, scope + records))


def _record(evaluation: Evaluation, attributes: Mapping[str, Any], at: int) -> bytes:
    severity = WARN if evaluation.score.error else INFO
    record = fixed64(1, at) + varint(2, severity) + text(3, "WARN" if severity == WARN else "INFO")
    record += b"".join(length(6, pair(name, value)) for name, value in attributes.items())
    if _is_hex(evaluation.trace_id, 32) and _is_hex(evaluation.span_id, 16):
        record += length(9, bytes.fromhex(evaluation.trace_id)) + length(
            10, bytes.fromhex(evaluation.span_id)
        )
    return record + fixed64(11, at) + text(12, NAME)


class RunSpan(msgspec.Struct, frozen=True):
    """A span of a run: `rightcall.run`, or `rightcall.trial` inside it."""

    trace_id: str
    span_id: str
    name: str
    start: int
    end: int
    parent_id: str = ""
    failed: bool = False
    attributes: dict[str, str | int | float] = {}


def spans_request(spans: Iterable[RunSpan]) -> bytes:
    """An ExportTraceServiceRequest of these spans."""
    body = b"".join(length(2, _span(span)) for span in spans)
    return length(1, _resource() + length(2, length(1, text(1, SCOPE)) + body))


def _span(span: RunSpan) -> bytes:
    message = length(1, bytes.fromhex(span.trace_id)) + length(2, bytes.fromhex(span.span_id))
    if span.parent_id:
        message += length(4, bytes.fromhex(span.parent_id))
    message += text(5, span.name) + varint(6, 1) + fixed64(7, span.start) + fixed64(8, span.end)
    message += b"".join(length(9, pair(name, value)) for name, value in span.attributes.items())
    return message + length(15, varint(3, 2 if span.failed else 1))


def pair(name: str, value: str | int | float | bool) -> bytes:
    """A KeyValue."""
    if isinstance(value, bool):
        held = varint(2, int(value))
    elif isinstance(value, int):
        held = varint(3, value)
    elif isinstance(value, float):
        held = fixed_double(4, value)
    else:
        held = text(1, value)
    return text(1, name) + length(2, held)


def _resource() -> bytes:
    return length(1, length(1, pair("service.name", "rightcall")))


def _is_hex(value: str, size: int) -> bool:
    return len(value) == size and all(c in "0123456789abcdef" for c in value)


async def send(url: str, path: str, body: bytes, headers: Mapping[str, str] | None = None) -> None:
    """POST to an OTLP endpoint (base or full URL); `InfrastructureError` when it is rejected."""
    import aiohttp

    target = url if url.rstrip("/").endswith(path) else url.rstrip("/") + path
    sent = {"content-type": "application/x-protobuf", **(headers or {})}
    try:
        timeout = aiohttp.ClientTimeout(total=30)
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(target, data=body, headers=sent) as reply,
        ):
            if not 200 <= reply.status < 300:
                raise InfrastructureError(f"{target} answered {reply.status}; is it an OTLP/HTTP endpoint?")
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        raise InfrastructureError(f"{target} is unreachable: {error}") from None
