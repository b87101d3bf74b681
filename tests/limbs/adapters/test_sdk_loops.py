"""Loops that people write on the OpenAI and Anthropic clients, watched with the real packages on a loopback server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import anthropic
import openai
import pytest

import rightcall as rc
from rightcall.agents.limits import Limits
from rightcall.records import Golden
from tests.limbs.adapters.contract import TRIP, made, performed
from tests.limbs.adapters.model_server import model_server
from tests.limbs.adapters.script import Journal, book_room, weather_of

SCHEMAS = {
    "get_weather": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    "book": {"type": "object", "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}}},
}
CHAT_TOOLS: Any = [{"type": "function", "function": {"name": n, "parameters": s}} for n, s in SCHEMAS.items()]
FLAT_TOOLS: Any = [
    {"type": "function", "name": n, "parameters": s, "strict": False} for n, s in SCHEMAS.items()
]
CLAUDE_TOOLS: Any = [{"name": n, "description": n, "input_schema": s} for n, s in SCHEMAS.items()]


CLIENTS: list[Any] = []


def kept(client: Any) -> Any:
    """A client that is closed when the test ends."""
    CLIENTS.append(client)
    return client


def run_tool(name: str, arguments: str) -> tuple[str, bool]:
    """What a careful loop does: it reports a failed tool to the model."""
    try:
        given = json.loads(arguments)
        return (weather_of(**given) if name == "get_weather" else book_room(**given)), False
    except Exception as error:
        return f"error: {error!r}", True


def chat(address: str, golden: Golden) -> str:
    client = kept(openai.OpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0))
    messages: list[Any] = [{"role": "system", "content": "Help."}, {"role": "user", "content": golden.input}]
    while True:
        reply = (
            client.chat.completions.create(model="m", messages=messages, tools=CHAT_TOOLS).choices[0].message
        )
        if not reply.tool_calls:
            return reply.content or ""
        messages.append(reply)
        for call in reply.tool_calls:
            content = run_tool(call.function.name, call.function.arguments)[0]
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})


async def chat_async(address: str, golden: Golden) -> str:
    async with openai.AsyncOpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0) as client:
        messages: list[Any] = [{"role": "user", "content": golden.input}]
        while True:
            whole = await client.chat.completions.create(model="m", messages=messages, tools=CHAT_TOOLS)
            reply = whole.choices[0].message
            if not reply.tool_calls:
                return reply.content or ""
            messages.append(reply.model_dump(exclude_none=True))
            for call in reply.tool_calls:
                content = run_tool(call.function.name, call.function.arguments)[0]
                messages.append({"role": "tool", "tool_call_id": call.id, "content": content})


def chat_streamed(address: str, golden: Golden) -> str:
    client = kept(openai.OpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0))
    messages: list[Any] = [{"role": "user", "content": golden.input}]
    while True:
        texts = []
        calls = {}
        for chunk in client.chat.completions.create(
            model="m", messages=messages, tools=CHAT_TOOLS, stream=True
        ):
            for choice in chunk.choices:
                texts.append(choice.delta.content or "")
                for piece in choice.delta.tool_calls or ():
                    call = calls.setdefault(piece.index, {"id": piece.id, "type": "function",
                                                          "function": {"name": "", "arguments": ""}})  # fmt: skip
                    call["function"]["name"] += piece.function.name or ""
                    call["function"]["arguments"] += piece.function.arguments or ""
        if not calls:
            return "".join(texts)
        messages.append({"role": "assistant", "content": None, "tool_calls": list(calls.values())})
        for call in calls.values():
            content = run_tool(call["function"]["name"], call["function"]["arguments"])[0]
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})


async def chat_stream_helper(address: str, golden: Golden) -> str:
    async with openai.AsyncOpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0) as client:
        messages: list[Any] = [{"role": "user", "content": golden.input}]
        while True:
            async with client.chat.completions.stream(
                model="m", messages=messages, tools=CHAT_TOOLS
            ) as stream:
                reply = (await stream.get_final_completion()).choices[0].message
            if not reply.tool_calls:
                return reply.content or ""
            messages.append(reply.model_dump(exclude_none=True, exclude={"parsed"}))
            for call in reply.tool_calls:
                content = run_tool(call.function.name, call.function.arguments)[0]
                messages.append({"role": "tool", "tool_call_id": call.id, "content": content})


def responses_by_id(address: str, golden: Golden) -> str:
    client = kept(openai.OpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0))
    given: Any = golden.input
    before: Any = openai.omit
    while True:
        reply = client.responses.create(model="m", input=given, tools=FLAT_TOOLS, previous_response_id=before)
        calls = [item for item in reply.output if item.type == "function_call"]
        if not calls:
            return reply.output_text
        given = [
            {"type": "function_call_output", "call_id": c.call_id, "output": run_tool(c.name, c.arguments)[0]}
            for c in calls
        ]
        before = reply.id


def responses_streamed(address: str, golden: Golden) -> str:
    client = kept(openai.OpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0))
    items: list[Any] = [{"role": "user", "content": golden.input}]
    while True:
        events = list(client.responses.create(model="m", input=items, tools=FLAT_TOOLS, stream=True))
        reply = events[-1].response
        calls = [item for item in reply.output if item.type == "function_call"]
        if not calls:
            return reply.output_text
        items += [item.model_dump(exclude_none=True) for item in reply.output]
        items += [
            {"type": "function_call_output", "call_id": c.call_id, "output": run_tool(c.name, c.arguments)[0]}
            for c in calls
        ]


def responses_interleaved(address: str, golden: Golden) -> str:
    """Each call followed by its output, as OpenAI's guide writes it."""
    client = kept(openai.OpenAI(base_url=f"{address}/v1", api_key="k", max_retries=0))
    items: list[Any] = [{"role": "user", "content": golden.input}]
    while True:
        reply = client.responses.create(model="m", input=items, tools=FLAT_TOOLS)
        calls = [item for item in reply.output if item.type == "function_call"]
        if not calls:
            return reply.output_text
        for call in calls:
            output = run_tool(call.name, call.arguments)[0]
            items.append(call)
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": output})


def claude(address: str, golden: Golden) -> str:
    client = kept(anthropic.Anthropic(base_url=address, api_key="k", max_retries=0))
    messages: list[Any] = [{"role": "user", "content": golden.input}]
    while True:
        reply = client.messages.create(model="m", max_tokens=100, messages=messages, tools=CLAUDE_TOOLS)
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return "".join(block.text for block in reply.content if block.type == "text")
        messages += [
            {"role": "assistant", "content": reply.content},
            {"role": "user", "content": _told(calls)},
        ]


async def claude_streamed(address: str, golden: Golden) -> str:
    async with anthropic.AsyncAnthropic(base_url=address, api_key="k", max_retries=0) as client:
        messages: list[Any] = [{"role": "user", "content": golden.input}]
        while True:
            asked = client.messages.stream(model="m", max_tokens=100, messages=messages, tools=CLAUDE_TOOLS)
            async with asked as stream:
                reply = await stream.get_final_message()
            calls = [block for block in reply.content if block.type == "tool_use"]
            if not calls:
                return "".join(block.text for block in reply.content if block.type == "text")
            messages += [
                {"role": "assistant", "content": reply.content},
                {"role": "user", "content": _told(calls)},
            ]


def _told(calls: list[Any]) -> list[Any]:
    told = []
    for call in calls:
        content, failed = run_tool(call.name, json.dumps(call.input))
        told.append({"type": "tool_result", "tool_use_id": call.id, "content": content, "is_error": failed})
    return told


@anthropic.beta_tool
def get_weather(city: str) -> str:
    """The weather in a city.

    Args:
        city: which city
    """
    return weather_of(city)


@anthropic.beta_tool
def book(city: str, nights: int) -> str:
    """Book a room.

    Args:
        city: which city
        nights: how many
    """
    return book_room(city, nights)


def claude_tool_runner(address: str, golden: Golden) -> str:
    client = kept(anthropic.Anthropic(base_url=address, api_key="k", max_retries=0))
    runner = client.beta.messages.tool_runner(
        model="m",
        max_tokens=100,
        tools=[get_weather, book],
        messages=[{"role": "user", "content": golden.input}],
    )
    last = runner.until_done()
    return "".join(block.text for block in last.content if block.type == "text")


LOOPS: dict[str, Callable[..., Any]] = {
    "openai chat": chat,
    "openai chat_async": chat_async,
    "openai chat_streamed": chat_streamed,
    "openai chat_stream_helper": chat_stream_helper,
    "openai responses_by_id": responses_by_id,
    "openai responses_streamed": responses_streamed,
    "anthropic claude": claude,
    "anthropic claude_streamed": claude_streamed,
    "anthropic claude_tool_runner": claude_tool_runner,
}
SAYS_ERRORS = ("claude", "claude_streamed", "claude_tool_runner")


@pytest.fixture(params=LOOPS)
def loop(request) -> Iterator[tuple[str, Callable[[Golden], Any], Journal, str]]:
    """A loop as a function of a golden, with what its server saw."""
    via, name = request.param.split(" ")
    journal = Journal()
    run = LOOPS[request.param]
    with model_server(journal) as address:
        if asyncio.iscoroutinefunction(run):

            async def ask(golden: Golden) -> Any:
                return await run(address, golden)
        else:

            def ask(golden: Golden) -> Any:  # type: ignore[misc]
                return run(address, golden)

        yield via, ask, journal, name
        while CLIENTS:
            CLIENTS.pop().close()


def test_a_loop_that_writes_each_output_after_its_call_is_seen_whole():
    with model_server(Journal()) as address:
        function = rc.observe(lambda golden: responses_interleaved(address, golden), via="openai")
        (trajectory,) = performed(function, "trip Hanoi")
        while CLIENTS:
            CLIENTS.pop().close()
    assert made(trajectory)[:2] == TRIP[:2]  # both calls of the first answer have their results


def test_calls_and_results_of_a_loop_are_seen(loop):
    via, function, _, name = loop
    (trajectory,) = performed(rc.observe(function, via=via), "trip Hanoi")
    last = "error" if name in SAYS_ERRORS else "ok"
    assert made(trajectory) == [*TRIP[:2], (*TRIP[2][:3], last)]
    assert [call.id for call in trajectory.calls] == ["c1-Hanoi", "c2-Hanoi", "c3-Hanoi"]
    assert [call.output for call in trajectory.calls][:2] == ["31 in Hanoi", "31 in Hue"]
    assert "no room" in str(trajectory.calls[2].output)
    assert trajectory.output == "No room in Hanoi."
    streamed_without_usage = name == "chat_streamed" and trajectory.usage.input_tokens == 0
    assert streamed_without_usage or trajectory.usage.input_tokens == 300


def test_being_watched_changes_neither_the_answer_nor_the_requests(loop):
    via, function, journal, _ = loop
    agent = rc.observe(function, via=via)
    plain = asyncio.run(_called(function))
    sent = list(journal.requests)
    journal.requests[:] = []
    (trajectory,) = performed(agent, "trip Hanoi")
    assert trajectory.output == plain
    assert len(journal.requests) == len(sent) == 3


@pytest.mark.stories
def test_many_loops_at_once_never_mix(loop):
    via, function, _, _ = loop
    cities = [f"City{number}" for number in range(32)]
    for city, trajectory in zip(
        cities, performed(rc.observe(function, via=via), *(f"weather {c}" for c in cities)), strict=True
    ):
        assert made(trajectory) == [("get_weather", {"city": city}, 0, "ok")]
        assert trajectory.output == f"31 degrees in {city}."


def test_a_server_that_is_down_is_infrastructure(loop):
    via, _, _, name = loop
    run = LOOPS[f"{via} {name}"]

    async def ask(golden: Golden) -> Any:
        made = run("http://127.0.0.1:9", golden) if not asyncio.iscoroutinefunction(run) else None
        return made if made is not None else await run("http://127.0.0.1:9", golden)

    (trajectory,) = performed(rc.observe(ask, via=via), "trip Hanoi", limits=Limits(seconds=30))
    assert trajectory.stop_reason == "infra_error"


def test_hooks_are_gone_after_the_trial(loop):
    via, function, _, _ = loop
    before = (
        vars(openai.OpenAI.__mro__[1]).get("request"),
        vars(anthropic.Anthropic.__mro__[1]).get("request"),
    )
    performed(rc.observe(function, via=via), "weather Hanoi")
    after = (
        vars(openai.OpenAI.__mro__[1]).get("request"),
        vars(anthropic.Anthropic.__mro__[1]).get("request"),
    )
    assert before == after and before != (None, None)


async def _called(function: Any) -> Any:
    golden = Golden("trip Hanoi")
    if asyncio.iscoroutinefunction(function):
        return await function(golden)
    return await asyncio.to_thread(function, golden)
