"""OTLP over gRPC: what OpenTelemetry's own exporter sends is stored, by the rules of HTTP."""

from __future__ import annotations

import asyncio
import contextlib

import grpc
import grpc.aio
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from rightcall.core.errors import ConfigError
from rightcall.store.address import open_store
from rightcall.wings.monitor.monitor import Monitor
from rightcall.wings.monitor.receiver import Receiver
from rightcall.wings.monitor.settings import MonitorSettings
from rightcall.wings.traces.otlp_receiver import SERVICES
from rightcall.wings.traces.otlp_request import MAX_SENT

TRACE, LOGS, METRICS = SERVICES


@contextlib.asynccontextmanager
async def receiver(folder, token="", grpc_port=0):
    with open_store(folder / "watch.db") as store:
        watched = Monitor(MonitorSettings(settle="0.1s"), store=store, redacted=True)
        served, stop, port = Receiver(watched, token=token), asyncio.Event(), asyncio.Future()
        run = served.run(
            "127.0.0.1", 0, stop, lambda _: None, grpc=("127.0.0.1", grpc_port), grpc_ready=port.set_result
        )
        task = asyncio.create_task(run)
        await asyncio.wait({task, port}, return_when="FIRST_COMPLETED")
        try:
            yield served, port.result() if port.done() else await task
        finally:
            stop.set()
            await task


def request(*span_ids: bytes) -> bytes:
    sent = ExportTraceServiceRequest()
    spans = sent.resource_spans.add().scope_spans.add().spans
    for span_id in span_ids:
        span = spans.add(trace_id=b"t" * 16, span_id=span_id, name="execute_tool book")
        span.start_time_unix_nano, span.end_time_unix_nano = (
            1_700_000_000_000_000_000,
            1_700_000_001_000_000_000,
        )
        span.attributes.add(key="gen_ai.tool.name").value.string_value = "book"
    return sent.SerializeToString()


async def exported(port: int, body: bytes, method: str = TRACE, compression=None, **metadata: str):
    """The answer's body, or the code of the failure."""
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        call = channel.unary_unary(method)
        try:
            return await call(body, metadata=tuple(metadata.items()), compression=compression, timeout=300)
        except grpc.aio.AioRpcError as error:
            return error.code().name


def test_spans_are_stored_and_a_bad_one_is_rejected_alone(tmp_path):
    async def work():
        async with receiver(tmp_path) as (served, port):
            answers = [
                await exported(port, request(b"12345678")),
                await exported(port, request(b"2" * 8), compression=grpc.Compression.Gzip),
                await exported(port, request(b"3" * 8, b"")),
                await exported(port, b"", LOGS),
                await exported(port, b"", METRICS),
                await exported(port, b"\xff\xff\xff"),
                await exported(port, b"", "/opentelemetry.proto.collector.other/Export"),
            ]
            return answers, served.counters.spans, served.counters.rejected

    answers, spans, rejected = asyncio.run(work())
    assert answers[:2] == [b"", b""] and answers[3:] == [b"", b"", "INVALID_ARGUMENT", "UNIMPLEMENTED"]
    partial = ExportTraceServiceResponse.FromString(answers[2]).partial_success
    assert (spans, rejected, partial.rejected_spans) == (3, 1, 1)


def test_the_token_is_checked_before_a_message_is_read(tmp_path):
    async def work():
        async with receiver(tmp_path, token="right") as (served, port):
            good = request(b"12345678")
            answers = [
                await exported(port, good),
                await exported(port, good, authorization="Bearer wrong"),
                await exported(port, good, authorization="Bearer right"),
                await exported(port, good, authorization="Bearer right", origin="https://evil.example"),
            ]
            return answers, served.counters.spans

    assert asyncio.run(work()) == (["UNAUTHENTICATED", "UNAUTHENTICATED", b"", "PERMISSION_DENIED"], 1)


@pytest.mark.parametrize("compression", [None, grpc.Compression.Gzip])
def test_a_message_over_the_limit_is_refused(tmp_path, compression):
    async def work():
        async with receiver(tmp_path) as (_, port):
            too_large = await exported(port, b"\0" * (MAX_SENT + 1), compression=compression)
            return too_large, await exported(port, request(b"12345678"))

    assert asyncio.run(work()) == ("RESOURCE_EXHAUSTED", b"")


def test_a_busy_receiver_asks_to_come_again(tmp_path, monkeypatch):
    monkeypatch.setattr("rightcall.wings.monitor.receiver.MAX_WAITING", 0)

    async def work():
        async with receiver(tmp_path) as (_, port):
            return await exported(port, request(b"12345678"))

    assert asyncio.run(work()) == "UNAVAILABLE"


def test_the_exporter_of_opentelemetry_is_understood(tmp_path):
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    def send(port: int) -> None:
        exporter = OTLPSpanExporter(
            f"http://127.0.0.1:{port}", insecure=True, headers={"authorization": "Bearer t"}
        )
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        with provider.get_tracer("t").start_as_current_span("execute_tool book") as span:
            span.set_attribute("gen_ai.tool.name", "book")
        provider.shutdown()

    async def work():
        async with receiver(tmp_path, token="t") as (served, port):
            await asyncio.to_thread(send, port)
            return served.counters.spans

    assert asyncio.run(work()) == 1


def test_a_port_in_use_is_reported(tmp_path):
    async def work():
        async with receiver(tmp_path) as (_, port), receiver(tmp_path / "other", grpc_port=port):
            pass

    with pytest.raises(ConfigError, match="cannot listen for gRPC on"):
        asyncio.run(work())
