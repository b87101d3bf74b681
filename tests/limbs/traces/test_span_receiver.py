"""Agents behind an address or a command whose calls are known by the spans they send while a run lasts."""

from __future__ import annotations

import json
import random
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from benchmarks.otlp_spans import RunSpan, spans_request

import rightcall as rc
from rightcall.agents.remote.exchange import Exchange
from rightcall.core.errors import ConfigError
from rightcall.limbs.traces.span import Span
from rightcall.limbs.traces.span_receiver import SpanReceiver
from rightcall.run.suite import load_suite
from rightcall.run.suite_plan import plan_suite
from tests.providers.loopback import json_server

PROGRAM = """
import json, sys
from opentelemetry import propagate, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
import os

provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
tracer = provider.get_tracer("agent")
ask = json.loads(sys.stdin.readline())
parent = propagate.extract({"traceparent": os.environ["TRACEPARENT"]})
with tracer.start_as_current_span("invoke_agent a", parent, attributes={"gen_ai.operation.name": "invoke_agent"}):
    for city in ask["input"].split(" and "):
        held = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_weather",
                "gen_ai.tool.call.arguments": json.dumps({"city": city})}
        with tracer.start_as_current_span("execute_tool get_weather", attributes=held):
            pass
provider.shutdown()
assert ask["traceparent"] == os.environ["TRACEPARENT"]
if "crash" in ask["input"]:
    sys.exit(3)
print(json.dumps({"output": "31 degrees"}))
"""
GOLDENS = [
    rc.Golden(f"{city} and Hue", id=city, expected_calls=(rc.ExpectedCall("get_weather", {"city": city}), rc.ExpectedCall("get_weather", {"city": "Hue"})))
    for city in ("Hanoi", "Vinh", "Da Lat")
]  # fmt: skip


@pytest.fixture
def program(tmp_path: Path) -> rc.Agent:
    (tmp_path / "agent.py").write_text(PROGRAM)
    return rc.Agent(f'exec:["{sys.executable}", "agent.py"]', exchange=Exchange(folder=str(tmp_path), spans="127.0.0.1:0"))  # fmt: skip


@pytest.mark.stories
def test_the_calls_of_a_program_are_those_of_its_spans(program):
    run = rc.evaluate(program, GOLDENS, concurrency=3)
    assert [(r.passed, r.trajectory.output) for r in run.results] == [(True, "31 degrees")] * 3
    assert [len(r.trajectory.calls) for r in run.results] == [2, 2, 2]


def test_what_a_program_did_before_it_broke_is_kept(program):
    (result,) = rc.evaluate(program, [rc.Golden("crash and Hue", id="x")]).results
    assert result.trajectory.stop_reason == "agent_error"
    assert [call.arguments for call in result.trajectory.calls] == [{"city": "crash"}, {"city": "Hue"}]


@contextmanager
def service(port: int, *, instrumented: bool = True) -> Iterator[str]:
    """A service that sends its spans a moment after its reply."""

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        _, trace_id, parent, _ = body["traceparent"].split("-")
        held: dict[str, Any] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "get_weather",
            "gen_ai.tool.call.arguments": json.dumps({"city": body["input"]}),
        }
        span = RunSpan(
            trace_id, "00000000000000a1", "execute_tool get_weather", 1, 2, parent, attributes=held
        )
        if instrumented:
            threading.Timer(0.1, sent, [port, spans_request([span])]).start()
        return {"output": "31 degrees"}

    with json_server(answer) as seen:
        yield f"http:{seen.url}/ask"


def sent(port: int, body: bytes) -> None:
    asked = Request(f"http://127.0.0.1:{port}/v1/traces", body, {"content-type": "application/x-protobuf"})
    urlopen(asked).close()


@pytest.fixture
def port() -> int:
    """A free port outside the ephemeral range, which starts at 32768."""
    while True:
        chosen = random.randrange(20_000, 32_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", chosen)):
            return chosen


def test_the_spans_of_a_service_come_after_its_reply_and_their_time_is_not_its_own(port):
    exchange = Exchange(spans=f"127.0.0.1:{port}", settle=0.2)
    with service(port) as url:
        run = rc.evaluate(
            rc.Agent(url, exchange=exchange), [rc.Golden("Hanoi", id="a"), rc.Golden("Hue", id="b")]
        )
    assert [[c.arguments for c in r.trajectory.calls] for r in run.results] == [
        [{"city": "Hanoi"}],
        [{"city": "Hue"}],
    ]
    assert {r.trajectory.output for r in run.results} == {"31 degrees"}


def test_a_service_that_sends_no_spans_stops_the_run_with_what_to_set(port, monkeypatch):
    monkeypatch.setattr("rightcall.limbs.traces.span_receiver.FIRST_SPAN", 0.1)
    exchange = Exchange(spans=f"127.0.0.1:{port}", settle=0.1)
    with service(port, instrumented=False) as url, pytest.raises(ConfigError, match=f"OTEL_EXPORTER_OTLP_ENDPOINT http://127.0.0.1:{port}"):  # fmt: skip
        rc.evaluate(rc.Agent(url, exchange=exchange), [rc.Golden(str(i), id=str(i)) for i in range(5)])


def test_a_reply_whose_spans_are_lost_is_an_error_and_never_a_pass(port, monkeypatch):
    monkeypatch.setattr("rightcall.limbs.traces.span_receiver.FIRST_SPAN", 0.1)
    exchange = Exchange(spans=f"127.0.0.1:{port}", settle=0.1)
    with service(port, instrumented=False) as url:
        (result,) = rc.evaluate(
            rc.Agent(url, exchange=exchange), [rc.Golden("x", id="x", category="negative")]
        ).results
    assert not result.passed
    assert result.error.startswith("no model or tool span arrived for a reply")


def test_a_turn_with_too_many_spans_says_that_calls_may_be_missing(monkeypatch):
    monkeypatch.setattr("rightcall.limbs.traces.span_receiver.MOST_SPANS", 2)
    receiver = SpanReceiver()
    parent = f"00-{'a' * 32}-{'b' * 16}-01"
    receiver.watch(parent)
    for number in range(3):
        receiver._turns["a" * 32].take(Span("a" * 32, f"{number}", "", "x", 0, 0))
    assert "not all of its calls are known" in receiver.unknown(parent, rc.Trajectory())


def test_an_address_that_is_taken_is_said_before_anything_is_asked(port):
    with (
        socket.create_server(("127.0.0.1", port)),
        service(port) as url,
        pytest.raises(ConfigError, match=r"agent\.otlp"),
    ):
        rc.evaluate(rc.Agent(url, exchange=Exchange(spans=f"127.0.0.1:{port}")), [rc.Golden("x", id="x")])


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("{model: http:http://127.0.0.1:9, observe: langchain}", "must be otel"),
        ("{model: http:http://127.0.0.1:9, observe: otel, otlp: here}", "HOST:PORT"),
        ("{model: 'keyword:', observe: otel}", "requires module:agent"),
    ],
)
def test_a_suite_that_cannot_watch_says_why(agent, words, tmp_path):
    (tmp_path / "goldens.jsonl").write_text('{"input": "x"}\n')
    (tmp_path / "suite.yaml").write_text(f"name: s\ndataset: goldens.jsonl\nagent: {agent}\n")
    with pytest.raises(ConfigError, match=words):
        plan_suite(load_suite(tmp_path / "suite.yaml"), tmp_path)
