"""`improve` proves a change for an agent whose code defines its tools: they are changed in its requests."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import openai
import pytest
from benchmarks.planted import planted
from benchmarks.planted_suites.domains import HELD_OUT
from benchmarks.planted_suites.provider import ReadingModel

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.agents.observed.observed_agent import ObservedAgent
from rightcall.core.errors import ConfigError
from rightcall.improve.proof.options import ImproveOptions
from rightcall.improve.proof.protocol import improve_plan
from rightcall.improve.variant import redefine_agent
from rightcall.records import Message, Tool
from rightcall.records.dialects import read_messages, read_tool, write_tool
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store
from tests.limbs.adapters.script import Answer, Call
from tests.support.code_agents import answering_server


def own_agent(suite: Any, address: str) -> ObservedAgent:
    """A loop of the user's own, with its own list of tools and its own instructions."""
    offered: Any = [write_tool(tool, "openai") for tool in suite.tools]

    def agent(golden: rc.Golden) -> str:
        messages: list[Any] = [{"role": "user", "content": golden.input}]
        if suite.system:
            messages.insert(0, {"role": "system", "content": suite.system})
        with openai.OpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0) as client:
            while True:
                reply = client.chat.completions.create(model=golden.id, messages=messages, tools=offered)
                message = reply.choices[0].message
                if not message.tool_calls:
                    return message.content or ""
                messages.append(message.model_dump(exclude_none=True))
                for call in message.tool_calls:
                    messages.append({"role": "tool", "tool_call_id": call.id, "content": '{"ok": true}'})

    return rc.observe(agent)


def reader_of(suite: Any) -> Any:
    """What the scripted reader answers to a request; it reads the definitions that it is sent."""
    model = ReadingModel(suite)

    def answer(body: Any) -> Answer:
        messages = read_messages(body["messages"], "request")
        if messages[-1].role == "tool":
            return Answer("Done.")
        system = "".join(message.content for message in messages if message.role == "system")
        tools = [read_tool(tool, "tools") for tool in body["tools"]]
        prompt = SimpleNamespace(tools=tools, system=system)
        request = SimpleNamespace(
            prompt=prompt, golden_id=body["model"], trial=len(json.dumps(tools[0].description))
        )
        said: Message = asyncio.run(model.complete(request)).message
        return Answer(
            said.content, tuple(Call(c.name, c.arguments, f"c{at}") for at, c in enumerate(said.calls))
        )

    return answer


@pytest.mark.stories
def test_a_gain_is_proven_for_an_own_loop_with_its_definitions_changed_on_their_way(tmp_path):
    suite, (truth,) = planted(HELD_OUT[0], ["unit"], "improve", 20)
    with answering_server(reader_of(suite)) as address, open_store(tmp_path / "s.db") as store:
        plan = Plan("own", Agent(own_agent(suite, address)), suite.goldens, trials=3, concurrency=4)
        run = asyncio.run(run_plan(plan, store)).run.id
        found = asyncio.run(improve_plan(plan, store, run, ImproveOptions()))
    assert found.outcome == "accepted", found.sentence
    assert found.edits[0]["path"] == ["input_schema", "properties", truth.parameter, "description"]
    assert "in minutes" in found.patch


@pytest.mark.parametrize(
    ("tools", "fields", "words"),
    [
        ([Tool("a", "New."), Tool("b")], {}, ""),
        ([Tool("a"), Tool("b")], {"system": "Be brief. Call no tool for thanks."}, ""),
        ([Tool("a"), Tool("b")], {"system": "Be kind."}, "can only be added to"),
        ([Tool("b"), Tool("a")], {}, "not other names, tools or orders"),
        ([Tool("a")], {}, "not other names, tools or orders"),
        ([Tool("a"), Tool("c")], {"renamed": {"c": "b"}}, "not other names, tools or orders"),
    ],
)
def test_an_own_loop_is_given_other_texts_and_nothing_that_its_code_could_not_run(tools, fields, words):
    agent = Agent(rc.observe(lambda text: text), tools=[Tool("a"), Tool("b")], system="Be brief.")
    if words:
        with pytest.raises(ConfigError, match=words):
            redefine_agent(agent, tools, **fields)
    else:
        changed = redefine_agent(agent, tools, **fields).model
        assert isinstance(changed, ObservedAgent)
        expected = ({"a": Tool("a", "New.")}, "") if not fields else ({}, "Call no tool for thanks.")
        assert (changed.change.tools, changed.change.paragraph) == expected
