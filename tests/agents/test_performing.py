"""From a golden to a trajectory: one turn, whole loops, a user's own agent."""

import asyncio

import pytest

from rightcall.agents.agent import Agent
from rightcall.agents.kinds import agent_of_kind
from rightcall.agents.limits import Limits
from rightcall.core.errors import ConfigError, ProviderError
from rightcall.providers.base import ModelReply
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import Golden, Message, Tool, ToolCall, Trajectory
from rightcall.tools.definitions.function import tool

WEATHER = Tool(
    "get_weather", "Current weather", {"type": "object", "properties": {"city": {"type": "string"}}}
)
GOLDEN = Golden("Weather in Hanoi?", id="g")


def perform(agent: Agent, golden: Golden = GOLDEN, trial: int = 0) -> Trajectory:
    async def run() -> Trajectory:
        async with agent_of_kind(agent) as session:
            return await session.performer.perform(golden, trial)

    return asyncio.run(run())


def scripted(*answers):
    """A model that says these things, one each turn."""
    return ScriptedProvider(lambda request: answers[min(request.turn, len(answers) - 1)])


def test_one_turn_offers_tools_and_runs_none():
    trajectory = perform(Agent(scripted(ToolCall("get_weather", {"city": "Hanoi"})), tools=[WEATHER]))
    assert [(c.name, c.arguments, c.status, c.step) for c in trajectory.calls] == [
        ("get_weather", {"city": "Hanoi"}, "not_run", 0)
    ]
    assert trajectory.stop_reason == "done"


def test_a_loop_runs_tools_tells_the_model_and_ends_with_its_answer():
    agent = Agent(
        scripted(ToolCall("get_weather", {"city": "Hanoi"}), "31 degrees"),
        tools=[WEATHER],
        mode="loop",
        mocks={"get_weather": {"result": {"celsius": 31}}},
    )
    trajectory = perform(agent)
    assert trajectory.output == "31 degrees"
    assert (trajectory.calls[0].status, trajectory.calls[0].output) == ("ok", {"celsius": 31})
    assert [message.role for message in trajectory.messages] == ["user", "assistant", "tool", "assistant"]


def test_parallel_calls_of_one_turn_each_get_their_result():
    calls = [ToolCall("get_weather", {"city": city}, id=city) for city in ("Hanoi", "Hue")]
    trajectory = perform(Agent(scripted(calls, "done"), tools=[WEATHER], mode="loop"))
    assert [call.step for call in trajectory.calls] == [0, 0]
    assert [result.call_id for result in trajectory.messages[2].results] == ["Hanoi", "Hue"]


def test_an_endless_loop_stops_at_its_limit():
    agent = Agent(scripted(ToolCall("get_weather", {"city": "Hanoi"})), tools=[WEATHER], mode="loop",
                  limits=Limits(steps=3))  # fmt: skip
    trajectory = perform(agent)
    assert (trajectory.stop_reason, len(trajectory.calls)) == ("limit", 3)
    assert "3 steps" in trajectory.error


@pytest.mark.parametrize(
    ("limits", "word"),
    [(Limits(calls=2), "2 tool calls"), (Limits(tokens=25), "tokens used"), (Limits(cost_usd=0.03), "spent")],
)
def test_calls_tokens_and_cost_are_limited_too(limits, word):
    from rightcall.records import Usage

    message = Message("assistant", calls=(ToolCall("get_weather", {"city": "Hanoi"}),))
    reply = ModelReply(message, Usage(10, 2, 0.02))
    trajectory = perform(Agent(scripted(reply), tools=[WEATHER], mode="loop", limits=limits))
    assert trajectory.stop_reason == "limit" and word in trajectory.error


def test_a_provider_that_fails_is_not_a_failure_of_the_agent():
    def broken(request):
        raise ProviderError("the server is gone", kind="unreachable")

    trajectory = perform(Agent(ScriptedProvider(broken), tools=[WEATHER]))
    assert (trajectory.stop_reason, trajectory.error) == ("infra_error", "the server is gone")


def test_a_golden_may_narrow_the_tools_and_bring_its_own_instructions():
    seen = []

    def look(request):
        seen.append((request.prompt.system, [tool.name for tool in request.prompt.tools]))
        return "ok"

    other = Tool("send_email", "Send an e-mail")
    golden = Golden("?", id="x", tools=("send_email",), system="Be brief.")
    perform(Agent(ScriptedProvider(look), tools=[WEATHER, other], system="Be kind."), golden)
    perform(Agent(ScriptedProvider(look), tools=[WEATHER, other], system="Be kind."))
    assert seen == [("Be brief.", ["send_email"]), ("Be kind.", ["get_weather", "send_email"])]


def test_trials_have_seeds_of_their_own_and_runs_repeat_them():
    seeds = []

    def note(request):
        seeds.append(request.seed)
        return "ok"

    for trial in (0, 1, 0):
        perform(Agent(ScriptedProvider(note)), trial=trial)
    assert seeds[0] == seeds[2] != seeds[1]


@pytest.mark.parametrize(
    ("made", "calls", "output"),
    [
        (Trajectory(calls=(ToolCall("a"),)), ["a"], ""),
        ([ToolCall("a"), ToolCall("b")], ["a", "b"], ""),
        ([{"role": "assistant", "content": "hi", "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "a", "arguments": "{}"}}]}], ["a"], "hi"),
        ("just words", [], "just words"),
    ],
)  # fmt: skip
def test_a_users_agent_may_return_any_of_four_things(made, calls, output):
    trajectory = perform(Agent(lambda golden: made))
    assert [call.name for call in trajectory.calls] == calls
    assert trajectory.output == output


def test_a_users_agent_may_be_async_and_its_exception_is_data():
    async def broken(golden: Golden) -> str:
        raise ValueError(f"no idea about {golden.input}")

    trajectory = perform(Agent(broken))
    assert trajectory.stop_reason == "agent_error"
    assert trajectory.error == "ValueError: no idea about Weather in Hanoi?"


def test_a_misspelt_setting_is_a_broken_setup():
    with pytest.raises(ConfigError, match="did you mean 'temperature'"):
        agent_of_kind(Agent("keyword:", settings={"temprature": 0}))


def test_tools_may_be_plain_definitions_in_a_providers_spelling():
    spelled = {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}
    seen = []

    def look(request):
        seen.extend(tool.name for tool in request.prompt.tools)
        return "ok"

    perform(Agent(ScriptedProvider(look), tools=[spelled]))
    assert seen == ["get_weather"]


def test_a_timeout_of_the_agents_own_is_its_failure_not_a_limit():
    async def agent(golden: Golden) -> str:
        raise TimeoutError("the database")

    trajectory = perform(Agent(agent))
    assert (trajectory.stop_reason, trajectory.error) == ("agent_error", "TimeoutError: the database")


def test_a_tool_that_hangs_does_not_outlast_its_case():
    @tool
    async def hang() -> str:
        """Never answers."""
        await asyncio.sleep(3600)
        return "never"

    agent = Agent(scripted(ToolCall("hang", {}, id="1"), "done"), tools=[hang], mode="loop", execute="real",
                  limits=Limits(seconds=0.5))  # fmt: skip
    trajectory = perform(agent)
    assert (trajectory.stop_reason, trajectory.error) == ("limit", "more than 0.5 seconds")
    assert trajectory.calls[0].status == "error"


def test_a_reply_with_thousands_of_calls_is_not_run():
    calls = [ToolCall("get_weather", {"city": str(i)}, id=str(i)) for i in range(1001)]
    trajectory = perform(Agent(scripted(calls, "done"), tools=[WEATHER], mode="loop"))
    assert (trajectory.stop_reason, trajectory.error) == ("limit", "more than 1,000 tool calls in one reply")
    assert {call.status for call in trajectory.calls} == {"not_run"}


def test_arguments_nested_too_deeply_are_recorded_as_no_json():
    deep: list = []
    for _ in range(500):
        deep = [deep]
    call = perform(Agent(scripted(ToolCall("get_weather", {"city": deep})), tools=[WEATHER])).calls[0]
    assert call.arguments is None
    assert call.raw.startswith('{"city":[[[')
