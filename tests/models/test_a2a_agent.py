"""`a2a:URL`: cards and replies that are broken or hostile. A real server is in tests/wings/adapters/own_environment."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from aiohttp import web

import rightcall as rc
from rightcall.agents.remote.a2a_agent import TurnRecord
from rightcall.agents.remote.a2a_wire import read_card, read_update
from rightcall.agents.remote.exchange import Exchange
from rightcall.core.errors import ConfigError
from tests.models.loopback import _in_thread
from tests.wings.adapters.contract import performed

HOME = "http://127.0.0.1:9000"
TEXT = {"parts": [{"text": "31."}]}


def interface(url: str = "/", binding: str = "JSONRPC", version: str = "1.0") -> dict[str, Any]:
    return {"url": url, "protocolBinding": binding, "protocolVersion": version}


@pytest.mark.parametrize(
    ("card", "path", "modern"),
    [
        ({"supportedInterfaces": [interface("/rpc")]}, "/rpc", True),
        ({"supportedInterfaces": [interface("/g", "GRPC"), interface("http://localhost:9000/r")]}, "/r", True),
        ({"supportedInterfaces": [interface("/a", version="0.3"), interface("/b")]}, "/b", True),
        ({"url": f"{HOME}/old", "protocolVersion": "0.3.0"}, "/old", False),
        ({"url": HOME, "preferredTransport": "GRPC", "additionalInterfaces":
          [{"url": f"{HOME}/r", "transport": "JSONRPC"}]}, "/r", False),
    ],
)  # fmt: skip
def test_the_card_says_where_and_how(card, path, modern):
    read = read_card(card, HOME)
    assert (read.path, read.modern) == (path, modern)


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ([], "is not an object"),
        ({}, "has no JSONRPC interface"),
        ({"supportedInterfaces": [interface("/g", "GRPC")]}, "it has: GRPC"),
        ({"url": "http://evil.example/rpc"}, "names another server, http://evil.example"),
        ({"url": "http://127.0.0.1:9001/rpc"}, "names another server"),
        ({"url": "http://user:secret@evil.example/"}, "another server, http://evil.example;"),
    ],
)
def test_a_card_that_cannot_be_used_says_why(card, words):
    with pytest.raises(ConfigError, match=words) as raised:
        read_card(card, HOME)
    assert "secret" not in str(raised.value)


def turn(*results: Any) -> tuple[Any, bool]:
    record = TurnRecord(set())
    for result in results:
        update = read_update(result)
        assert update is not None
        record.add(*update)
    return record.trajectory()


def test_calls_in_adks_spelling_and_in_metadata_are_read():
    call = {"data": {"id": "1", "name": "find", "args": {"q": 1}}, "metadata": {"adk_type": "function_call"}}
    result = {
        "data": {"id": "1", "name": "find", "response": {"n": 2}}, "metadata": {"adk_type": "function_response"},
    }  # fmt: skip
    parts = [
        {"role": "agent", "messageId": name, "parts": [part]} for name, part in (("a", call), ("b", result))
    ]
    task = {
        "kind": "task",
        "id": "t",
        "status": {"state": "completed"},
        "history": parts,
        "artifacts": [TEXT],
    }
    made, reported = turn(task)
    assert [(c.name, c.arguments, c.status, c.output) for c in made.calls] == [
        ("find", {"q": 1}, "ok", {"n": 2})
    ]
    assert reported and made.output == "31."
    made, reported = turn(
        {"message": {**TEXT, "role": "ROLE_AGENT", "messageId": "m", "metadata": {"calls": []}}}
    )
    assert reported and not made.calls and made.output == "31."


def test_pieces_of_an_artifact_are_one_answer():
    pieces = [
        {
            "artifactUpdate": {
                "taskId": "t",
                "append": at > 0,
                "artifact": {"artifactId": "a", "parts": [{"text": word}]},
            }
        }
        for at, word in enumerate(("It ", "is ", "31."))
    ]
    done = {"statusUpdate": {"taskId": "t", "status": {"state": "TASK_STATE_COMPLETED"}}}
    made, reported = turn({"task": {"id": "t", "status": {"state": "TASK_STATE_WORKING"}}}, *pieces, done)
    assert (made.output, made.stop_reason, reported) == ("It is 31.", "done", False)


def test_a_state_that_is_not_known_says_nothing_about_the_agent():
    made, _ = turn({"task": {"id": "t", "status": {"state": "TASK_STATE_DREAMING"}}})
    assert made.stop_reason == "infra_error" and "dreaming" in made.error


@contextmanager
def service(reply: Any, card: Any = None) -> Iterator[tuple[str, list[Any]]]:
    """An address whose agent answers every request with a reply, and what it was sent."""
    seen: list[Any] = []

    async def answer(request: web.Request) -> web.Response:
        if request.method == "GET":
            found = request.path == "/.well-known/agent-card.json"
            return (
                web.json_response(card or {"supportedInterfaces": [interface()]})
                if found
                else web.Response(status=404)
            )
        seen.append((dict(request.headers), await request.json()))
        return web.Response(body=reply if isinstance(reply, bytes) else json.dumps(reply).encode())

    async def start() -> Any:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner.addresses[0][1], runner.cleanup

    with _in_thread(start) as port:
        yield f"http://127.0.0.1:{port}", seen


@pytest.mark.parametrize(
    ("reply", "stop", "words"),
    [
        (b"<html>", "agent_error", "is not JSON"),
        ([], "agent_error", "is not an object"),
        ({"error": {"code": -32603, "message": "broken"}}, "agent_error", "an error: broken"),
        ({"result": {"what": 1}}, "unreadable", "neither a task nor a message"),
        ({"result": {"message": {**TEXT, "role": "ROLE_AGENT"}}}, "infra_error", "reported no calls"),
    ],
)
def test_a_reply_that_cannot_be_used_says_why(reply, stop, words):
    with service(reply) as (address, seen):
        (trajectory,) = performed(f"a2a:{address}", "hello")
    assert trajectory.stop_reason == stop and words in trajectory.error
    assert len(seen) == 1


def test_only_the_users_words_and_the_headers_are_sent(monkeypatch):
    monkeypatch.setenv("AGENT_TOKEN", "s3cret-token-of-mine")
    exchange = Exchange(headers={"Authorization": "Bearer ${AGENT_TOKEN}"})
    with service({"error": {"message": "who is s3cret-token-of-mine?"}}) as (address, seen):
        (trajectory,) = performed(f"a2a:{address}", "hello", exchange=exchange)
    ((headers, body),) = seen
    assert headers["Authorization"] == "Bearer s3cret-token-of-mine" and headers["a2a-version"] == "1.0"
    assert body["method"] == "SendMessage" and body["params"]["message"]["parts"] == [{"text": "hello"}]
    assert "s3cret" not in trajectory.error


def test_a_service_without_a_card_is_reported_before_anything_is_asked(tmp_path):
    with service({}, card={"supportedInterfaces": []}) as (address, seen):
        with pytest.raises(rc.errors.RightCallError, match="has no JSONRPC interface"):
            rc.evaluate(f"a2a:{address}", [rc.Golden("hello", id="g")], store=tmp_path / "runs.db")
        with pytest.raises(rc.errors.RightCallError, match="no agent card found"):
            rc.evaluate(
                f"a2a:{address}/x/agent.json", [rc.Golden("hello", id="g")], store=tmp_path / "runs.db"
            )
    assert not seen
