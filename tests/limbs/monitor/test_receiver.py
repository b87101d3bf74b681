"""The receiver, spoken to by the real Python exporter, by hand, and by those who mean it ill."""

import asyncio
import contextlib
import gzip
import io
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

import aiohttp
import pytest
from opentelemetry.exporter.otlp.json.http.trace_exporter import OTLPSpanExporter as JsonExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as ProtobufExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from rightcall.limbs.monitor.monitor import Monitor
from rightcall.limbs.monitor.receiver import Receiver
from rightcall.limbs.monitor.settings import MonitorSettings
from rightcall.store.address import open_store
from tests.limbs.traces.samples import FOLDER
from tests.support.patience import wait_until

QUICK = MonitorSettings(settle="0.1s", idle="1s")
PROTOBUF = {"content-type": "application/x-protobuf"}
JSON = {"content-type": "application/json"}


@contextlib.asynccontextmanager
async def serving(store, *, token="", settings=QUICK):
    receiver = Receiver(Monitor(settings, store=store, redacted=True), token=token)
    stop = asyncio.Event()
    port = asyncio.Future()
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
    rows = store.traces.page()
    assert [(row.calls, row.agent) for row in rows] == [(3, "demo"), (3, "demo")]
    assert {check.name for check in rows[0].checks if check.bad} == {"tool_errors", "no_answer"}


def test_spans_with_bad_ids_are_reported_as_a_partial_success(store):
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
def test_what_is_not_a_request_is_refused_with_its_status(store, body, headers, status):
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
            assert (await client.get("/v1/traces", headers=good)).status == 405
            assert (await client.post("/v2/traces", headers=good)).status == 404

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

    kept = store.traces.get("5b8efff798038103d269b633813fc60c")
    assert b"anna@example" not in written
    assert "<email:" in json.dumps([call.output for call in kept.trajectory.calls])
    trace_id = "5b8efff798038103d269b633813fc60c"
    for content in store.traces.spans_of([trace_id])[trace_id]:
        assert b"anna@" not in zlib.decompress(content)
        assert b"hunter2" not in zlib.decompress(content)


EXPORTERS = [ProtobufExporter, JsonExporter]


def traced(provider, count: int, start: int = 0):
    tracer = provider.get_tracer("test")
    for i in range(start, start + count):
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


@pytest.mark.parametrize("make", EXPORTERS)
@pytest.mark.parametrize("compression", ["none", "gzip", "deflate"])
def test_the_real_exporters_lose_nothing_through_503s(store, monkeypatch, make, compression):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", compression)

    async def work():
        async with serving(store) as (receiver, client):
            monkeypatch.setattr("rightcall.limbs.monitor.receiver.MAX_WAITING", 0)
            provider = TracerProvider(resource=Resource({"service.name": "live"}))
            target = f"http://127.0.0.1:{client._base_url.port}/v1/traces"
            batches = BatchSpanProcessor(make(target), schedule_delay_millis=50)
            provider.add_span_processor(batches)
            await asyncio.to_thread(traced, provider, 40)
            ending = asyncio.create_task(asyncio.to_thread(provider.shutdown))
            while not receiver.counters.refused:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            monkeypatch.setattr("rightcall.limbs.monitor.receiver.MAX_WAITING", 20_000)
            await ending
            assert receiver.counters.spans == 80

    run(work())
    assert len(store.traces.page(limit=100)) == 40


@contextlib.contextmanager
def server(address: Path):
    """`rightcall monitor serve` in a separate process; returns it and its port."""
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
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=address.parent)
    assert process.stderr is not None
    try:
        yield process, int(process.stderr.readline().split("127.0.0.1:")[1].split()[0])
    finally:
        process.terminate()
        process.wait()
        process.stderr.close()


@pytest.mark.stories
@pytest.mark.parametrize("make", EXPORTERS)
def test_kill_9_under_load_loses_nothing_that_was_answered(tmp_path: Path, make):
    address = tmp_path / "killed.db"
    answered: list[int] = []
    with server(address) as (process, port):

        def send(start: int) -> None:
            exporter = make(f"http://127.0.0.1:{port}/v1/traces", timeout=1)
            finished = InMemorySpanExporter()
            provider = TracerProvider()
            provider.add_span_processor(SimpleSpanProcessor(finished))
            for i in range(start, start + 100):
                traced(provider, 1, i)
                spans = finished.get_finished_spans()
                finished.clear()
                if exporter.export(spans) is SpanExportResult.SUCCESS:
                    answered.append(spans[0].context.trace_id)
                elif process.poll() is not None:
                    break
            exporter.shutdown()

        senders = [threading.Thread(target=send, args=(i * 100,)) for i in range(4)]
        for sender in senders:
            sender.start()
        wait_until(lambda: len(answered) >= 40)
        process.send_signal(signal.SIGKILL)
        for sender in senders:
            sender.join()
    with open_store(address) as store:
        kept = {trace_id for trace_id, *_ in store.traces.arrival_times()} | {
            row.trace_id for row in store.traces.page(limit=1000)
        }
    assert {f"{trace_id:032x}" for trace_id in answered} <= kept


@pytest.mark.stories
def test_what_was_answered_before_a_crash_is_watched_after_it(tmp_path: Path):
    body = (FOLDER / "otlp_genai_pydantic_ai.pb").read_bytes()
    with server(tmp_path / "crashed.db") as (process, port):
        request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/traces", body, PROTOBUF)
        urllib.request.urlopen(request).close()
        process.kill()
    with server(tmp_path / "crashed.db"):
        pass  # ends at once, which closes what waits
    with open_store(tmp_path / "crashed.db") as store:
        assert [row.calls for row in store.traces.page()] == [3, 3]


@pytest.mark.stories
def test_a_zip_bomb_is_refused_within_100_mb(tmp_path: Path):
    bomb = gzip.compress(b"\x00" * (120 * 2**20), 1)
    with server(tmp_path / "bomb.db") as (process, port):
        headers = PROTOBUF | {"content-encoding": "gzip"}
        request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/traces", bomb, headers)
        with pytest.raises(urllib.error.HTTPError, match="413"):
            urllib.request.urlopen(request)
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    assert int(re.search(r"VmHWM:\s+(\d+)", status)[1]) < 100 * 1024


@pytest.mark.stories
@pytest.mark.parametrize(
    ("sent", "times"),
    [
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9), 1),
        (b"\x1b]52;c;ZXZpbA==\x07 ::error::x\r\n\r\n", 0),
    ],
)
def test_grpc_is_answered_with_the_setting_to_change_and_no_bytes_reach_the_log(tmp_path, sent, times):
    with server(tmp_path / "other.db") as (process, port):
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(sent)
                while connection.recv(1000):
                    pass
        process.terminate()
        shown = process.stderr.read()
    assert shown.count("uses gRPC on the port for HTTP: set OTEL_EXPORTER_OTLP_PROTOCOL") == times
    assert "Traceback" not in shown and "\x1b" not in shown


def a_trace(spans: int, *, text: int = 10, start: int = 2) -> dict:
    """A root and tools under it; every tool says `text` letters."""

    def span(i: int, **more) -> dict:
        return {"traceId": "ab" * 16, "spanId": f"{i:016x}", "name": "x", "startTimeUnixNano": str(10**18 + i),
                "endTimeUnixNano": str(10**18 + i + 1), **more}  # fmt: skip

    held = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "x",
        "gen_ai.tool.call.result": "y" * text,
    }
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in held.items()]
    tools = [span(i, parentSpanId=f"{1:016x}", attributes=attributes) for i in range(start, start + spans)]
    root = [{"key": "gen_ai.operation.name", "value": {"stringValue": "invoke_agent"}}]
    made = [*tools, span(1, attributes=root)] if start == 2 else tools
    return {"resourceSpans": [{"scopeSpans": [{"spans": made}]}]}


@pytest.mark.stories
@pytest.mark.parametrize(("spans", "text"), [(2500, 10), (40, 300_000)])
def test_a_trace_over_2000_spans_or_8_mib_is_cut_counted_and_said(store, spans, text):
    async def work():
        async with serving(store) as (receiver, client):
            body = io.BytesIO(json.dumps(a_trace(spans, text=text)).encode())
            reply = await client.post("/v1/traces", data=body, headers=JSON)
            rejected = int((await reply.json())["partialSuccess"]["rejectedSpans"])
            assert 0 < rejected == receiver.counters.dropped
            return rejected

    rejected = run(work())
    kept = store.traces.get("ab" * 16)
    assert kept.row.calls <= 2000
    assert kept.origin["spans"] == min(2000, spans + 1 - rejected)
    assert "incomplete" not in kept.origin  # the root came last and was let in
    assert any("over the limit of a trace" in problem for problem in kept.origin["problems"])


def test_late_spans_reopen_a_trace_and_much_later_ones_do_not_replace_it(store):
    async def work():
        async with serving(store) as (receiver, client):
            for late in (a_trace(2), a_trace(1, start=4)):
                await client.post("/v1/traces", json=late)
                await receiver.close_all()
            assert store.traces.get("ab" * 16).row.calls == 3
            store.traces.drop_spans(["ab" * 16])  # as ten minutes later
            await client.post("/v1/traces", json=a_trace(1, start=5))
            await receiver.close_all()

    run(work())
    assert store.traces.get("ab" * 16).row.calls == 3


def test_a_restart_opens_only_traces_that_are_not_closed_with_all_their_spans(store):
    async def work():
        async with serving(store) as (receiver, client):
            await client.post("/v1/traces", json=a_trace(2))
            await receiver.close_all()
        async with serving(store) as (_, client):
            return json.loads(await (await client.get("/stats")).read())["open_traces"]

    assert run(work()) == 0


def test_a_body_that_never_ends_is_given_up(store, monkeypatch):
    monkeypatch.setattr("rightcall.limbs.traces.otlp_receiver.BODY_SECONDS", 0.2)

    async def slowly():
        yield b'{"resourceSpans": ['
        await asyncio.sleep(30)

    async def work():
        async with serving(store) as (_, client):
            return (await client.post("/v1/traces", data=slowly(), headers=JSON)).status

    assert run(work()) == 408


def test_the_official_package_reads_the_partial_success():
    from rightcall.limbs.traces.otlp_receiver import PROTOBUF, success_body
    from rightcall.limbs.traces.problems import Problems

    problems = Problems()
    problems.add("trace_id", count=3)
    reply = ExportTraceServiceResponse.FromString(success_body(PROTOBUF, problems, logs=False))
    assert (reply.partial_success.rejected_spans, reply.partial_success.error_message) == (
        3,
        "3 spans have no valid trace id",
    )
