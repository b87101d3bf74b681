"""The receivers under attack: senders without a token, pages of other sites, slow clients, spans that cannot be read."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import gzip
import json

import aiohttp
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from rightcall.limbs.monitor.monitor import Monitor
from rightcall.limbs.monitor.receiver import Receiver
from rightcall.limbs.monitor.settings import MonitorSettings
from rightcall.limbs.traces.otlp import length
from rightcall.limbs.traces.span_receiver import SpanReceiver
from rightcall.store.address import open_store
from tests.support.patience import SECONDS

JSON = {"content-type": "application/json"}
PROTOBUF = {"content-type": "application/x-protobuf"}
PATHS = ["/v1/traces", "/v1/logs", "/v1/metrics", "/stats", "/healthz", "/nothing", "/"]


@contextlib.asynccontextmanager
async def monitor(folder, token="", **settings):
    with open_store(folder / "watch.db") as store:
        watched = Monitor(MonitorSettings(settle="0.1s", **settings), store=store, redacted=True)
        receiver = Receiver(watched, token=token)
        stop = asyncio.Event()
        port = asyncio.Future()
        task = asyncio.create_task(receiver.run("127.0.0.1", 0, stop, port.set_result))
        try:
            async with aiohttp.ClientSession(f"http://127.0.0.1:{await port}") as client:
                yield client, receiver, await port
        finally:
            stop.set()
            await task


@contextlib.asynccontextmanager
async def suite_receiver():
    receiver = SpanReceiver("127.0.0.1:0")
    await receiver.start()
    try:
        async with aiohttp.ClientSession(receiver.endpoint) as client:
            yield client, receiver, receiver._port
    finally:
        await receiver.aclose()


PAGE = [{"origin": "https://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}]
REBOUND = [
    {"host": "evil.example"},
    {"host": "localhost.evil.example:4318"},
    {"host": ""},
    {"host": "x.local"},
    {"host": "127.0.0.1/stats?"},
]
OURS = ["127.0.0.1:4318", "[::1]:4318", "localhost", "collector", "host.docker.internal:4318", "LOCALHOST."]


def test_every_path_checks_token_host_and_origin(tmp_path):
    async def work():
        async with monitor(tmp_path, token="secret") as (client, receiver, _):
            good = {"authorization": "Bearer secret"}
            for path in PATHS:
                for method in ("GET", "POST", "OPTIONS", "PUT"):
                    for bad in ({}, {"authorization": "Bearer secre"}, {"authorization": "secret"}):
                        assert (await client.request(method, path, headers=bad)).status == 401, (path, bad)
                    for bad in PAGE + REBOUND:
                        assert (await client.request(method, path, headers=good | bad)).status == 403, (
                            path,
                            bad,
                        )
            assert (await client.get("/stats", headers=good)).status == 200
            assert receiver.counters.spans == 0

    asyncio.run(work())


@pytest.mark.parametrize("host", [*OURS, "collector.example.org"])
def test_names_of_this_machine_and_those_in_the_settings_are_accepted(tmp_path, host):
    async def work():
        async with monitor(tmp_path, hosts=("collector.example.org",)) as (client, _, _port):
            assert (await client.get("/stats", headers={"host": host})).status == 200

    asyncio.run(work())


def test_the_receiver_of_a_suite_refuses_pages_and_rebound_names():
    async def work():
        async with suite_receiver() as (client, _, _port):
            for path in ("/v1/traces", "/v1/metrics", "/"):
                for bad in PAGE + REBOUND:
                    assert (await client.post(path, data=b"", headers=PROTOBUF | bad)).status == 403
            assert (await client.post("/v1/traces", data=b"", headers=PROTOBUF)).status == 200

    asyncio.run(work())


GOOD = {
    "traceId": "5b8efff798038103d269b633813fc60c",
    "spanId": "eee19b7ec3c1b174",
    "name": "execute_tool book",
    "startTimeUnixNano": "1700000000000000000",
    "endTimeUnixNano": "1700000001000000000",
    "attributes": [{"key": "gen_ai.tool.name", "value": {"stringValue": "book"}}],
}
HUGE = 10**400
BAD = {
    "time of 400 digits": {"startTimeUnixNano": HUGE},
    "negative time of 400 digits": {"endTimeUnixNano": -HUGE},
    "number of 400 digits": {"attributes": [{"key": "n", "value": {"intValue": HUGE}}]},
    "fraction of 400 digits": {"attributes": [{"key": "n", "value": {"doubleValue": HUGE}}]},
    "plain attribute": {"attributes": {"deep": [{"n": HUGE}]}},
    "dropped count": {"droppedAttributesCount": HUGE},
    "in an event": {"events": [{"name": "e", "attributes": {"n": HUGE}}]},
}


def batch(*spans):
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


@pytest.mark.parametrize("door", ["monitor", "suite"])
def test_the_paths_of_sdks_that_add_their_own_are_accepted(tmp_path, door):
    async def work():
        async with monitor(tmp_path) if door == "monitor" else suite_receiver() as (client, _, _):
            paths = ("/v1/traces", "/api/public/otel/v1/traces", "/otel/v1/traces")
            return [(await client.post(path, json=batch(GOOD))).status for path in paths]

    assert asyncio.run(work()) == [200, 200, 200]


@pytest.mark.parametrize("kind", BAD)
def test_a_span_that_cannot_be_read_is_refused_alone(tmp_path, kind):
    bad = copy.deepcopy(GOOD) | {"spanId": "0000000000000001"} | BAD[kind]
    after = GOOD | {"spanId": "0000000000000002"}

    async def work():
        async with monitor(tmp_path) as (client, receiver, _):
            reply = await client.post("/v1/traces", data=json.dumps(batch(GOOD, bad, after)), headers=JSON)
            assert reply.status == 200
            assert (await reply.json())["partialSuccess"]["rejectedSpans"] == "1"
            assert (receiver.counters.spans, receiver.counters.rejected) == (2, 1)

    asyncio.run(work())


def protobuf_batch(*spans: bytes) -> bytes:
    return length(1, length(2, b"".join(length(2, span) for span in spans)))


def test_a_broken_span_in_protobuf_is_refused_alone(tmp_path):
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add()
    span.trace_id = bytes(range(1, 17))
    span.span_id = bytes(range(1, 9))
    span.name = "execute_tool book"
    good = span.SerializeToString()

    async def work():
        async with monitor(tmp_path) as (client, receiver, _):
            body = protobuf_batch(good, good[:-1] + b"\xff\xff", good)
            reply = await client.post("/v1/traces", data=body, headers=PROTOBUF)
            answer = ExportTraceServiceResponse.FromString(await reply.read())
            assert (reply.status, answer.partial_success.rejected_spans) == (200, 1)
            assert receiver.counters.spans == 2

    asyncio.run(work())


BOMBS = {
    "json": (b'{"resourceSpans":[' + b"[]," * 41_000 + b"[]]}", JSON),
    "parts": (length(1, b"\x12\x00" * 41_000), PROTOBUF),
    "events": (protobuf_batch(b"\x5a\x00" * 41_000), PROTOBUF),
    "array": (protobuf_batch(length(9, length(2, length(5, b"\x0a\x00" * 41_000)))), PROTOBUF),
    "spans": (
        protobuf_batch(*[length(1, bytes(range(16))) + length(2, bytes(range(8)))] * 50_001),
        PROTOBUF,
    ),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_small_request_with_too_many_values_is_refused(tmp_path, bomb, monkeypatch):
    monkeypatch.setattr("rightcall.limbs.traces.otlp_receiver.MAX_VALUES", 10_000)
    body, headers = BOMBS[bomb]

    async def work():
        async with monitor(tmp_path) as (client, _, _port):
            packed = gzip.compress(body, 1)
            reply = await client.post(
                "/v1/traces", data=packed, headers=headers | {"content-encoding": "gzip"}
            )
            assert reply.status == 413

    asyncio.run(work())


async def unfinished(port: int, sent: int, path: str = "/v1/traces", head: str = ""):
    """A client that promises more than it sends."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    words = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {15 << 20}\r\n"
    writer.write((head or f"{words}\r\n").encode() + b" " * sent)
    await writer.drain()
    return reader, writer


@pytest.mark.parametrize("path", ["/v1/metrics", "/stats", "/healthz", "/nothing"])
def test_a_body_that_is_not_used_is_not_read(tmp_path, path):
    async def work():
        async with monitor(tmp_path) as (_, _receiver, port):
            reader, writer = await unfinished(port, 100, path)
            status = await asyncio.wait_for(
                reader.readline(), SECONDS
            )  # at once, although the body never arrives
            assert status.split()[1] in (b"200", b"405", b"404")
            writer.close()

    asyncio.run(work())


def test_a_refused_body_is_not_read(tmp_path):
    async def work():
        async with monitor(tmp_path, token="secret") as (_, _receiver, port):
            reader, writer = await unfinished(port, 1 << 20)
            assert b"401" in await asyncio.wait_for(reader.readline(), SECONDS)
            writer.close()

    asyncio.run(work())


def test_a_body_that_does_not_arrive_has_a_time_limit(tmp_path, monkeypatch):
    monkeypatch.setattr("rightcall.limbs.traces.otlp_receiver.BODY_SECONDS", 0.1)

    async def work():
        async with monitor(tmp_path) as (_, _receiver, port):
            reader, writer = await unfinished(port, 10)
            assert b"408" in await asyncio.wait_for(reader.readline(), SECONDS)
            writer.close()

    asyncio.run(work())
