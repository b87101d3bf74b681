"""The receiver, spoken to by the real Python exporter, by hand, and by those who mean it ill."""

import asyncio
import contextlib
import gzip
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from rightcall.monitor import Monitor, MonitorSettings, Receiver
from rightcall.store import open_store
from tests.traces.samples import FOLDER

QUICK = MonitorSettings(settle="0.1s", idle="1s")
PROTOBUF = {"content-type": "application/x-protobuf"}
JSON = {"content-type": "application/json"}


@contextlib.asynccontextmanager
async def serving(store, *, token="", settings=QUICK):
    receiver, stop, port = (
        Receiver(Monitor(settings, store=store, redacted=True), token=token),
        asyncio.Event(),
        asyncio.Future(),
    )
    task = asyncio.create_task(receiver.run("127.0.0.1", 0, stop, port.set_result))
    try:
        async with aiohttp.ClientSession(f"http://127.0.0.1:{await port}", auto_decompress=False) as client:
            yield receiver, client
    finally:
        stop.set()
        await task


def run(work):
    return asyncio.run(work)


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "watch.db") as opened:
        yield opened


def test_what_was_sent_in_any_form_becomes_the_same_traces(store):
    async def work():
        async with serving(store) as (_, client):
            body = (FOLDER / "otlp_genai_pydantic_ai.pb").read_bytes()
            packed = await client.post(
                "/v1/traces", data=gzip.compress(body), headers=PROTOBUF | {"content-encoding": "gzip"}
            )
            assert (packed.status, await packed.read()) == (200, b"")
            text = await client.post(
                "/v1/traces", data=(FOLDER / "otlp_genai_pydantic_ai.json").read_bytes(), headers=JSON
            )
            assert (text.status, await text.json(content_type=None)) == (200, {})

    run(work())
    rows = store.traces()
    assert [(row.calls, row.agent) for row in rows] == [(3, "demo"), (3, "demo")]
    assert {check.name for check in rows[0].checks if check.bad} == {"tool_errors", "no_answer"}


def test_spans_with_bad_ids_are_told_as_a_partial_success(store):
    async def work():
        async with serving(store) as (receiver, client):
            reply = await client.post(
                "/v1/traces", data=(FOLDER / "otlp_bad.json").read_bytes(), headers=JSON
            )
            assert (await reply.json())["partialSuccess"] == {
                "rejectedSpans": "1",
                "errorMessage": "1 span has no valid trace id",
            }
            stats = await (await client.get("/stats")).json()
            assert (stats["rejected"], stats["first_rejection"]) == (1, "1 span has no valid trace id")
            await receiver.close_all()

    run(work())


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"hello", {"content-type": "text/plain"}, 415),
        (b"hello", PROTOBUF, 400),
        (b"{", JSON, 400),
        (b"[]", JSON, 400),
        (b"no gzip", PROTOBUF | {"content-encoding": "gzip"}, 400),
        (b"x", PROTOBUF | {"content-encoding": "br"}, 400),
        (gzip.compress(b"\x00" * (80 * 2**20)), PROTOBUF | {"content-encoding": "gzip"}, 413),
        (b"x" * (17 * 2**20), PROTOBUF, 413),
    ],
)
def test_what_is_no_request_is_refused_with_its_status(store, body, headers, status):
    async def work():
        async with serving(store) as (_, client):
            reply = await client.post("/v1/traces", data=io.BytesIO(body), headers=headers)
            assert reply.status == status
            assert (await client.get("/healthz")).status == 200

    run(work())


def test_methods_paths_metrics_and_tokens(store):
    async def work():
        async with serving(store, token="secret") as (_, client):
            assert (await client.post("/v1/traces", data=b"", headers=PROTOBUF)).status == 401
            good = PROTOBUF | {"authorization": "Bearer secret"}
            assert (await client.post("/v1/traces", data=b"", headers=good)).status == 200
            assert (await client.post("/v1/metrics", data=b"", headers=good)).status == 200
            assert (await client.get("/v1/traces")).status == 405
            assert (await client.post("/v2/traces")).status == 404

    run(work())


def test_nothing_personal_reaches_the_store(store, tmp_path):
    span = json.loads((FOLDER / "otlp_bad.json").read_text())
    held = span["resourceSpans"][0]["scopeSpans"][0]["spans"][1]["attributes"]
    held.append(
        {
            "key": "gen_ai.tool.call.result",
            "value": {"stringValue": '{"to": "anna@example.org", "api_key": "hunter2hunter2"}'},
        }
    )

    async def work():
        async with serving(store) as (_, client):
            await client.post("/v1/traces", json=span)

    run(work())
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    import zlib

    kept = store.trace("5b8efff798038103d269b633813fc60c")
    assert b"anna@example" not in written
    assert "<email:" in json.dumps([call.output for call in kept.trajectory.calls])
    for content in store.spans_of("5b8efff798038103d269b633813fc60c"):
        assert b"anna@" not in zlib.decompress(content)
        assert b"hunter2" not in zlib.decompress(content)


def exporter(port: int):
    provider = TracerProvider(resource=Resource({"service.name": "live"}))
    provider.add_span_processor(
        BatchSpanProcessor(OTLPSpanExporter(f"http://127.0.0.1:{port}/v1/traces"), schedule_delay_millis=50)
    )
    return provider


def traced(provider, count: int):
    tracer = provider.get_tracer("test")
    for i in range(count):
        with (
            tracer.start_as_current_span(
                "invoke_agent a", attributes={"gen_ai.operation.name": "invoke_agent"}
            ),
            tracer.start_as_current_span(
                "execute_tool book",
                attributes={
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": "book",
                    "gen_ai.tool.call.arguments": json.dumps({"seats": i}),
                },
            ),
        ):
            pass


def test_the_real_exporter_loses_nothing_through_503s(store, monkeypatch):
    async def work():
        async with serving(store) as (receiver, _client):
            port = int(str(_client._base_url.port))
            full = {"left": 2}
            take = receiver._store

            async def sometimes(items):
                if full["left"]:
                    full["left"] -= 1
                    from rightcall.errors import StoreError

                    raise StoreError("busy")
                await take(items)

            receiver._store = sometimes
            provider = exporter(port)
            await asyncio.to_thread(traced, provider, 40)
            await asyncio.to_thread(provider.shutdown)
            assert full["left"] == 0
            assert receiver.counters.spans == 80

    run(work())
    assert len(store.traces(limit=100)) == 40


def test_kill_9_loses_nothing_that_was_answered(tmp_path: Path):
    address = tmp_path / "killed.db"
    command = [
        sys.executable,
        "-m",
        "rightcall.cli.main",
        "monitor",
        "serve",
        "--port",
        "0",
        "--store",
        str(address),
    ]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment, cwd=tmp_path)
    assert process.stderr is not None
    port = int(process.stderr.readline().split("127.0.0.1:")[1].split()[0])
    answered: list[str] = []

    async def send():
        async with aiohttp.ClientSession() as client:
            for i in range(1, 60):
                trace_id = f"{i:032x}"
                span = {"traceId": trace_id, "spanId": f"{i:016x}", "name": "execute_tool x", "startTimeUnixNano": str(10**18 + i), "endTimeUnixNano": str(10**18 + i + 1),
                        "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}}, {"key": "gen_ai.tool.name", "value": {"stringValue": "x"}}]}  # fmt: skip
                with contextlib.suppress(aiohttp.ClientError):
                    async with client.post(
                        f"http://127.0.0.1:{port}/v1/traces",
                        json={"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]},
                    ) as reply:
                        if reply.status == 200:
                            answered.append(trace_id)
                if i == 30:
                    process.send_signal(signal.SIGKILL)

    asyncio.run(send())
    process.wait()
    process.stderr.close()
    with open_store(address) as store:
        kept = {trace_id for trace_id, _ in store.waiting_traces()} | {
            row.trace_id for row in store.traces(limit=100)
        }
    assert answered
    assert set(answered) <= kept


def test_the_official_package_reads_the_partial_success():
    from rightcall.monitor.receiver import _accepted
    from rightcall.traces import Problems

    problems = Problems()
    problems.add("trace_id", count=3)
    reply = ExportTraceServiceResponse.FromString(_accepted("application/x-protobuf", 3, problems, False))
    assert (reply.partial_success.rejected_spans, reply.partial_success.error_message) == (
        3,
        "3 spans have no valid trace id",
    )
