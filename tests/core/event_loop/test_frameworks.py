"""Agents whose clients keep connections answer every blocking call of a process: three evaluations, three notebook cells,
twenty tests, whether the agent is an object, an async or a synchronous function."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openai
import pytest

import rightcall as rc
from rightcall.core.event_loop import run_blocking
from rightcall.records import ExpectedCall, Golden
from tests.limbs.adapters.model_server import model_server
from tests.limbs.adapters.script import Journal

pytestmark = pytest.mark.stories

GOLDENS = [
    Golden(
        f"weather City{number}",
        id=f"g{number}",
        expected_calls=(ExpectedCall("get_weather", {"city": f"City{number}"}),),
    )
    for number in range(4)
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with model_server(Journal()) as address:
        yield address


_clients: list[openai.AsyncOpenAI] = []


def client(address: str) -> openai.AsyncOpenAI:
    _clients.append(openai.AsyncOpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0))
    return _clients[-1]


@pytest.fixture(autouse=True)
def clients_end_here() -> Iterator[None]:
    yield
    while _clients:
        run_blocking(_clients.pop().close())


def openai_agents(address: str) -> dict[str, Any]:
    from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_trace_processors

    set_trace_processors([])

    @function_tool
    def get_weather(city: str) -> str:
        """The weather in a city."""
        return f"sunny in {city}"

    agent = Agent(
        "travel", tools=[get_weather], model=OpenAIChatCompletionsModel("m", openai_client=client(address))
    )

    async def asynchronous(golden: Golden) -> str:
        return str((await Runner.run(agent, golden.input)).final_output)

    return {
        "object": agent,
        "async": asynchronous,
        "run_sync": lambda golden: str(Runner.run_sync(agent, golden.input).final_output),
    }


def pydantic_ai(address: str) -> dict[str, Any]:
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    agent = Agent(OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client(address))))

    @agent.tool_plain
    def get_weather(city: str) -> str:
        """The weather in a city."""
        return f"sunny in {city}"

    async def asynchronous(golden: Golden) -> str:
        return str((await agent.run(golden.input)).output)

    return {
        "object": agent,
        "async": asynchronous,
        "run_sync": lambda golden: str(agent.run_sync(golden.input).output),
    }


def langchain(address: str) -> dict[str, Any]:
    from langchain.agents import create_agent
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, convert_to_openai_messages
    from langchain_core.outputs import ChatGeneration, ChatResult
    from langchain_core.tools import tool

    shared = client(address)

    class PooledModel(BaseChatModel):
        """As `ChatOpenAI`, whose package is not installed here: one client for all calls."""

        _llm_type = "pooled"

        def bind_tools(self, tools: Any, **options: Any) -> Any:
            return self

        def _generate(self, *args: Any, **options: Any) -> ChatResult:
            raise NotImplementedError

        async def _agenerate(self, messages: Any, *args: Any, **options: Any) -> ChatResult:
            plain = convert_to_openai_messages(messages)
            answer = (await shared.chat.completions.create(model="m", messages=plain)).choices[0].message
            calls = [
                {"name": c.function.name, "args": json.loads(c.function.arguments), "id": c.id}
                for c in answer.tool_calls or ()
            ]
            made = AIMessage(answer.content or "", tool_calls=calls)
            return ChatResult(generations=[ChatGeneration(message=made)])

    @tool
    def get_weather(city: str) -> str:
        """The weather in a city."""
        return f"sunny in {city}"

    agent = create_agent(PooledModel(), [get_weather])

    async def asynchronous(golden: Golden) -> str:
        told = await agent.ainvoke({"messages": [{"role": "user", "content": golden.input}]})
        return str(told["messages"][-1].content)

    return {
        "object": agent,
        "async": asynchronous,
    }


def openai_sdk(address: str) -> dict[str, Any]:
    tools = [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}]
    shared = client(address)

    async def asynchronous(golden: Golden) -> str:
        messages: list[Any] = [{"role": "user", "content": golden.input}]
        while True:
            answer = (
                await shared.chat.completions.create(model="m", messages=messages, tools=tools)
            ).choices[0].message  # fmt: skip
            messages.append(answer)
            if not answer.tool_calls:
                return str(answer.content)
            messages += [
                {"role": "tool", "tool_call_id": c.id, "content": "sunny"} for c in answer.tool_calls
            ]

    return {"async": asynchronous}


FRAMEWORKS = {
    "openai_agents": openai_agents,
    "pydantic_ai": pydantic_ai,
    "langchain": langchain,
    "openai": openai_sdk,
}
KINDS = [
    *(("openai_agents", kind) for kind in ("object", "async", "run_sync")),
    *(("pydantic_ai", kind) for kind in ("object", "async", "run_sync")),
    *(("langchain", kind) for kind in ("object", "async")),
    ("openai", "async"),
]


def evaluated(agent: Any, store: str) -> list[tuple[str, str, bool]]:
    found = rc.evaluate(
        agent, GOLDENS, metrics=["tool_selection", "argument_match"], store=store, concurrency=4
    )
    return sorted((r.golden_id, r.trajectory.error, r.passed) for r in found.results)


GOOD = sorted((golden.id, "", True) for golden in GOLDENS)


QUICK = (
    ("openai_agents", "run_sync"),
    ("pydantic_ai", "object"),
    ("langchain", "async"),
    ("openai", "async"),
)
"""Each framework and each kind once; the others are tried in `make nightly`."""


@pytest.mark.parametrize(
    ("framework", "kind"),
    [pytest.param(*row, marks=() if row in QUICK else pytest.mark.nightly) for row in KINDS],
)
def test_three_evaluations_three_cells_and_twenty_tests_agree(address, tmp_path, framework, kind):
    agent = rc.observe(FRAMEWORKS[framework](address)[kind], via=framework)
    store = str(tmp_path / "store.db")

    async def cells() -> list[Any]:
        return [evaluated(agent, store) for _ in range(3)]

    assert [evaluated(agent, store) for _ in range(3)] == [GOOD] * 3
    assert asyncio.run(cells()) == [GOOD] * 3
    for number in range(20 if kind in ("object", "run_sync") else 3):
        golden = GOLDENS[number % len(GOLDENS)]
        rc.assert_test(golden=golden, agent=agent, metrics=["tool_selection"])


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_one_client_serves_every_kind_of_agent_in_one_process(address, tmp_path, framework):
    kinds = FRAMEWORKS[framework](address)
    agents: list[Callable[..., Any]] = [rc.observe(agent, via=framework) for agent in kinds.values()]
    for agent in agents * 2:
        assert evaluated(agent, str(tmp_path / "store.db")) == GOOD


ANOTHER_LOOP = {
    "asyncio.run around a client": lambda agent, store: rc.evaluate(
        lambda text: asyncio.run(agent(text)), GOLDENS, store=store, concurrency=1
    ),
    "aevaluate after evaluate": lambda agent, store: [
        rc.evaluate(agent, GOLDENS, store=store),
        asyncio.run(rc.aevaluate(agent, GOLDENS, store=store)),
    ][-1],
    "two threads": lambda agent, store: [
        in_thread(lambda: rc.evaluate(agent, GOLDENS, store=store)),
        rc.evaluate(agent, GOLDENS, store=store),
    ][-1],
}


def in_thread(function: Callable[[], Any]) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


@pytest.mark.parametrize("door", ANOTHER_LOOP)
def test_a_client_of_another_loop_fails_with_what_to_do(tmp_path, door):
    """A lock is bound to the first loop on which somebody waits for it, as a connection to that which opened it."""
    lock = asyncio.Lock()

    async def agent(text: str) -> str:
        async with lock:
            await asyncio.sleep(0.01)
            return "sunny"

    async def crowded(text: str) -> str:
        answers = await asyncio.gather(agent(text), agent(text))
        return answers[0]

    try:
        run = ANOTHER_LOOP[door](crowded, str(tmp_path / "store.db"))
        errors = {result.trajectory.error for result in run.results} - {""}
    except rc.errors.ConfigError as error:  # the first two goldens end the same way
        errors = {str(error)}
    assert errors and all("make its function `async def`" in error for error in errors)
