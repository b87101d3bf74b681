"""The adapter `langchain` with the real framework."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, TypedDict

import pytest
from langchain.agents import AgentState, create_agent
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, ToolException, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import Command

import rightcall as rc
from rightcall.core.errors import InputError
from rightcall.limbs.adapters.langchain_desk import calls_in
from rightcall.records import Golden, Trajectory
from rightcall.tools.faults.plan import read_plan
from tests.limbs.adapters.contract import AdapterContract, MockableTools, made, performed
from tests.limbs.adapters.kits.langchain import TOOLS, LangChainKit, ScriptedChatModel, get_weather
from tests.limbs.adapters.script import Answer, Call, Journal, weather_of


class TestLangChain(AdapterContract, MockableTools):
    kit = LangChainKit()


def scripted(*answers: Answer) -> ScriptedChatModel:
    return ScriptedChatModel(
        journal=Journal(), respond_to=lambda said, turn: answers[min(turn, len(answers) - 1)]
    )


def test_a_tool_exception_that_is_handled_is_an_error_though_no_error_event_came():
    def fail(city: str) -> str:
        """The weather."""
        raise ToolException("closed")

    from langchain_core.tools import StructuredTool

    closed = StructuredTool.from_function(fail, name="get_weather", handle_tool_error=True)
    agent = create_agent(ScriptedChatModel(journal=Journal()), tools=[closed])
    (trajectory,) = performed(rc.observe(agent), "weather Hanoi")
    assert [(c.status, c.output) for c in trajectory.calls] == [("error", "closed")]
    assert trajectory.stop_reason == "done"


def test_the_result_of_a_tool_that_raised_is_what_the_model_reads_and_the_exception_is_a_note():
    @tool
    async def get_weather(city: str) -> str:
        """The weather."""
        raise ValueError("WEATHER_KEY is not set")

    journal = Journal()
    graph = StateGraph(MessagesState)
    model = ScriptedChatModel(journal=journal).bind_tools([get_weather])
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([get_weather], handle_tool_errors="Try another tool."))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    (trajectory,) = performed(rc.observe(graph.compile()), "weather Hanoi")
    (call,) = trajectory.calls
    assert (call.status, call.output, call.notes) == (
        "error",
        "Try another tool.",
        {"raised": "ValueError: WEATHER_KEY is not set"},
    )
    assert "Try another tool." in str(journal.requests[-1])


def test_arguments_that_end_the_run_silently_are_flagged():
    (trajectory,) = performed(rc.observe(LangChainKit().agent(Journal())), "malformed")
    assert trajectory.calls[0].notes["malformed_call_ended_run"] is True
    assert (trajectory.output, trajectory.stop_reason) == ("", "done")


def test_calls_in_any_field_or_block_of_an_answer_are_seen():
    """Those of a provider's own tools are in blocks, or in `additional_kwargs`, and not in `tool_calls`."""
    search = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}}
    own = {"type": "web_search_call", "id": "w", "action": {"type": "search"}, "status": "completed"}
    answer = AIMessage(
        [{"type": "text", "text": "Hm."}, search],
        tool_calls=[{"name": "get_weather", "args": {"city": "Hue"}, "id": "c"}],
        additional_kwargs={"tool_outputs": [own]},
    )
    assert [call.name for call in calls_in(answer)] == ["get_weather", "web_search", "web_search"]
    with pytest.raises(InputError, match="hologram"):
        calls_in(AIMessage([{"type": "hologram"}]))


def expert_team() -> Any:
    expert = create_agent(ScriptedChatModel(journal=Journal()), tools=TOOLS, name="expert")

    @tool
    async def ask_expert(question: str) -> str:
        """Ask the expert."""
        state = await expert.ainvoke({"messages": [("user", question)]})
        return state["messages"][-1].text

    model = scripted(Answer(calls=(Call("ask_expert", {"question": "weather Hue"}, "e1"),)), Answer("Done."))
    return create_agent(model, tools=[ask_expert], name="boss")


@pytest.mark.parametrize(
    ("calls", "names"), [("auto", ["ask_expert"]), ("all", ["ask_expert", "get_weather"])]
)
def test_calls_inside_a_graph_used_as_a_tool(calls, names):
    (trajectory,) = performed(rc.observe(expert_team(), calls=calls), "help")
    assert [c.name for c in trajectory.calls] == names
    if calls == "all":
        assert trajectory.calls[1].notes == {"parent": "e1"}
        assert trajectory.calls[1].path == ("boss", "expert")
    assert trajectory.usage.input_tokens == 400


class Logging(BaseCallbackHandler):
    def __init__(self) -> None:
        self.seen: list[str] = []

    def on_chat_model_start(self, *_: Any, **__: Any) -> None:
        self.seen.append("model")

    def on_llm_end(self, *_: Any, **__: Any) -> None:
        self.seen.append("answer")

    def on_tool_start(self, *_: Any, **__: Any) -> None:
        self.seen.append("tool")

    def on_tool_end(self, *_: Any, **__: Any) -> None:
        self.seen.append("result")


def test_the_users_own_callbacks_still_fire_in_the_same_order():
    graph = LangChainKit().agent(Journal())
    alone = Logging()
    beside = Logging()
    given = {"messages": [("user", "weather Hanoi")]}
    asyncio.run(graph.ainvoke(given, config={"callbacks": [alone]}))

    async def ask(golden: Golden) -> str:
        return (await graph.ainvoke(given, config={"callbacks": [beside]}))["messages"][-1].text

    performed(rc.observe(ask, via="langchain"), "weather Hanoi")
    assert beside.seen == alone.seen == ["model", "answer", "tool", "result", "model", "answer"]


def test_a_sync_function_and_one_that_streams_are_seen():
    graph = LangChainKit().agent(Journal())

    @tool("get_weather")
    def sync_weather(city: str) -> str:
        """The weather."""
        return weather_of(city)

    blocking = create_agent(ScriptedChatModel(journal=Journal()), tools=[sync_weather])

    def ask_sync(golden: Golden) -> str:
        return blocking.invoke({"messages": [("user", golden.input)]})["messages"][-1].text

    async def ask_streamed(golden: Golden) -> str:
        last = {}
        async for state in graph.astream({"messages": [("user", golden.input)]}, stream_mode="values"):
            last = state
        return last["messages"][-1].text

    for function in (ask_sync, ask_streamed):
        (trajectory,) = performed(rc.observe(function, via="langchain"), "weather Hanoi")
        assert made(trajectory) == [("get_weather", {"city": "Hanoi"}, 0, "ok")]


def test_a_sync_tool_can_be_mocked_too():
    @tool("get_weather")
    def sync_weather(city: str) -> str:
        """The weather."""
        raise AssertionError("ran for real")

    agent = create_agent(ScriptedChatModel(journal=Journal()), tools=[sync_weather])
    observed = rc.observe(agent, tools="mock")
    (trajectory,) = performed(observed, "weather Hanoi", mocks={"get_weather": {"result": "snow"}})
    assert [(c.status, c.output) for c in trajectory.calls] == [("ok", "snow")]


def test_a_graph_with_a_checkpointer_gets_a_new_thread_for_every_trial():
    journal = Journal()
    graph = create_agent(ScriptedChatModel(journal=journal), tools=TOOLS, checkpointer=InMemorySaver())

    async def talk() -> list[Trajectory]:
        found = []
        for _ in range(2):
            session = rc.observe(graph).session(Golden("weather Hanoi", id="g"))
            await session.turn("weather Hanoi")
            await session.turn("weather Hue")
            await session.aclose()
            found.append(session.trajectory())
        return found

    first, second = asyncio.run(talk())
    assert made(first) == made(second)
    assert len(first.messages) == 8
    assert "Hanoi" in journal.requests[2] and "Hue" in journal.requests[2]  # the second turn knows the first


@tool
def look_up(city: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Look up a city."""
    told = ToolMessage(f"31 in {city}", tool_call_id=tool_call_id)
    return Command(update={"messages": [told], "notes": [city]})


class Noted(AgentState[Any]):
    notes: list[str]


FAULTS = read_plan({"faults": [{"tool": "get_weather", "type": "error_5xx_before"}]}, "faults")


@pytest.mark.parametrize("options", [{}, {"faults": FAULTS}], ids=["as it is", "at the desk"])
def test_the_result_of_a_tool_that_returns_a_command_is_what_the_model_reads(options):
    model = scripted(Answer(calls=(Call("look_up", {"city": "Hue"}, "c1"),)), Answer("Done."))
    agent = create_agent(model, tools=[look_up, get_weather], state_schema=Noted)
    observed = rc.observe(agent, output=lambda state: state["notes"])
    (trajectory,) = performed(observed, "help", **options)
    assert [(c.output, c.status) for c in trajectory.calls] == [("31 in Hue", "ok")]
    assert trajectory.output == '["Hue"]'


class State(TypedDict):
    question: str
    answer: str


def lookup_graph() -> Any:
    model = ScriptedChatModel(journal=Journal()).bind_tools([get_weather])

    async def node(state: State) -> dict[str, str]:
        reply = await model.ainvoke(state["question"])
        return {"answer": await get_weather.ainvoke(reply.tool_calls[0]["args"])}

    graph = StateGraph(State)
    graph.add_node("look", node)
    graph.add_edge(START, "look")
    graph.add_edge("look", END)
    return graph.compile()


def test_a_graph_without_messages_says_how_it_is_asked():
    agent = rc.observe(
        lookup_graph(), input=lambda g: {"question": g.input}, output=lambda state: state["answer"]
    )
    (trajectory,) = performed(agent, "weather Hanoi")
    assert made(trajectory) == [("get_weather", {"city": "Hanoi"}, 0, "ok")]
    assert trajectory.output == "31 in Hanoi"


def test_a_graph_without_messages_is_refused_with_what_to_write():
    with pytest.raises(rc.errors.ConfigError, match=r"takes no messages.*input=lambda golden"):
        performed(rc.observe(lookup_graph()), "weather Hanoi")


def test_a_chat_model_with_tools_bound_is_an_agent_of_one_answer():
    model = ScriptedChatModel(journal=Journal()).bind_tools([get_weather])
    (trajectory,) = performed(rc.observe(model), "weather Hanoi")
    assert made(trajectory) == [("get_weather", {"city": "Hanoi"}, 0, "not_run")]


def test_tools_are_read_from_the_graph():
    found = {one.name: one for one in rc.observe(LangChainKit().agent(Journal())).tools()}
    assert found["book"].input_schema["required"] == ["city", "nights"]
    assert found["get_weather"].description == "The weather in a city."
