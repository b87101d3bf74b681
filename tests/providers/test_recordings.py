"""Record and replay: what was recorded through any HTTP library comes back without a server, a key or a secret."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import anthropic
import httpx
import httpx2
import openai
import pytest
import requests
import urllib3
from click.testing import CliRunner

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.cli.runs import runs
from rightcall.recording.library import Recordings, RecordSettings
from rightcall.records import Golden, ToolCall

from .loopback import json_server, raw_server

KEY = "sk-planted-0123456789abcdef"
GOLDENS = [
    Golden(
        f"weather in {city}?",
        id=f"weather-{city.lower()}",
        expected_calls=(rc.ExpectedCall("get_weather", {"city": city}),),
    )
    for city in ("Hanoi", "Hue", "Oslo", "Lima")
]


def chat(body):
    """An answer in OpenAI's chat format: a call with the city that was asked about."""
    city = body["messages"][-1]["content"].removeprefix("weather in ").removesuffix("?")
    if "max_tokens" in body:
        return messages_reply(city)
    call = {
        "id": f"call_{id(body)}",
        "type": "function",
        "function": {"name": "get_weather", "arguments": json.dumps({"city": city})},
    }
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "tiny-1", "echo": f"key {KEY}",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12},
    }  # fmt: skip


def messages_reply(city):
    """The same as Anthropic's Messages API answers."""
    block = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": city}}
    usage = {"input_tokens": 5, "output_tokens": 7}
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "tiny-1", "content": [block], "usage": usage,
        "stop_reason": "tool_use", "stop_sequence": None, "echo": f"key {KEY}",
    }  # fmt: skip


def call_of(answer):
    call = answer["choices"][0]["message"]["tool_calls"][0]["function"]
    return [ToolCall(call["name"], json.loads(call["arguments"]))]


def body_of(golden):
    return {
        "model": "tiny-1",
        "messages": [{"role": "user", "content": golden.input}],
        "seed": 1,
        "note": f"key {KEY}",
    }


def agents(url):
    """Each library and client, sync and async, as users write them: keys come from the environment."""
    key = os.environ.get("OPENAI_API_KEY") or "none"
    path = f"{url}/v1/chat/completions?api_key={key}"
    headers = {"authorization": f"Bearer {key}"}

    async def with_httpx(golden):
        async with httpx.AsyncClient(timeout=300) as client:
            return call_of((await client.post(path, json=body_of(golden), headers=headers)).json())

    def with_httpx_sync(golden):
        return call_of(httpx.post(path, json=body_of(golden), headers=headers, timeout=300).json())

    async def with_httpx2(golden):
        async with httpx2.AsyncClient(timeout=300) as client:
            return call_of((await client.post(path, json=body_of(golden), headers=headers)).json())

    def with_httpx2_sync(golden):
        return call_of(httpx2.post(path, json=body_of(golden), headers=headers, timeout=300).json())

    async def with_aiohttp(golden):
        async with (
            aiohttp.ClientSession() as session,
            session.post(path, json=body_of(golden), headers=headers) as reply,
        ):
            reply.raise_for_status()
            return call_of(await reply.json())

    def with_requests(golden):
        return call_of(requests.post(path, json=body_of(golden), headers=headers, timeout=300).json())

    def with_urllib3(golden):
        return call_of(urllib3.request("POST", path, json=body_of(golden), headers=headers).json())

    def chat_call(made):
        call = made.choices[0].message.tool_calls[0].function
        return [ToolCall(call.name, json.loads(call.arguments))]

    def asked(golden):
        return {"model": "tiny-1", "messages": [{"role": "user", "content": golden.input}]}

    def with_openai(golden):
        with openai.OpenAI(base_url=f"{url}/v1", max_retries=0) as client:
            return chat_call(client.chat.completions.create(**asked(golden)))

    async def with_openai_async(golden):
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", max_retries=0) as client:
            return chat_call(await client.chat.completions.create(**asked(golden)))

    def with_anthropic(golden):
        with anthropic.Anthropic(base_url=url, max_retries=0) as client:
            (block,) = client.messages.create(max_tokens=99, **asked(golden)).content
            return [ToolCall(block.name, block.input)]

    async def with_anthropic_async(golden):
        async with anthropic.AsyncAnthropic(base_url=url, max_retries=0) as client:
            (block,) = (await client.messages.create(max_tokens=99, **asked(golden))).content
            return [ToolCall(block.name, block.input)]

    return [
        with_httpx, with_httpx_sync, with_httpx2, with_httpx2_sync, with_aiohttp, with_requests, with_urllib3,
        with_openai, with_openai_async, with_anthropic, with_anthropic_async,
    ]  # fmt: skip


AGENTS = [agent.__name__ for agent in agents("http://x")]


def taped(agent, folder, mode, **settings):
    return Agent(agent, recordings=Recordings(RecordSettings(mode, **settings), folder))


def exported(agent, store, trials=1, goldens=GOLDENS):
    run = rc.evaluate(agent, goldens, trials=trials, store=store)
    return [
        (r.golden_id, r.trial, r.passed, r.score, r.latency_ms, r.error, r.trajectory) for r in run.results
    ]


def export_bytes(store):
    """The results of the last run as `rightcall runs export` writes them."""
    written = CliRunner().invoke(runs, ["export", "last", "--store", str(store)], catch_exceptions=False)
    assert written.exit_code == 0
    return written.stdout_bytes


@pytest.mark.parametrize("number", range(len(AGENTS)), ids=AGENTS)
def test_what_was_recorded_is_replayed_without_a_server_and_a_key(number, tmp_path, monkeypatch):
    """Sixteen trials at once; the exports are equal to the byte, and no file has the key, wherever it was planted."""
    folder = tmp_path / "recordings"
    stores = [tmp_path / "a.db", tmp_path / "b.db"]
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)
    with json_server(chat) as server:
        recorded = exported(taped(agents(server.url)[number], folder, "auto"), stores[0], trials=4)
        assert len(server.bodies) == 16
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name)
    replayed = exported(taped(agents(server.url)[number], folder, "replay"), stores[1], trials=4)
    assert replayed == recorded
    assert all(passed for _, _, passed, *_ in replayed)
    assert export_bytes(stores[0]) == export_bytes(stores[1])
    written = b"".join(path.read_bytes() for path in folder.rglob("*.json"))
    assert KEY.encode() not in written
    assert len(list(folder.glob("*.json"))) == len(GOLDENS)
    assert "OPENAI_API_KEY" not in os.environ


SSE = [b'event: a\ndata: {"n": %d}\n\n' % n for n in range(3)] + [b"data: [DONE]\n\n"]


@contextmanager
def stream_server():
    async def talk(reader, writer):
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        for event in SSE:
            writer.write(event)
            await writer.drain()

    with raw_server(talk) as url:
        yield url


def streamers(url):
    async def with_httpx(golden):
        async with (
            httpx.AsyncClient(timeout=300) as client,
            client.stream("POST", url, json={"q": golden.input}) as reply,
        ):
            return [line async for line in reply.aiter_lines()]

    def with_httpx_sync(golden):
        with httpx.stream("POST", url, json={"q": golden.input}, timeout=300) as reply:
            return list(reply.iter_lines())

    async def with_httpx2_async(golden):
        async with (
            httpx2.AsyncClient(timeout=300) as client,
            client.stream("POST", url, json={"q": golden.input}) as reply,
        ):
            return [line async for line in reply.aiter_lines()]

    def with_httpx2(golden):
        with (
            httpx2.Client(timeout=300) as client,
            client.stream("POST", url, json={"q": golden.input}) as reply,
        ):
            return list(reply.iter_lines())

    async def with_aiohttp(golden):
        async with aiohttp.ClientSession() as session, session.post(url, json={"q": golden.input}) as reply:
            return [line.decode().strip() async for line in reply.content]

    def with_requests(golden):
        with requests.post(url, json={"q": golden.input}, stream=True, timeout=300) as reply:
            return [line.decode() for line in reply.iter_lines()]

    def with_urllib3(golden):
        with urllib3.PoolManager() as pool:
            reply = pool.request("POST", url, json={"q": golden.input}, preload_content=False)
            lines = b"".join(reply.stream(16)).decode().splitlines()
            reply.close()
            return lines

    return [
        with_httpx,
        with_httpx_sync,
        with_httpx2,
        with_httpx2_async,
        with_aiohttp,
        with_requests,
        with_urllib3,
    ]


STREAMERS = [stream.__name__ for stream in streamers("")]


@pytest.mark.parametrize("number", range(len(STREAMERS)), ids=STREAMERS)
def test_a_stream_is_replayed_event_by_event(number, tmp_path):
    heard = []

    def agent_of(stream):
        async def agent(golden):
            lines = (
                await stream(golden)
                if asyncio.iscoroutinefunction(stream)
                else await asyncio.to_thread(stream, golden)
            )
            heard.append([line for line in lines if line])
            return "done"

        return agent

    with stream_server() as url:
        exported(
            taped(agent_of(streamers(url)[number]), tmp_path / "r", "auto"),
            tmp_path / "a.db",
            goldens=GOLDENS[:1],
        )
    exported(
        taped(agent_of(streamers(url)[number]), tmp_path / "r", "replay"),
        tmp_path / "b.db",
        goldens=GOLDENS[:1],
    )
    assert heard[0] == heard[1]
    assert heard[1][-1] == "data: [DONE]"
    stored = json.loads(next((tmp_path / "r").glob("*.json")).read_text())
    assert len(stored["trials"]["0"]["exchanges"][0]["reply"]["events"]) == 4


def test_anthropics_client_streams_from_a_recording(tmp_path):
    events = [
        {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "c",
                                              "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "sunny"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
    ]  # fmt: skip

    async def talk(reader, writer):
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        for event in events:
            writer.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    async def agent(golden):
        asked = [{"role": "user", "content": golden.input}]
        async with (
            anthropic.AsyncAnthropic(base_url=url, api_key=KEY, max_retries=0) as client,
            client.messages.stream(model="c", max_tokens=9, messages=asked) as stream,
        ):
            return await stream.get_final_text()

    with raw_server(talk) as url:
        recorded = exported(taped(agent, tmp_path / "r", "auto"), tmp_path / "a.db", goldens=GOLDENS[:1])
    assert (
        exported(taped(agent, tmp_path / "r", "replay"), tmp_path / "b.db", goldens=GOLDENS[:1]) == recorded
    )
    assert recorded[0][-1].output == "sunny"


def test_openais_client_streams_from_a_recording(tmp_path):
    def chunk(text):
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
        return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "c", "choices": [choice]}

    async def talk(reader, writer):
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        for text in ("sun", "ny"):
            writer.write(f"data: {json.dumps(chunk(text))}\n\n".encode())
        writer.write(b"data: [DONE]\n\n")

    def agent(golden):
        asked = [{"role": "user", "content": golden.input}]
        with openai.OpenAI(base_url=url, api_key=KEY, max_retries=0) as client:
            made = client.chat.completions.create(model="c", messages=asked, stream=True)
            return "".join(each.choices[0].delta.content for each in made)

    with raw_server(talk) as url:
        recorded = exported(taped(agent, tmp_path / "r", "auto"), tmp_path / "a.db", goldens=GOLDENS[:1])
    assert (
        exported(taped(agent, tmp_path / "r", "replay"), tmp_path / "b.db", goldens=GOLDENS[:1]) == recorded
    )
    assert recorded[0][-1].output == "sunny"


def test_recording_again_replaces_the_whole_case_and_no_other_file(tmp_path):
    said = ["Hue"]

    def answer(body):
        return chat({"messages": [{"content": f"weather in {said[0]}?"}]})

    with json_server(answer) as server:
        agent = agents(server.url)[0]
        exported(taped(agent, tmp_path / "r", "auto"), tmp_path / "a.db", trials=2)
        before = {path.name: path.read_bytes() for path in (tmp_path / "r").glob("*.json")}
        said[0] = "Hanoi"
        exported(taped(agent, tmp_path / "r", "refresh"), tmp_path / "b.db", trials=2, goldens=GOLDENS[:1])
    after = {path.name: path.read_bytes() for path in (tmp_path / "r").glob("*.json")}
    changed = [name for name in after if after[name] != before[name]]
    assert [name.rpartition("-")[0] for name in changed] == ["weather-hanoi"]
    replayed = exported(
        taped(agent, tmp_path / "r", "replay"), tmp_path / "c.db", trials=2, goldens=GOLDENS[:1]
    )
    assert [passed for _, _, passed, *_ in replayed] == [True, True]


def test_auto_replays_equal_requests_and_asks_changed_ones_again(tmp_path):
    note = ["first"]

    async def agent(golden):
        async with httpx.AsyncClient(timeout=300) as client:
            asked = {
                "messages": [
                    {"role": "system", "content": note[0]},
                    {"role": "user", "content": golden.input},
                ]
            }
            return call_of((await client.post(url, json=asked)).json())

    with json_server(chat) as server:
        url = server.url
        for text, asked in (("first", 4), ("first", 4), ("second", 8)):
            note[0] = text
            exported(taped(agent, tmp_path / "r", "auto"), tmp_path / "a.db")
            assert len(server.bodies) == asked


def test_a_conversation_that_turns_out_stale_is_asked_again_from_its_beginning(tmp_path):
    second = ["one"]

    async def agent(golden):
        async with httpx.AsyncClient(timeout=300) as client:
            await client.post(url, json={"messages": [{"role": "user", "content": "hello"}]})
            asked = {"messages": [{"role": "user", "content": second[0]}]}
            return call_of((await client.post(url, json=asked)).json())

    with json_server(chat) as server:
        url = server.url
        exported(taped(agent, tmp_path / "r", "auto"), tmp_path / "a.db", goldens=GOLDENS[:1])
        second[0] = "two"
        exported(taped(agent, tmp_path / "r", "auto"), tmp_path / "a.db", goldens=GOLDENS[:1])
        assert [b["messages"][0]["content"] for b in server.bodies] == ["hello", "one", "hello", "two"]


MISSES = [
    ({"model": "tiny-2"}, "the model changed since it was recorded (tiny-1 then, tiny-2 now)"),
    ({"temperature": 1}, "settings changed since it was recorded (temperature)"),
    ({"system": "Be rude."}, "the system prompt changed since it was recorded ('Be kind.' then, 'Be rude.' now)"),
    ({"tools": [{"name": "search_orders", "description": "new"}]}, "tools changed since it was recorded (search_orders: description)"),
    ({"tools": []}, "search_orders: no longer offered"),
    ({"messages": [{"role": "user", "content": "bye"}]}, "message 0 of the user changed ('hello' then, 'bye' now)"),
    ({"messages": [{"role": "user", "content": "hello"}] * 2}, "the number of messages changed (1 then, 2 now)"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "reason"), MISSES)
def test_a_miss_says_what_changed(change, reason, tmp_path):
    body = {
        "model": "tiny-1", "system": "Be kind.", "temperature": 0, "tools": [{"name": "search_orders", "description": "old"}],
        "messages": [{"role": "user", "content": "hello"}],
    }  # fmt: skip

    async def agent(golden):
        async with httpx.AsyncClient(timeout=300) as client:
            return (await client.post(url, json=body)).json()["calls"]

    with json_server(lambda _: {"calls": []}) as server:
        url = server.url
        exported(taped(agent, tmp_path / "r", "auto"), tmp_path / "a.db", goldens=GOLDENS[:1])
    body |= change
    ((*_, error, trajectory),) = exported(
        taped(agent, tmp_path / "r", "replay"), tmp_path / "b.db", goldens=GOLDENS[:1]
    )
    assert reason in error
    assert "weather-hanoi, trial 0, request 1: " in error
    assert trajectory.stop_reason == "infra_error"


def test_one_request_more_than_recorded_is_a_miss(tmp_path):
    times = [1]

    async def agent(golden):
        async with httpx.AsyncClient(timeout=300) as client:
            return str([(await client.post(url, json={"q": 1})).json() for _ in range(times[0])])

    with json_server(lambda _: {"echo": "hi"}) as server:
        url = server.url
        exported(taped(agent, tmp_path / "r", "auto"), tmp_path / "a.db", goldens=GOLDENS[:1])
    times[0] = 2
    ((*_, error, _),) = exported(
        taped(agent, tmp_path / "r", "replay"), tmp_path / "b.db", goldens=GOLDENS[:1]
    )
    assert "request 2: only 1 requests were recorded" in error


def test_dates_can_be_ignored_and_the_miss_offers_it(tmp_path):
    day = ["2026-01-01"]

    async def agent(golden):
        async with httpx.AsyncClient(timeout=300) as client:
            return (
                await client.post(url, json={"messages": [{"role": "user", "content": f"on {day[0]}"}]})
            ).json()["echo"]

    pattern = r"$.messages[*].content~\d{4}-\d\d-\d\d"
    with json_server(lambda _: {"echo": "hi"}) as server:
        url = server.url
        exported(taped(agent, tmp_path / "r", "auto"), tmp_path / "a.db", goldens=GOLDENS[:1])
        exported(
            taped(agent, tmp_path / "s", "auto", ignore=(pattern,)), tmp_path / "a.db", goldens=GOLDENS[:1]
        )
    day[0] = "2026-02-02"
    ((*_, error, _),) = exported(
        taped(agent, tmp_path / "r", "replay"), tmp_path / "b.db", goldens=GOLDENS[:1]
    )
    assert pattern in error
    ((*_, error, _),) = exported(
        taped(agent, tmp_path / "s", "replay", ignore=(pattern,)), tmp_path / "b.db", goldens=GOLDENS[:1]
    )
    assert error == ""


def test_a_request_from_a_thread_pool_of_the_agents_own_is_refused_while_replaying(tmp_path):
    pool = ThreadPoolExecutor(2)

    def agent(golden):
        return pool.submit(
            lambda: httpx.post(url, json={"q": golden.input}, timeout=300).json()["echo"]
        ).result()

    with json_server(lambda _: {"echo": "hi"}) as server:
        url = server.url
        found = exported(taped(agent, tmp_path / "r", "replay"), tmp_path / "b.db", goldens=GOLDENS)
        assert not server.bodies
    assert all(trajectory.stop_reason == "infra_error" for *_, trajectory in found)
    pool.shutdown()


def test_refusals_that_a_client_tries_again_after_are_not_recorded(tmp_path):
    statuses = iter([b"429 Too Many Requests", b"200 OK"])

    async def talk(reader, writer):
        body = b'{"echo": "hi"}'
        writer.write(
            b"HTTP/1.1 %s\r\nconnection: close\r\ncontent-type: application/json\r\n"
            b"content-length: %d\r\n\r\n%s" % (next(statuses), len(body), body)
        )

    async def agent(golden):
        async with httpx.AsyncClient(timeout=300) as client:
            while (reply := await client.post(url, json={"q": 1})).status_code == 429:
                pass
            return reply.json()["echo"]

    with raw_server(talk) as url:
        exported(taped(agent, tmp_path / "r", "auto"), tmp_path / "a.db", goldens=GOLDENS[:1])
    ((*_, error, trajectory),) = exported(
        taped(agent, tmp_path / "r", "replay"), tmp_path / "b.db", goldens=GOLDENS[:1]
    )
    assert (error, trajectory.output) == ("", "hi")


def test_only_named_hosts_are_recorded(tmp_path):
    async def agent(golden):
        async with httpx.AsyncClient(timeout=300) as client:
            return (await client.post(url, json={"q": 1})).json()["echo"]

    with json_server(lambda _: {"echo": "hi"}) as server:
        url = server.url
        for _ in range(2):
            exported(
                taped(agent, tmp_path / "r", "auto", hosts=("api.openai.com",), level="requests"),
                tmp_path / "a.db",
                goldens=GOLDENS[:1],
            )
        stored = json.loads(next((tmp_path / "r").glob("*.json")).read_text())
    assert stored["trials"]["0"]["trajectory"]["output"] == "hi"


def test_an_agent_that_makes_no_request_is_recorded_by_its_result(tmp_path):
    called = []

    def agent(golden):
        called.append(golden.id)
        return [ToolCall("get_weather", {"city": "Hanoi"})]

    for mode in ("auto", "auto", "replay"):
        ((_, _, passed, *_),) = exported(
            taped(agent, tmp_path / "r", mode), tmp_path / "a.db", goldens=GOLDENS[:1]
        )
        assert passed
    assert called == ["weather-hanoi"]


def test_our_own_provider_replays_without_key_and_server(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with json_server(chat) as server:
        agent = Agent(
            "openai:tiny-1", [rc.Tool("get_weather")], system="Be kind.", base_url=f"{server.url}/v1"
        )
        made = exported(rc_replace(agent, tmp_path, "auto"), tmp_path / "a.db", trials=2)
    monkeypatch.delenv("OPENAI_API_KEY")
    again = rc_replace(agent, tmp_path, "replay")
    assert exported(again, tmp_path / "b.db", trials=2) == made
    elsewhere = rc_replace(agent, tmp_path, "replay", base_url=None)
    assert "(server)" in exported(elsewhere, tmp_path / "c.db", trials=1)[0][5]
    prompts = list((tmp_path / "r" / "prompts").glob("*.json"))
    assert len(prompts) == 1
    assert json.loads(prompts[0].read_text())["system"] == "Be kind."


def rc_replace(agent, folder: Path, mode, **changes):
    from dataclasses import replace

    return replace(agent, recordings=Recordings(RecordSettings(mode), folder / "r"), **changes)


def test_a_trial_that_got_no_answer_keeps_the_old_recording(tmp_path):
    async def agent(golden):
        async with httpx.AsyncClient(timeout=300) as client:
            return (await client.post(url, json={"q": 1})).json()["echo"]

    with json_server(lambda _: {"echo": "hi"}) as server:
        url = server.url
        exported(taped(agent, tmp_path / "r", "auto"), tmp_path / "a.db", goldens=GOLDENS[:1])
    (file,) = (tmp_path / "r").glob("*.json")
    before = file.read_bytes()
    ((*_, trajectory),) = exported(  # the server is gone
        taped(agent, tmp_path / "r", "refresh"), tmp_path / "b.db", goldens=GOLDENS[:1]
    )
    assert trajectory.stop_reason != "done"
    assert file.read_bytes() == before


CLIENT = """
import openai
client = openai.OpenAI(base_url="{url}/v1", max_retries=0)

def answer(golden):
    asked = [{{"role": "user", "content": golden.input}}]
    call = client.chat.completions.create(model="tiny-1", messages=asked).choices[0].message.tool_calls[0].function
    return [{{"name": call.name, "arguments": {{"city": "Hanoi"}}}}]
"""


@pytest.mark.stories
def test_a_module_that_makes_its_client_when_imported_is_replayed_without_a_key(tmp_path):
    """`client = OpenAI()` at the top of a file raises without a key, and most agents begin so."""
    (tmp_path / "goldens.jsonl").write_text(
        '{"id": "hanoi", "input": "weather in Hanoi?", "expected_calls": [{"tool": "get_weather"}]}\n'
    )
    suite = {"name": "s", "dataset": "goldens.jsonl", "agent": {"model": "clients:answer"}, "tools": []}
    (tmp_path / "suite.yaml").write_text(json.dumps(suite))
    bare = {name: value for name, value in os.environ.items() if name != "OPENAI_API_KEY"}
    command = [sys.executable, "-m", "rightcall.cli.main", "run", "suite.yaml", "--trust", "--record"]
    with json_server(chat) as server:
        (tmp_path / "clients.py").write_text(CLIENT.format(url=server.url))
        recording = [*command, "auto"]
        subprocess.run(recording, cwd=tmp_path, env=bare | {"OPENAI_API_KEY": KEY}, check=True)
        assert len(server.bodies) == 1
    subprocess.run([*command, "replay"], cwd=tmp_path, env=bare, check=True)


def test_goldens_whose_file_names_are_alike_keep_their_own_recordings(tmp_path):
    ids = [
        f"{'x' * 60}-{number}" for number in (1944, 3453)
    ]  # equal in 60 characters and 6 digits of the hash
    goldens = [{"id": one, "input": f"say {one[-4:]}", "output_contains": [one[-4:]]} for one in ids]
    replies = [{"golden": one, "turns": [{"text": one[-4:]}]} for one in ids]
    suite = {"dataset": "g.jsonl", "tools": [], "record": "auto", "agent": {"model": "scripted:script.json"}}
    (tmp_path / "g.jsonl").write_text("".join(json.dumps(golden) + "\n" for golden in goldens))
    (tmp_path / "script.json").write_text(json.dumps({"replies": replies}))
    (tmp_path / "suite.json").write_text(json.dumps(suite))
    store = tmp_path / "r.db"
    for mode in ("auto", "auto", "replay"):
        made = rc.run_suite(tmp_path / "suite.json", record=mode, store=store, trust=True)
        assert made.verdict.word == "PASS"
    assert len(list((tmp_path / "recordings").rglob("x*.json"))) == 2
