"""The adapter `pydantic_ai` with the real framework."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.usage import UsageLimits

import rightcall as rc
from rightcall.records import Golden
from tests.limbs.adapters.contract import AdapterContract, MockableTools, made, own_loop, performed
from tests.limbs.adapters.kits.pydantic_ai import TOOLS, PydanticAIKit, scripted_model
from tests.limbs.adapters.script import Answer, Call, Journal


class TestPydanticAI(AdapterContract, MockableTools):
    kit = PydanticAIKit()


def scripted(*answers: Answer) -> Any:
    return scripted_model(Journal(), lambda said, turn: answers[min(turn, len(answers) - 1)])


def test_a_tool_that_requests_a_retry_is_an_error_the_model_reads():
    async def get_weather(city: str) -> str:
        raise ModelRetry("say which country")

    agent = Agent(scripted_model(Journal()), tools=[get_weather])
    (trajectory,) = performed(rc.observe(agent), "weather Hanoi")
    assert [(c.status, c.output) for c in trajectory.calls] == [("error", "say which country")]
    assert trajectory.stop_reason == "done"


def team() -> Agent:
    expert = Agent(scripted_model(Journal()), tools=TOOLS, name="expert")

    async def ask_expert(question: str) -> str:
        return (await expert.run(question)).output

    plan = scripted(Answer(calls=(Call("ask_expert", {"question": "weather Hue"}, "e1"),)), Answer("Done."))
    return Agent(plan, tools=[ask_expert], name="boss")


@pytest.mark.parametrize(
    ("calls", "names"), [("auto", ["ask_expert"]), ("all", ["ask_expert", "get_weather"])]
)
def test_calls_of_an_agent_that_runs_inside_a_tool(calls, names):
    (trajectory,) = performed(rc.observe(team(), calls=calls), "help")
    assert [c.name for c in trajectory.calls] == names
    if calls == "all":
        assert trajectory.calls[1].notes == {"parent": "e1"} and trajectory.calls[1].agent == "expert"
    assert trajectory.usage.input_tokens == 400


class Logging(AbstractCapability):
    def __init__(self) -> None:
        self.seen: list[str] = []

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        self.seen.append("model")
        return request_context

    async def before_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
        self.seen.append(call.tool_name)
        return args


def test_the_users_own_capabilities_still_fire_in_the_same_order():
    alone = Logging()
    beside = Logging()
    asyncio.run(PydanticAIKit().agent(Journal()).run("weather Hanoi", capabilities=[alone]))

    async def ask(golden: Golden) -> str:
        return (await PydanticAIKit().agent(Journal()).run(golden.input, capabilities=[beside])).output

    performed(rc.observe(ask, via="pydantic_ai"), "weather Hanoi")
    assert beside.seen == alone.seen == ["model", "get_weather", "model"]


def test_a_sync_function_is_seen():
    def ask(golden: Golden) -> str:
        with own_loop():
            return PydanticAIKit().agent(Journal()).run_sync(golden.input).output

    (trajectory,) = performed(rc.observe(ask, via="pydantic_ai"), "weather Hanoi")
    assert made(trajectory) == [("get_weather", {"city": "Hanoi"}, 0, "ok")]


def test_the_limit_of_requests_is_a_limit():
    async def ask(golden: Golden) -> str:
        limits = UsageLimits(request_limit=3)
        return (await PydanticAIKit().agent(Journal()).run(golden.input, usage_limits=limits)).output

    (trajectory,) = performed(rc.observe(ask, via="pydantic_ai"), "loop")
    assert (trajectory.stop_reason, len(trajectory.calls)) == ("limit", 3)


class Report(BaseModel):
    city: str
    degrees: int


def test_a_structured_answer_is_its_json_and_its_tool_no_call_that_ran():
    model = scripted(Answer(calls=(Call("final_result", {"city": "Hue", "degrees": 31}, "f1"),)))
    (trajectory,) = performed(rc.observe(Agent(model, output_type=Report)), "report")
    assert trajectory.output == '{"city":"Hue","degrees":31}'
    assert trajectory.calls == ()


def test_tools_are_read_from_the_agent():
    found = {tool.name: tool for tool in rc.observe(PydanticAIKit().agent(Journal())).tools()}
    assert found["book"].input_schema["required"] == ["city", "nights"]
    assert found["get_weather"].description == "The weather in a city."
