"""Every call is read, or the message is refused: spelling × door × form.

Forms are dicts, JSON and objects: of the real packages where they are installed, otherwise objects that dump what the
real ones dumped (`tests/support/sdk_dumps.py`). Seeds of random calls are in the names of the tests.
"""

from __future__ import annotations

import json
import random
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

import rightcall as rc
from rightcall.agents.callable_agent import as_trajectory
from rightcall.agents.remote.agent_reply import AgentFailedError, ReplyReader, UnreadableReplyError
from rightcall.agents.remote.exchange import Exchange
from rightcall.core.errors import ConfigError, InputError, ProviderError
from rightcall.datasets.trajectories import load_trajectories
from rightcall.limbs.traces.reader import load_traces
from rightcall.records import Message, Trajectory
from rightcall.records.dialects import read_messages, trajectory_from_messages
from tests.support.spellings import SPELLINGS, Call

CALLS = [
    Call("get_weather", {"city": "Hà Nội", "days": None, "units": ["c", 1.5, {"deep": True}]}, "c1"),
    Call("delete_account", {"id": 7}, "c2"),
    Call("ping", {}, "c3"),
]
DUMPS = sorted((Path(__file__).parents[1] / "data" / "spellings").glob("*.json"))
Found = list[tuple[str, Any, str]]


def said(made: Trajectory) -> Found:
    return [(call.name, call.arguments, call.id) for call in made.calls]


def expected(name: str, calls: list[Call] = CALLS) -> Found:
    return [(call.name, call.arguments, call.id if SPELLINGS[name].ids else "") for call in calls]


# Objects: the real types where their packages are part of the tests' environment.


def real_chat(document: Any) -> Any:
    from openai.types.chat import ChatCompletion

    return ChatCompletion.model_validate(document)


def real_response(document: Any) -> Any:
    from openai.types.responses import Response

    return Response.model_validate(document)


def real_anthropic(document: Any) -> Any:
    from anthropic.types.beta import BetaMessage

    return BetaMessage.model_validate(document)


def real_langchain(document: Any) -> Any:
    from langchain_core.messages import AIMessage, HumanMessage

    return {"messages": [HumanMessage("Weather?"), AIMessage(**document["messages"][1])]}


def real_langchain_chunk(document: Any) -> Any:
    from langchain_core.messages import AIMessageChunk

    made = document["messages"][1]["tool_calls"]
    pieces = [
        AIMessageChunk("", tool_call_chunks=[{**piece, "type": "tool_call_chunk", "index": place}])
        for place, call in enumerate(made)
        for piece in _pieces(call)
    ]
    return [sum(pieces[1:], pieces[0])]


def _pieces(call: Any) -> list[Any]:
    text = json.dumps(call["args"])
    return [
        {"name": call["name"], "args": text[:1], "id": call["id"]},
        {"name": None, "args": text[1:], "id": None},
    ]


def real_langchain_constructor(document: Any) -> Any:
    from langchain_core.load import dumpd
    from langchain_core.messages import AIMessage

    return [dumpd(AIMessage(**document[0]["kwargs"]))]


def real_mcp(document: Any) -> Any:
    from mcp.types import CallToolRequest, CallToolRequestParams, CallToolResult, TextContent

    found: list[Any] = []
    for item in document:
        if item.get("method") == "tools/call":
            found.append(CallToolRequest(params=CallToolRequestParams(**item["params"])))
            found.append(CallToolResult(content=[TextContent(type="text", text="1")]))
    return found


SERVER = [Call("web_search", {"query": "x"}, "s1"), Call("bash_code_execution", {"command": "ls"}, "s2")]
"""The names of Anthropic's own tools are fixed."""

REAL: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "openai": ("openai", real_chat),
    "openai responses": ("openai_responses", real_response),
    "openai mcp_call": ("openai_mcp_call", real_response),
    "anthropic": ("anthropic", real_anthropic),
    "anthropic server_tool_use": ("anthropic_server", real_anthropic),
    "anthropic mcp_tool_use": ("anthropic_mcp", real_anthropic),
    "langchain": ("langchain", real_langchain),
    "langchain chunks": ("langchain", real_langchain_chunk),
    "langchain constructor": ("langchain_constructor", real_langchain_constructor),
    "mcp": ("mcp", real_mcp),
}


@pytest.mark.parametrize("mixed", [False, True], ids=["calls alone", "mixed"])
@pytest.mark.parametrize("name", REAL)
def test_objects_of_the_real_packages(name: str, mixed: bool) -> None:
    spelling, build = REAL[name]
    calls = SERVER if spelling == "anthropic_server" else CALLS
    found = said(as_trajectory(build(SPELLINGS[spelling].write(calls, mixed))))
    if spelling == "mcp":  # the ids are those of JSON-RPC, which the objects do not have
        found = [(*call, made.id) for (*call, _), made in zip(found, calls, strict=True)]
    assert found == expected(spelling, calls)


class Dumped:
    """An object of a package that is not installed here: it dumps what the real one did."""

    def __init__(self, dump: Any) -> None:
        self._dump = dump

    def model_dump(self, **options: Any) -> Any:
        return self._dump


@pytest.mark.parametrize("path", DUMPS, ids=[path.stem for path in DUMPS])
def test_dumps_of_the_real_packages(path: Path) -> None:
    held = json.loads(path.read_text(encoding="utf-8"))
    calls = [(call["name"], call["arguments"]) for call in held["calls"]]
    dump = held["dump"]
    wrapped = [Dumped(item) for item in dump] if isinstance(dump, list) else Dumped(dump)
    assert [call[:2] for call in said(as_trajectory(dump))] == calls
    assert [call[:2] for call in said(as_trajectory(wrapped))] == calls


# Doors: each takes a response and gives the calls it saw.


def by_result(name: str, document: Any, folder: Path) -> Trajectory:
    return as_trajectory(document)


def by_file(name: str, document: Any, folder: Path) -> Trajectory:
    path = folder / "done.jsonl"
    messages = SPELLINGS[name].messages(document)
    line = {"golden_id": "g", "messages": messages} if messages else {"golden_id": "g", "calls": []}
    path.write_text(json.dumps(line) + "\n")
    [recorded] = load_trajectories(path)
    return recorded.trajectory


def by_trace(name: str, document: Any, folder: Path) -> Trajectory:
    path = folder / "trace.json"
    path.write_text(json.dumps(generation(document)))
    [trace] = load_traces(path)
    return trace.trajectory


def by_reply(name: str, document: Any, folder: Path) -> Trajectory:
    """`http:` and `exec:` agents have one reader."""
    return ReplyReader({}).read(json.dumps(document).encode(), "")


DOORS = {"agent result": by_result, "file": by_file, "trace": by_trace, "reply": by_reply}


def generation(document: Any, number: int = 1) -> Any:
    """A trace with one model span whose output is a response, as Langfuse exports it."""
    held = {
        "type": "generation",
        "input": '[{"role": "user", "content": "Weather?"}]',
        "output": json.dumps(document),
    }
    attributes = [{"key": f"langfuse.observation.{k}", "value": {"stringValue": v}} for k, v in held.items()]
    span = {"traceId": f"{number:032x}", "spanId": f"{number:016x}", "name": "llm", "attributes": attributes,
            "startTimeUnixNano": "1794700800000000000", "endTimeUnixNano": "1794700801000000000"}  # fmt: skip
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


@pytest.mark.parametrize("mixed", [False, True], ids=["calls alone", "mixed"])
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", SPELLINGS)
def test_every_spelling_through_every_door(name: str, door: str, mixed: bool, tmp_path: Path) -> None:
    for count in (0, 1, len(CALLS)):
        made = DOORS[door](name, SPELLINGS[name].write(CALLS[:count], mixed), tmp_path)
        assert (said(made), made.error) == (expected(name, CALLS[:count]), "")


BROKEN_ENDS: list[Any] = [
    {"object": "response", "status": "failed", "error": {"message": "overloaded"}, "output": []},
    {"object": "response", "status": "in_progress", "output": []},
    {"choices": [{"finish_reason": "error", "message": {"role": "assistant", "content": ""}}]},
    {"choices": [{"finish_reason": "tool_calls", "message": {"role": "assistant", "content": ""}}]},
]


@pytest.mark.parametrize("document", BROKEN_ENDS)
@pytest.mark.parametrize("door", DOORS)
def test_an_answer_that_broke_or_lost_its_call_is_an_error_through_every_door(
    door: str, document: Any, tmp_path: Path
) -> None:
    try:
        made = DOORS[door]("anthropic", document, tmp_path)
    except (InputError, ProviderError) as error:
        assert "the response" in str(error) or "choices[0]" in str(error)
    else:
        assert made.stop_reason == "infra_error" and made.error


@pytest.mark.parametrize("seed", range(12))
def test_random_calls_with_other_parts_mixed_in(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    for name, spelling in SPELLINGS.items():
        calls = [
            Call(f"tool_{rng.randrange(3)}", value_of(rng, 3, dict), f"id{n}")
            for n in range(rng.randrange(6))
        ]
        messages = json.loads(json.dumps(spelling.messages(spelling.write(calls, rng.random() < 0.5))))
        for _ in range(rng.randrange(4)):
            mix_in(messages, rng.choice(HARMLESS), rng)
        assert said(trajectory_from_messages(read_messages(messages, "here"))) == expected(name, calls), name
        mix_in(messages, {"type": "hologram", "payload": {}}, rng)
        with pytest.raises(InputError, match="hologram"):
            read_messages(messages, "here")


HARMLESS: list[Any] = [
    {"type": "text", "text": "Hm."},
    {"type": "thinking", "thinking": "Hm.", "signature": "s"},
    {"type": "image_url", "image_url": {"url": "data:"}},
    {"type": "image", "source": {"type": "base64", "data": ""}},
    {"type": "output_text", "text": "x", "annotations": []},
    {"type": "reasoning", "text": "x"},
    {"text": "x"},
    {"inlineData": {"mimeType": "image/png", "data": ""}},
    {"reasoningContent": {"reasoningText": {"text": "x"}}},
    {"cachePoint": {"type": "default"}},
]
"""Parts of several spellings that call nothing: none of them changes how the rest is read."""


def mix_in(messages: list[Any], part: Any, rng: random.Random) -> None:
    """The part among those of an assistant's message if it has a list of them, otherwise as an item of the list."""
    targets = [messages]
    for message in messages:
        held = message.get("kwargs") or message.get("data") or message.get("raw_item") or message
        if isinstance(held.get("content"), dict):
            held = held["content"]
        others = message.get("type") == "ToolCallExecutionEvent" or message.get("kind") == "request"
        if "result" not in message and not others:
            targets += [
                held[key] for key in ("content", "parts", "blocks") if isinstance(held.get(key), list)
            ]
    target = targets[-1] if len(targets) > 1 else messages
    if target is messages and not all("role" in item or "type" in item for item in messages):
        target.append(part)
    else:
        target.insert(rng.randrange(len(target) + 1), part)


def value_of(rng: random.Random, depth: int, kind: type | None = None) -> Any:
    choice = rng.randrange(7 if depth else 5)
    if kind is dict or choice == 6:
        return {f"k{n}": value_of(rng, depth - 1 if depth else 0) for n in range(rng.randrange(4))}
    if choice == 5:
        return [value_of(rng, depth - 1) for _ in range(rng.randrange(3))]
    return (None, True, rng.randrange(-5, 5), 1.5, 'tiếng "Việt"\n')[choice]


# Real services: what a door reads in this process arrives there over loopback and from a program.

PROGRAM = """
import json, sys
replies = json.load(open("replies.json"))
for line in sys.stdin:
    print(json.dumps(replies[json.loads(line)["input"]]), flush=True)
"""


class Replies(BaseHTTPRequestHandler):
    """Answers a question that is the name of a spelling with a response in it."""

    documents: ClassVar[dict[str, Any]] = {}

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        body = json.dumps(self.documents[asked["input"]]).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        return


@pytest.mark.parametrize("kind", ["http", "exec"])
def test_every_spelling_from_a_service_and_from_a_program(kind: str, tmp_path: Path) -> None:
    documents = {name: spelling.write(CALLS, True) for name, spelling in SPELLINGS.items()}
    goldens = [rc.Golden(name, id=name, forbidden_calls=("delete_account",)) for name in documents]
    (tmp_path / "replies.json").write_text(json.dumps(documents))
    (tmp_path / "agent.py").write_text(PROGRAM)
    Replies.documents = documents
    server = ThreadingHTTPServer(("127.0.0.1", 0), Replies)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.server_port}/"
        model = address if kind == "http" else "exec:" + json.dumps([sys.executable, "agent.py"])
        agent = rc.Agent(model, exchange=Exchange(folder=str(tmp_path), reuse=kind == "exec"))
        run = rc.evaluate(agent, goldens, concurrency=4, store=tmp_path / "s.db")
    finally:
        server.shutdown()
        server.server_close()
    assert {r.golden_id: said(r.trajectory) for r in run.results} == {
        name: expected(name) for name in documents
    }
    assert not any(result.passed or result.error for result in run.results)


# What the law is about: a golden that forbids a call never passes because the call was not read.


def test_no_spelling_passes_a_golden_that_forbids_its_calls(tmp_path: Path) -> None:
    answers = {
        f"{name} {mixed}": SPELLINGS[name].write(CALLS[:2], mixed) for name in SPELLINGS for mixed in (0, 1)
    }
    goldens = [rc.Golden("Weather?", id=key, forbidden_calls=("delete_account",)) for key in answers]
    run = rc.evaluate(lambda golden: answers[golden.id], goldens, store=tmp_path / "s.db")
    assert [result.golden_id for result in run.results if result.passed or result.error] == []
    files = tmp_path / "goldens.jsonl", tmp_path / "done.jsonl"
    from rightcall.datasets.goldens import save_goldens

    save_goldens(goldens, files[0])
    lines = [
        {"golden_id": key, "messages": SPELLINGS[key.split()[0]].messages(made)}
        for key, made in answers.items()
    ]
    files[1].write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [result.golden_id for result in rc.score(*files) if result.passed or result.error] == []
    for golden in goldens:
        verdict = rc.score_trajectory(golden, as_trajectory(answers[golden.id]))
        assert not verdict.passed and "forbidden_call" in {failure.code for failure in verdict.failures}


UNREADABLE: dict[str, Any] = {
    "an unknown part": [{"role": "assistant", "content": [{"type": "hologram"}]}],
    "an unknown item": [{"type": "hologram_call", "id": "h"}],
    "a call without a name": [{"role": "assistant", "tool_calls": [{"id": "1", "function": {"arguments": "{}"}}]}],
    "calls in a strange field": [{"role": "assistant", "content": "", "steps": [{"tool": 1, "name": "f", "args": {}}]}],
    "choices that differ": {"choices": [
        {"index": 0, "message": {"role": "assistant", "content": "Hi."}},
        {"index": 1, "message": {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}},
    ]},
}  # fmt: skip


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_fails_its_case_and_never_passes(name: str, tmp_path: Path) -> None:
    goldens = [rc.Golden("Hi", id=key, no_calls=True) for key in ("first", "second")]
    with pytest.raises(ConfigError, match="stopped after 2 goldens"):
        rc.evaluate(lambda golden: UNREADABLE[name], goldens, store=tmp_path / "a.db")
    later = rc.evaluate(
        lambda golden: "Hello." if golden.id == "first" else UNREADABLE[name],
        goldens, concurrency=1, store=tmp_path / "b.db",
    )  # fmt: skip
    first, second = sorted(later.results, key=lambda result: result.golden_id)
    assert first.passed and not second.passed and not later.passed
    assert [failure.code for failure in second.codes] == ["unreadable_result"]
    with pytest.raises(UnreadableReplyError):
        ReplyReader({}).read(json.dumps(UNREADABLE[name]).encode(), "")
    (tmp_path / "done.jsonl").write_text(
        json.dumps({"golden_id": "g", "messages": [*_list(UNREADABLE[name])]}) + "\n"
    )
    with pytest.raises(InputError):
        list(load_trajectories(tmp_path / "done.jsonl"))
    (tmp_path / "trace.json").write_text(json.dumps(generation(UNREADABLE[name])))
    [trace] = load_traces(tmp_path / "trace.json")
    calls = {call.name for call in trace.trajectory.calls}
    assert (
        trace.trajectory.stop_reason == "infra_error" or calls
    )  # a trace keeps a call without a name as `?`


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def test_an_unreadable_reply_is_not_the_agents_failure() -> None:
    assert issubclass(UnreadableReplyError, AgentFailedError)


def test_choices_of_one_index_are_pieces_of_one_answer() -> None:
    pieces = [
        {"index": 0, "message": {"role": "assistant", "content": "Let me see."}},
        {
            "index": 0,
            "message": {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]},
        },
    ]
    made = as_trajectory({"choices": pieces})
    assert (said(made), made.output) == ([("f", {}, "")], "Let me see.")


def test_a_trajectory_without_calls_has_those_of_its_messages() -> None:
    made = as_trajectory(Trajectory(messages=[Message("assistant", calls=[rc.ToolCall("f")])]))
    assert [call.name for call in made.calls] == ["f"]


def test_the_page_lists_every_spelling() -> None:
    page = (Path(__file__).parents[2] / "docs" / "agents.md").read_text()
    assert [spelling.title for spelling in SPELLINGS.values() if f"| {spelling.title} |" not in page] == []


def test_calls_in_streams_are_not_lost() -> None:
    chat = [
        {"choices": [{"index": 0, "delta": {"function_call": {"name": "f", "arguments": piece}}}]}
        for piece in ("{", "}")
    ]
    assert said(streamed(chat)) == [("f", {}, "")]
    for kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
        block = {"type": kind, "id": "1", "name": "f", "input": {"a": 1}}
        assert said(streamed([{"type": "content_block_start", "index": 0, "content_block": block}])) == [
            ("f", {"a": 1}, "1")
        ]
    with pytest.raises(UnreadableReplyError, match="hologram"):
        streamed([{"type": "content_block_start", "index": 0, "content_block": {"type": "hologram"}}])
    with pytest.raises(UnreadableReplyError, match="several choices"):
        streamed([{"choices": [{"index": 1, "delta": {"tool_calls": [{"function": {"name": "f"}}]}}]}])


def streamed(events: list[Any]) -> Trajectory:
    content = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode() + b"data: [DONE]\n\n"
    return ReplyReader({}).read(content, "", stream=True)
