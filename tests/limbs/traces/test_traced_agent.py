"""`observe(function, via="otel")`: what instrumented code did, read from its spans."""

from __future__ import annotations

import asyncio
import json

import pytest
from click.testing import CliRunner
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai import Agent as PydanticAgent, InstrumentationSettings

import rightcall as rc
from rightcall.agents.limits import Limits
from rightcall.cli.main import cli
from rightcall.records import ExpectedCall, Golden
from tests.limbs.adapters.contract import made, performed
from tests.limbs.adapters.kits.pydantic_ai import PydanticAIKit
from tests.limbs.adapters.script import Journal


@pytest.fixture(scope="module", autouse=True)
def provider():
    """The user's own provider, with an exporter of the user's."""
    if not hasattr(trace.get_tracer_provider(), "add_span_processor"):
        trace.set_tracer_provider(TracerProvider())
    PydanticAgent.instrument_all(InstrumentationSettings())
    yield trace.get_tracer_provider()
    PydanticAgent.instrument_all(False)


async def travel(golden: Golden) -> str:
    return str((await PydanticAIKit().agent(Journal()).run(golden.input)).output)


def test_calls_answer_and_tokens_come_from_the_spans():
    (trajectory,) = performed(rc.observe(travel, via="otel"), "weather Hue")
    assert made(trajectory) == [("get_weather", {"city": "Hue"}, 0, "ok")]
    assert (trajectory.output, trajectory.stop_reason) == ("31 degrees in Hue.", "done")
    assert (trajectory.usage.input_tokens, trajectory.usage.output_tokens) == (200, 20)


def test_trials_at_once_never_mix():
    cities = [f"City{i}" for i in range(16)]
    for city, trajectory in zip(
        cities, performed(rc.observe(travel, via="otel"), *(f"weather {c}" for c in cities)), strict=True
    ):
        assert made(trajectory) == [("get_weather", {"city": city}, 0, "ok")]


def test_what_was_done_before_it_broke_or_time_was_over_is_kept():
    (broke,) = performed(rc.observe(travel, via="otel"), "trip Hanoi")
    for seconds in (1.5, 6, 24):  # a busy machine may need more for what comes before the slow tool
        (late,) = performed(rc.observe(travel, via="otel"), "slow", limits=Limits(seconds=seconds))
        if late.calls:
            break
    assert made(broke)[2] == ("book", {"city": "Hanoi", "nights": 2}, 1, "error")
    assert (broke.stop_reason, late.stop_reason) == ("agent_error", "limit")
    assert ("get_weather", {"city": "Hanoi"}, 0, "ok") in made(late)


def test_the_users_own_exporter_still_gets_every_span(provider):
    theirs = InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(theirs))
    performed(rc.observe(travel, via="otel"), "weather Hue")
    names = {span.name for span in theirs.get_finished_spans()}
    assert {"rightcall.trial", "execute_tool get_weather"} <= names


def test_code_that_makes_no_spans_is_a_setup_error():
    with pytest.raises(rc.errors.ConfigError, match="is it instrumented"):
        performed(rc.observe(lambda golden: "hello", via="otel"), "hi")


def test_tools_cannot_be_mocked_and_objects_are_refused():
    with pytest.raises(rc.errors.ConfigError, match="cannot mock"):
        rc.observe(travel, via="otel", tools="mock")
    with pytest.raises(rc.errors.ConfigError, match="a function that takes a text"):
        rc.observe(object(), via="otel")


def test_several_turns_are_one_session():
    async def talk():
        session = rc.observe(travel, via="otel").session(Golden("weather Hue", id="g"))
        await session.turn("weather Hue")
        await session.turn("weather Hanoi")
        whole = session.trajectory()
        await session.aclose()
        return whole, session.trajectory()

    whole, afterwards = asyncio.run(talk())
    assert made(whole) == [
        ("get_weather", {"city": "Hue"}, 0, "ok"),
        ("get_weather", {"city": "Hanoi"}, 2, "ok"),
    ]
    assert whole.output == "31 degrees in Hanoi." and whole.usage.input_tokens == 400
    assert afterwards.calls == ()  # spans are forgotten with the session


def test_a_run_scores_the_calls(tmp_path):
    golden = Golden("weather Hue", expected_calls=(ExpectedCall("get_weather", {"city": "Hue"}),))
    run = rc.evaluate(rc.observe(travel, via="otel"), [golden], store=tmp_path / "runs.db")
    assert run.passed


def test_a_suite_may_ask_for_it(tmp_path, monkeypatch):
    (tmp_path / "own_agent.py").write_text(
        "async def ask(golden):\n    from tests.limbs.traces.test_traced_agent import travel\n    return await travel(golden)\n"
    )
    line = {"input": "weather Hue", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hue"}}]}
    (tmp_path / "goldens.jsonl").write_text(json.dumps(line) + "\n")
    (tmp_path / "suite.yaml").write_text(
        "dataset: goldens.jsonl\nagent: {model: 'own_agent:ask', observe: otel}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    command = ["run", str(tmp_path / "suite.yaml"), "--trust", "--store", str(tmp_path / "runs.db")]
    result = CliRunner().invoke(cli, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output
