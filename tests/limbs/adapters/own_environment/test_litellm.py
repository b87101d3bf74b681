"""Loops that people write on LiteLLM, watched with the real package against the scripted server."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # its import would fetch the table of prices

import litellm
import pytest
from litellm import acompletion, completion

import rightcall as rc
from rightcall.agents.limits import Limits
from rightcall.records import Golden
from tests.limbs.adapters.contract import TRIP, made, performed
from tests.limbs.adapters.model_server import model_server
from tests.limbs.adapters.script import Journal, book_room, weather_of

SCHEMAS: dict[str, Any] = {
    "get_weather": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    "book": {"type": "object", "properties": {"city": {"type": "string"}, "nights": {"type": "integer"}}},
}
TOOLS: Any = [{"type": "function", "function": {"name": n, "parameters": s}} for n, s in SCHEMAS.items()]
FLAT: Any = [{"type": "function", "name": n, "parameters": s, "strict": False} for n, s in SCHEMAS.items()]


def run_tool(name: str, arguments: str) -> str:
    try:
        given = json.loads(arguments)
        return weather_of(**given) if name == "get_weather" else book_room(**given)
    except Exception as error:
        return f"error: {error!r}"


def results(calls: Any) -> list[Any]:
    return [
        {"role": "tool", "tool_call_id": c.id, "content": run_tool(c.function.name, c.function.arguments)}
        for c in calls
    ]


def at(address: str) -> dict[str, Any]:
    return {"api_base": f"{address}/v1", "api_key": "k", "max_retries": 0}


def sync_loop(address: str, text: str) -> str:
    messages: list[Any] = [{"role": "system", "content": "Help."}, {"role": "user", "content": text}]
    while True:
        reply = completion("openai/m", messages, tools=TOOLS, **at(address)).choices[0].message
        if not reply.tool_calls:
            return str(reply.content)
        messages += [reply, *results(reply.tool_calls)]


def streamed_loop(address: str, text: str) -> str:
    messages: list[Any] = [{"role": "user", "content": text}]
    while True:
        usage = {"include_usage": True}
        stream = litellm.completion(
            model="openai/m", messages=messages, tools=TOOLS, stream=True, stream_options=usage, **at(address)
        )
        assert isinstance(stream, litellm.CustomStreamWrapper)
        reply = litellm.stream_chunk_builder(list(stream)).choices[0].message
        if not reply.tool_calls:
            return str(reply.content)
        messages += [reply.model_dump(), *results(reply.tool_calls)]


async def async_loop(address: str, text: str) -> str:
    messages: list[Any] = [{"role": "user", "content": text}]
    while True:
        whole = await acompletion(model="openai/m", messages=messages, tools=TOOLS, **at(address))
        reply = whole.choices[0].message
        if not reply.tool_calls:
            return str(reply.content)
        messages += [reply.model_dump(), *results(reply.tool_calls)]


async def async_streamed_loop(address: str, text: str) -> str:
    messages: list[Any] = [{"role": "user", "content": text}]
    while True:
        stream = await litellm.acompletion(
            model="openai/m", messages=messages, tools=TOOLS, stream=True, stream_options={"include_usage": True},
            **at(address),
        )  # fmt: skip
        reply = litellm.stream_chunk_builder([chunk async for chunk in stream]).choices[0].message
        if not reply.tool_calls:
            return str(reply.content)
        messages += [reply.model_dump(), *results(reply.tool_calls)]


async def routed_loop(address: str, text: str) -> str:
    router = litellm.Router([{"model_name": "fast", "litellm_params": {"model": "openai/m", **at(address)}}])
    messages: list[Any] = [{"role": "user", "content": text}]
    while True:
        reply = (await router.acompletion(model="fast", messages=messages, tools=TOOLS)).choices[0].message
        if not reply.tool_calls:
            return str(reply.content)
        messages += [reply.model_dump(), *results(reply.tool_calls)]


def claude_loop(address: str, text: str) -> str:
    """Another provider's wire: LiteLLM translates."""
    messages: list[Any] = [{"role": "user", "content": text}]
    while True:
        reply = completion(
            "anthropic/m", messages, tools=TOOLS, api_base=address, api_key="k", max_tokens=100
        ).choices[0].message  # fmt: skip
        if not reply.tool_calls:
            return str(reply.content)
        messages += [reply, *results(reply.tool_calls)]


def responses_loop(address: str, text: str) -> str:
    items: list[Any] = [{"role": "user", "content": text}]
    while True:
        reply = litellm.responses(input=items, model="openai/m", tools=FLAT, **at(address))
        calls = [item for item in reply.output if item.type == "function_call"]
        if not calls:
            return str(reply.output[-1].content[0].text)
        items += [
            {"type": "function_call", "call_id": c.call_id, "name": c.name, "arguments": c.arguments}
            for c in calls
        ]
        items += [
            {"type": "function_call_output", "call_id": c.call_id, "output": run_tool(c.name, c.arguments)}
            for c in calls
        ]


LOOPS: dict[str, Callable[..., Any]] = {
    name: function for name, function in list(globals().items()) if name.endswith("_loop")
}


@pytest.fixture(params=LOOPS)
def loop(request) -> Iterator[tuple[str, Callable[[Golden], Any], Journal]]:
    """A loop as a function of a golden, with what its server saw."""
    journal = Journal()
    run = LOOPS[request.param]
    with model_server(journal) as address:
        if asyncio.iscoroutinefunction(run):

            async def ask(golden: Golden) -> Any:
                return await run(address, golden.input)
        else:

            def ask(golden: Golden) -> Any:  # type: ignore[misc]
                return run(address, golden.input)

        yield request.param, ask, journal


def test_calls_and_results_of_a_loop_are_seen(loop):
    _, function, journal = loop
    (trajectory,) = performed(rc.observe(function, via="litellm"), "trip Hanoi")
    assert (trajectory.stop_reason, trajectory.error) == ("done", "")
    assert made(trajectory) == [*TRIP[:2], (*TRIP[2][:3], "ok")]
    assert [call.id for call in trajectory.calls] == ["c1-Hanoi", "c2-Hanoi", "c3-Hanoi"]
    assert [call.output for call in trajectory.calls][:2] == ["31 in Hanoi", "31 in Hue"]
    assert "no room" in str(trajectory.calls[2].output)
    assert trajectory.output == "No room in Hanoi."
    assert (trajectory.usage.input_tokens, trajectory.usage.output_tokens) == (300, 30)
    assert len(journal.requests) == 3


def test_being_watched_changes_no_request(loop):
    _, function, journal = loop
    plain = asyncio.run(_called(function))
    sent = list(journal.requests)
    journal.requests[:] = []
    (trajectory,) = performed(rc.observe(function, via="litellm"), "trip Hanoi")
    assert trajectory.output == plain
    assert journal.requests == sent and len(sent) == 3


def test_many_loops_at_once_never_mix(loop):
    _, function, _ = loop
    cities = [f"City{number}" for number in range(16)]
    trajectories = performed(rc.observe(function, via="litellm"), *(f"weather {c}" for c in cities))
    for city, trajectory in zip(cities, trajectories, strict=True):
        assert made(trajectory) == [("get_weather", {"city": city}, 0, "ok")]
        assert trajectory.output == f"31 degrees in {city}."


def test_a_server_that_is_down_is_infrastructure(loop):
    name, _, _ = loop
    run = LOOPS[name]

    async def ask(golden: Golden) -> Any:
        made = run("http://127.0.0.1:9", golden.input)
        return await made if asyncio.iscoroutine(made) else made

    (trajectory,) = performed(rc.observe(ask, via="litellm"), "trip Hanoi", limits=Limits(seconds=60))
    assert trajectory.stop_reason == "infra_error"


def test_a_stream_that_is_left_early_is_an_answer():
    """One loop stops reading once the model has said why it stopped, before its tokens; the last at the first word."""

    def ask(golden: Golden) -> str:
        messages: list[Any] = [{"role": "user", "content": golden.input}]
        chunks: list[Any] = []
        for chunk in completion("openai/m", messages, tools=TOOLS, stream=True, **at(address)):
            chunks.append(chunk)
            if chunk.choices and chunk.choices[0].finish_reason:
                break
        reply = litellm.stream_chunk_builder(chunks).choices[0].message
        messages += [reply.model_dump(), *results(reply.tool_calls)]
        for chunk in completion("openai/m", messages, tools=TOOLS, stream=True, **at(address)):
            if chunk.choices and chunk.choices[0].delta.content:
                return str(chunk.choices[0].delta.content)
        return ""

    with model_server(Journal()) as address:
        (trajectory,) = performed(rc.observe(ask, via="litellm"), "weather Hue")
    assert made(trajectory) == [("get_weather", {"city": "Hue"}, 0, "ok")]
    assert [message.role for message in trajectory.messages] == ["user", "assistant", "tool", "assistant"]
    assert trajectory.messages[-1].content.startswith("31")


def test_a_conversation_is_a_session_of_the_loop():
    with model_server(Journal()) as address:
        history: list[Any] = []

        def ask(golden: Golden) -> str:
            history.append({"role": "user", "content": golden.input})
            while True:
                reply = completion("openai/m", history, tools=TOOLS, **at(address)).choices[0].message
                history.append(reply)
                if not reply.tool_calls:
                    return str(reply.content)
                history.extend(results(reply.tool_calls))

        async def talk() -> Any:
            session = rc.observe(ask, via="litellm").session(Golden("weather Hanoi", id="g"))
            for text in ("weather Hanoi", "weather Hue"):
                await session.turn(text)
            await session.aclose()
            return session.trajectory()

        trajectory = asyncio.run(talk())
    assert [call.arguments for call in trajectory.calls] == [{"city": "Hanoi"}, {"city": "Hue"}]
    assert [call.step for call in trajectory.calls] == [0, 2]


def test_hooks_are_gone_after_the_trial(loop):
    from litellm.rust_bridge.dispatch import PublicDispatch

    _, function, _ = loop
    before = (vars(PublicDispatch)["run"], vars(PublicDispatch)["arun"])
    performed(rc.observe(function, via="litellm"), "weather Hanoi")
    assert (vars(PublicDispatch)["run"], vars(PublicDispatch)["arun"]) == before


def test_the_router_is_not_an_agent():
    router = litellm.Router([{"model_name": "fast", "litellm_params": {"model": "openai/m"}}])
    with pytest.raises(rc.errors.ConfigError, match="a Router is a client, not an agent"):
        performed(rc.observe(router), "weather Hanoi")


async def _called(function: Any) -> Any:
    golden = Golden("trip Hanoi")
    if asyncio.iscoroutinefunction(function):
        return await function(golden)
    return await asyncio.to_thread(function, golden)
