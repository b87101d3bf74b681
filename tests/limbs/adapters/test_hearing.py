"""One call is heard once: frameworks over clients, with what a function asks the clients itself."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import anthropic
import openai
import pytest
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

import agents
import rightcall as rc
from rightcall.agents.observed.voices import NOT_HEARD
from rightcall.records import Golden, Trajectory
from tests.limbs.adapters.contract import performed
from tests.limbs.adapters.model_server import model_server
from tests.limbs.adapters.script import Answer, Call, Journal, respond

Ask = Callable[[str], Any]


def respond_here(user: str, turn: int) -> Answer:
    """The script, with a structured answer, which ends its agent, for whoever asks for a report."""
    if "report" in user:
        return Answer(calls=(Call("final_result", {"city": "Hue", "degrees": 31}, "f1"),))
    return respond(user.rpartition(": ")[2], turn)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with model_server(Journal(), respond_here) as at:
        yield at


@dataclass(frozen=True)
class Clients:
    """Clients of one server, closed where they were used."""

    address: str
    kept: list[Any] = field(default_factory=list)

    @property
    def openai(self) -> Any:
        return self._keep(openai.AsyncOpenAI(base_url=f"{self.address}/v1", api_key="k", max_retries=0))

    @property
    def sync(self) -> Any:
        return self._keep(openai.OpenAI(base_url=f"{self.address}/v1", api_key="k", max_retries=0))

    @property
    def anthropic(self) -> Any:
        return self._keep(anthropic.AsyncAnthropic(base_url=self.address, api_key="k", max_retries=0))

    def _keep(self, client: Any) -> Any:
        self.kept.append(client)
        return client

    async def aclose(self) -> None:
        for client in self.kept:
            closing = client.close()
            if closing is not None:
                await closing


async def get_weather(city: str) -> str:
    """The weather in a city."""
    return f"31 in {city}"


def pydantic_over(model: Callable[[Clients], Any]) -> Callable[[Clients], Ask]:
    def make(clients: Clients) -> Ask:
        async def ask(text: str) -> Any:
            agent = Agent(model(clients), tools=[get_weather], output_type=[str, Report])
            return (await agent.run(text)).output

        return ask

    return make


class Report(BaseModel):
    city: str
    degrees: int


def chat_model(clients: Clients) -> Any:
    return OpenAIChatModel("m", provider=OpenAIProvider(openai_client=clients.openai))


def responses_model(clients: Clients) -> Any:
    return OpenAIResponsesModel("m", provider=OpenAIProvider(openai_client=clients.openai))


def claude_model(clients: Clients) -> Any:
    return AnthropicModel("m", provider=AnthropicProvider(anthropic_client=clients.anthropic))


def agents_over(model: type[Any]) -> Callable[[Clients], Ask]:
    def make(clients: Clients) -> Ask:
        tools: Any = [agents.function_tool(get_weather)]
        agent = agents.Agent("travel", tools=tools, model=model("m", clients.openai))

        async def ask(text: str) -> Any:
            return (await agents.Runner.run(agent, text)).final_output

        return ask

    return make


def agents_streamed(clients: Clients) -> Ask:
    model = agents.OpenAIChatCompletionsModel("m", clients.openai)
    agent = agents.Agent("travel", tools=[agents.function_tool(get_weather)], model=model)

    async def ask(text: str) -> Any:
        result = agents.Runner.run_streamed(agent, text)
        async for _ in result.stream_events():
            pass
        return result.final_output

    return ask


class ChatOpenAI(BaseChatModel):
    """A chat model of LangChain that asks by the OpenAI client."""

    client: Any

    @property
    def _llm_type(self) -> str:
        return "openai"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self.bind(tools=[{"type": "function", "function": {"name": one.name}} for one in tools])

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **more: Any) -> ChatResult:
        sent: Any = convert_to_openai_messages(messages)
        reply = self.client.chat.completions.create(model="m", messages=sent, **more).choices[0].message
        calls = [
            {"name": c.function.name, "args": json.loads(c.function.arguments), "id": c.id}
            for c in reply.tool_calls or ()
        ]
        return ChatResult(
            generations=[ChatGeneration(message=AIMessage(reply.content or "", tool_calls=calls))]
        )


def langchain_over(*, is_async: bool) -> Callable[[Clients], Ask]:
    def make(clients: Clients) -> Ask:
        graph: Any = create_agent(ChatOpenAI(client=clients.sync), tools=[tool(get_weather)])

        async def ask(text: str) -> Any:
            given = {"messages": [("user", text)]}
            state = await graph.ainvoke(given) if is_async else await asyncio.to_thread(blocking, given)
            return state["messages"][-1].text

        def blocking(given: Any) -> Any:
            return create_agent(ChatOpenAI(client=clients.sync), tools=[tool(weather)]).invoke(given)

        return ask

    return make


def weather(city: str) -> str:
    """The weather in a city."""
    return f"31 in {city}"


weather.__name__ = "get_weather"

CELLS = {
    "pydantic_ai over chat": pydantic_over(chat_model),
    "pydantic_ai over responses": pydantic_over(responses_model),
    "pydantic_ai over anthropic": pydantic_over(claude_model),
    "openai_agents over chat": agents_over(agents.OpenAIChatCompletionsModel),
    "openai_agents over responses": agents_over(agents.OpenAIResponsesModel),
    "openai_agents streamed": agents_streamed,
    "langchain over chat": langchain_over(is_async=True),
    "langchain sync over chat": langchain_over(is_async=False),
}
every_cell = pytest.mark.parametrize("cell", CELLS)


async def direct(clients: Clients, city: str) -> str:
    """A request of the function's own by a client."""
    messages: Any = [{"role": "user", "content": f"weather {city}"}]
    async with clients.openai as client:
        reply = (await client.chat.completions.create(model="m", messages=messages)).choices[0].message
    return str(reply.tool_calls[0].function.arguments)


CLOSING = {"id": "c9", "type": "function", "function": {"name": "say", "arguments": "{}"}}


def heard(
    clients: Clients, function: Callable[[str], Any], text: str = "weather Hanoi", **options: Any
) -> Trajectory:
    async def answer(golden: Golden) -> Any:
        try:
            return await function(golden.input)
        finally:
            await clients.aclose()

    (trajectory,) = performed(rc.observe(answer, **options), text)
    assert not trajectory.error
    return trajectory


def cities(trajectory: Trajectory) -> list[Any]:
    return [call.arguments["city"] for call in trajectory.calls if call.arguments]


@every_cell
def test_what_a_framework_and_its_client_both_hear_is_heard_once(cell, address):
    clients = Clients(address)
    ask = CELLS[cell](clients)
    trajectory = heard(clients, lambda text: ask(f"Customer: {text}"))
    calls = [(call.name, call.arguments, call.status) for call in trajectory.calls]
    assert calls == [("get_weather", {"city": "Hanoi"}, "ok")]
    assert trajectory.messages[0].content == "Customer: weather Hanoi"
    assert [m.role for m in trajectory.messages] == ["user", "assistant", "tool", "assistant"]
    assert (trajectory.usage.input_tokens, trajectory.usage.output_tokens) == (200, 20)


@every_cell
def test_calls_by_a_client_beside_a_framework_are_heard_in_their_order(cell, address):
    clients = Clients(address)
    ask = CELLS[cell](clients)

    async def function(text: str) -> Any:
        await direct(clients, "Before")
        answer, _ = await asyncio.gather(ask(text), direct(clients, "Beside"))
        await direct(clients, "After")
        return answer

    heard_cities = cities(heard(clients, function))
    assert (heard_cities[0], heard_cities[-1]) == ("Before", "After")
    assert sorted(heard_cities[1:-1]) == ["Beside", "Hanoi"]


@pytest.mark.parametrize("model", [chat_model, responses_model, claude_model])
def test_a_structured_answer_of_a_wrapped_agent_is_no_call(model, address):
    clients = Clients(address)
    trajectory = heard(clients, pydantic_over(model)(clients), "report")
    assert trajectory.calls == () and trajectory.output == '{"city":"Hue","degrees":31}'
    assert [m.content for m in trajectory.messages] == ["report", trajectory.output]


@pytest.mark.parametrize(
    ("last", "answer"),
    [({"content": "31 in Hanoi"}, "31 in Hanoi"), ({"tool_calls": [CLOSING]}, "")],
    ids=["a text", "a call"],
)
def test_the_answer_of_a_function_that_returns_all_its_messages_is_the_last_text(last, answer, address):
    clients = Clients(address)

    async def function(text: str) -> list[Any]:
        asked: list[Any] = [
            {"role": "user", "content": "weather Hue"},
            {"role": "assistant", "content": "cold"},
        ]
        messages = [*asked, {"role": "user", "content": text}]
        async with clients.openai as client:
            reply = (await client.chat.completions.create(model="m", messages=messages)).choices[0].message
        told = {"role": "tool", "tool_call_id": reply.tool_calls[0].id, "content": "31 in Hanoi"}
        return [*messages, reply, told, {"role": "assistant", **last}]

    assert heard(clients, function).output == answer


@pytest.mark.parametrize(
    "value", [["Hue", "Hanoi"], [], {"output": "x"}, {"city": "Hue"}, Report(city="Hue", degrees=31)]
)
def test_a_structured_answer_of_a_function_stays_what_it_is(value, address):
    clients = Clients(address)

    async def function(text: str) -> Any:
        await direct(clients, "Hanoi")
        return value

    plain = value.model_dump() if isinstance(value, Report) else value
    assert json.loads(heard(clients, function).output) == plain


def teams(clients: Clients, tool_function: Any) -> dict[str, Ask]:
    """An agent of each framework with one tool."""
    tools: Any = [agents.function_tool(tool_function)]
    handbook = agents.Agent("a", tools=tools, model=agents.OpenAIChatCompletionsModel("m", clients.openai))
    graph: Any = create_agent(ChatOpenAI(client=clients.sync), tools=[tool(description="It.")(tool_function)])
    return {
        "pydantic_ai": Agent(chat_model(clients), tools=[tool_function]).run,
        "openai_agents": lambda text: agents.Runner.run(handbook, text),
        "langchain": lambda text: graph.ainvoke({"messages": [("user", text)]}),
    }


@pytest.mark.parametrize("framework", ["pydantic_ai", "openai_agents", "langchain"])
@pytest.mark.parametrize(("calls", "expected"), [("auto", ["Hanoi"]), ("all", ["Hanoi", "Inside"])])
def test_what_a_tool_of_a_framework_asks_a_client_is_made_inside_its_call(
    framework, calls, expected, address
):
    clients = Clients(address)

    async def get_weather(city: str) -> str:
        return await direct(clients, "Inside")

    async def function(text: str) -> str:
        await teams(clients, get_weather)[framework](text)
        return "done"

    trajectory = heard(clients, function, calls=calls)
    assert cities(trajectory) == expected
    assert [c.notes.get("parent") for c in trajectory.calls] == [None, "c1-Hanoi"][: len(expected)]


def test_two_frameworks_in_one_trial_are_both_heard(address):
    clients = Clients(address)
    one, other = (CELLS[cell](clients) for cell in ("pydantic_ai over chat", "langchain over chat"))

    async def function(text: str) -> Any:
        await one("weather One")
        return await other("weather Other")

    assert cities(heard(clients, function)) == ["One", "Other"]


@every_cell
def test_a_client_is_heard_after_a_framework_that_failed(cell, address):
    nowhere = Clients("http://127.0.0.1:9")
    clients = Clients(address)

    async def function(text: str) -> Any:
        with pytest.raises(Exception, match=r"."):
            await CELLS[cell](nowhere)(text)
        await nowhere.aclose()
        return await direct(clients, "Instead")

    assert cities(heard(clients, function)) == ["Instead"]


def test_a_conversation_that_an_agent_kept_from_earlier_trials_is_noted(address):
    kept: list[Any] = []
    clients = Clients(address)

    async def function(text: str) -> str:
        kept.append({"role": "user", "content": text})
        async with clients.openai as client:
            reply = (await client.chat.completions.create(model="m", messages=kept)).choices[0].message
        kept.append({"role": "assistant", "content": reply.tool_calls[0].function.arguments})
        return "done"

    heard(clients, function, "weather One")
    (first, *_) = heard(clients, function, "weather Two").messages
    assert (first.content, first.note) == ("weather Two", "after 2 earlier messages")


def test_what_was_not_heard_says_so(address):
    (first, *_) = heard(Clients(address), lambda text: asyncio.sleep(0, "an answer"), via="openai").messages
    assert (first.content, first.note) == ("weather Hanoi", NOT_HEARD)
