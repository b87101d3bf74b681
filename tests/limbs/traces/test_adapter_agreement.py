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
from rightcall.agents.kinds import agent_of_kind
from rightcall.limbs.traces.reader import load_traces
from rightcall.records import Golden, Trajectory
from tests.limbs.adapters.kits.langchain import LangChainKit
from tests.limbs.adapters.kits.openai_agents import TOOLS
from tests.limbs.adapters.kits.pydantic_ai import PydanticAIKit
from tests.limbs.adapters.model_server import model_server
from tests.limbs.adapters.script import Journal, respond
from tests.limbs.traces.teams import (
    langgraph_agents,
    openai_agents as openai_team,
    pydantic_ai_agents,
    team_answer,
)


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


@asynccontextmanager
async def openai_agents_team(provider: TracerProvider) -> AsyncIterator[Any]:
    async with openai_agents(provider, agent=openai_team, answer=team_answer) as agent:
        yield agent


@asynccontextmanager
async def langgraph_team(provider: TracerProvider, named: bool = True) -> AsyncIterator[Any]:
    async with langgraph(provider):
        yield langgraph_agents(named)


@asynccontextmanager
async def unnamed_langgraph_team(provider: TracerProvider) -> AsyncIterator[Any]:
    async with langgraph_team(provider, named=False) as agent:
        yield agent


@asynccontextmanager
async def pydantic_ai_team(provider: TracerProvider, named: bool = True) -> AsyncIterator[Any]:
    async with pydantic_ai(provider):
        yield pydantic_ai_agents(named)


@asynccontextmanager
async def unnamed_pydantic_ai_team(provider: TracerProvider) -> AsyncIterator[Any]:
    async with pydantic_ai_team(provider, named=False) as agent:

        async def ask(golden: Golden) -> str:
            return str((await agent.run(golden.input, infer_name=False)).output)

        yield ask


def told_twice(
    framework: Any, tmp_path: Path, *texts: str, calls: Any = "auto"
) -> list[tuple[Trajectory, Trajectory]]:
    """What the adapter saw of each run and what its spans became, matched by what was asked."""
    spans = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))

    async def run() -> list[Trajectory]:
        async with (
            framework(provider) as agent,
            agent_of_kind(rc.Agent(rc.observe(agent, calls=calls))) as session,
        ):
            goldens = [Golden(text, id=text) for text in texts]
            return list(await asyncio.gather(*(session.performer.perform(g, 0) for g in goldens)))

    watched = asyncio.run(run())
    file = tmp_path / "spans.pb"
    file.write_bytes(encode_spans(spans.get_finished_spans()).SerializeToString())
    imported = {trace.input: trace.trajectory for trace in load_traces(file, calls=calls)}
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


TEAMS = [openai_agents_team, langgraph_team, unnamed_langgraph_team, pydantic_ai_team]
"""The same team in each framework: triage asks lookup, then hands over to billing, if the framework can."""


def work(trajectory: Trajectory) -> list[tuple[Any, ...]]:
    """Who made each call, inside which call, and whom it gives work to."""
    notes = ("parent", "handoff", "delegate", "inferred")
    return [(c.name, c.agent, c.path, *map(c.notes.get, notes)) for c in trajectory.calls]


@pytest.mark.parametrize("which", ["auto", "all"])
@pytest.mark.parametrize("framework", [*TEAMS, unnamed_pydantic_ai_team])
def test_they_agree_on_who_did_what_for_whom(framework: Any, which: Any, tmp_path: Path):
    ((seen, imported),) = told_twice(framework, tmp_path, "Refund A-7", calls=which)
    assert calls(imported) == calls(seen)
    assert work(imported) == work(seen)
    told = [(answer.agent, answer.path, answer.step, answer.tokens) for answer in seen.answers]
    assert [(a.agent, a.path, a.step, a.tokens) for a in imported.answers] == told and told
    assert imported.usage.input_tokens == seen.usage.input_tokens


@pytest.mark.parametrize("framework", TEAMS)
def test_every_call_names_its_agent_and_the_agent_it_gives_work_to(framework: Any, tmp_path: Path):
    ((seen, _),) = told_twice(framework, tmp_path, "Refund A-7", calls="all")
    inner = "" if framework is unnamed_langgraph_team else "lookup"
    assert work(seen)[:2] == [
        ("ask_lookup", "triage", ("triage",), None, None, inner or None, None),
        ("find_order", inner or None, ("triage", inner), "e1", None, None, None),
    ]
    if framework is pydantic_ai_team:  # has no hand-offs
        assert work(seen)[2:] == [("refund_order", "triage", ("triage",), *[None] * 4)]
        return
    assert work(seen)[2:] == [
        ("transfer_to_billing", "triage", ("triage",), None, "billing", None, None),
        ("refund_order", "billing", ("billing",), *[None] * 4),
    ]
