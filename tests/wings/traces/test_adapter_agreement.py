"""One run, recorded twice: the adapter that observed it and the importer that reads its spans agree call by call."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from openai import AsyncOpenAI
from openinference.instrumentation.langchain import LangChainInstrumentor
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic_ai import Agent as PydanticAgent, InstrumentationSettings

import rightcall as rc
from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, set_trace_processors
from rightcall.agents.session import Session
from rightcall.model import Golden, Trajectory
from rightcall.wings.traces.reader import load_traces
from tests.wings.adapters.kits.langchain import LangChainKit
from tests.wings.adapters.kits.openai_agents import TOOLS, get_weather
from tests.wings.adapters.kits.pydantic_ai import PydanticAIKit
from tests.wings.adapters.model_server import model_server
from tests.wings.adapters.script import Answer, Call, Journal, respond


@asynccontextmanager
async def pydantic_ai(provider: TracerProvider) -> AsyncIterator[Any]:
    PydanticAgent.instrument_all(InstrumentationSettings(tracer_provider=provider))
    try:
        yield PydanticAIKit().agent(Journal())
    finally:
        PydanticAgent.instrument_all(False)


@asynccontextmanager
async def langgraph(provider: TracerProvider) -> AsyncIterator[Any]:
    instrumentor = LangChainInstrumentor()
    instrumentor.instrument(tracer_provider=provider)
    try:
        yield LangChainKit().agent(Journal())
    finally:
        instrumentor.uninstrument()


def one(model: Any) -> Agent:
    return Agent("travel", instructions="Help.", tools=list(TOOLS), model=model)


@asynccontextmanager
async def openai_agents(
    provider: TracerProvider, make: Any = OpenAIResponsesModel, agent: Any = one, answer: Any = respond
) -> AsyncIterator[Any]:
    """With the SDK's own model, which makes the spans, against a scripted server."""
    instrumentor = OpenAIAgentsInstrumentor()
    instrumentor.instrument(tracer_provider=provider, exclusive_processor=True)
    try:
        with model_server(Journal(), answer) as address:
            async with AsyncOpenAI(api_key="none", base_url=f"{address}/v1", max_retries=0) as client:
                yield agent(make("scripted", client))
    finally:
        instrumentor.uninstrument()
        set_trace_processors([])


@asynccontextmanager
async def openai_agents_chat(provider: TracerProvider) -> AsyncIterator[Any]:
    async with openai_agents(provider, OpenAIChatCompletionsModel) as agent:
        yield agent


def told_twice(framework: Any, tmp_path: Path, *texts: str) -> list[tuple[Trajectory, Trajectory]]:
    """What the adapter saw of each run and what its spans became, matched by what was asked."""
    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))

    async def run() -> list[Trajectory]:
        async with framework(provider) as agent, Session(rc.Agent(rc.observe(agent))) as session:
            goldens = [Golden(text, id=text) for text in texts]
            return list(await asyncio.gather(*(session.performer.perform(g, 0) for g in goldens)))

    watched = asyncio.run(run())
    file = tmp_path / "spans.pb"
    file.write_bytes(encode_spans(spans.get_finished_spans()).SerializeToString())
    imported = {trace.input: trace.trajectory for trace in load_traces(file)}
    assert len(imported) == len(texts)
    return [(seen, imported[text]) for text, seen in zip(texts, watched, strict=True)]


def calls(trajectory: Trajectory) -> list[tuple[Any, ...]]:
    return [(c.name, c.arguments, c.raw, c.id, c.step, c.status) for c in trajectory.calls]


FRAMEWORKS = [openai_agents, openai_agents_chat, langgraph, pydantic_ai]


@pytest.mark.parametrize("text", ["weather Hue", "trip Hanoi", "malformed", "unknown"])
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_adapter_and_importer_agree_on_calls_answer_and_tokens(framework: Any, text: str, tmp_path: Path):
    ((seen, imported),) = told_twice(framework, tmp_path, text)
    assert calls(imported) == calls(seen)
    assert imported.output == seen.output
    assert imported.stop_reason == seen.stop_reason
    assert (imported.usage.input_tokens, imported.usage.output_tokens) == (
        seen.usage.input_tokens,
        seen.usage.output_tokens,
    )


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_they_agree_on_runs_that_happen_at_once(framework: Any, tmp_path: Path):
    for seen, imported in told_twice(framework, tmp_path, *(f"trip City{i}" for i in range(12))):
        assert calls(imported) == calls(seen)


def team(model: Any) -> Agent:
    """A triage agent that hands over to billing, which asks an expert as a tool."""
    expert = Agent("expert", tools=[get_weather], model=model)
    billing = Agent("billing", tools=[expert.as_tool("ask_expert", "Ask")], model=model)
    return Agent("triage", handoffs=[billing], model=model)


def teamwork(said: str, turn: int) -> Answer:
    if said != "help":
        return respond(said, turn)
    handoff, question = (
        Call("transfer_to_billing", {}, "h1"),
        Call("ask_expert", {"input": "weather Hue"}, "e1"),
    )
    return (Answer(calls=(handoff,)), Answer(calls=(question,)), Answer("Settled."))[turn]


def test_they_agree_on_handoffs_and_on_agents_used_as_tools(tmp_path: Path):
    @asynccontextmanager
    async def framework(provider: TracerProvider) -> AsyncIterator[Any]:
        async with openai_agents(provider, agent=team, answer=teamwork) as agent:
            yield agent

    ((seen, imported),) = told_twice(framework, tmp_path, "help")
    assert calls(imported) == calls(seen)
    assert [call.notes for call in imported.calls] == [call.notes for call in seen.calls]
    assert imported.usage.input_tokens == seen.usage.input_tokens == 500
