"""One OpenAI-compatible server on loopback that plays every role, and a guard against every other connection."""

from __future__ import annotations

import ipaddress
import json
import socket
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from rightcall.core import event_loop
from tests.providers.loopback import Seen, json_server

AGENT = "agent-m"
JUDGE = "judge-m"
USER = "user-m"
WRITER = "writer-m"


def answer(body: dict[str, Any]) -> dict[str, Any]:
    """What each role says: a verdict, a call of the first tool, the words of a user, a sentence."""
    tools = body.get("tools") or []
    name = tools[0]["function"]["name"] if tools else ""
    heard = any(message["role"] in ("assistant", "tool") for message in body["messages"])
    message: dict[str, Any] = {"role": "assistant", "content": "What is the weather in Hanoi?"}
    if name == "give_verdict":
        message["tool_calls"] = [_call(name, {"reason": "it is", "verdict": "pass"})]
    elif tools and not heard:
        message["tool_calls"] = [_call(name, {"city": "Hanoi"})]
    elif body["model"] == USER and heard:
        message["content"] = "###STOP###"
    elif body["model"] == WRITER and "clarity" in json.dumps(body["messages"]):
        message["content"] = '{"clarity": 1, "answerability": 1, "score": 1, "feedback": ""}'
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": "tool_calls" if "tool_calls" in message else "stop",
    }
    return {
        "id": "c",
        "object": "chat.completion",
        "model": body["model"],
        "choices": [choice],
        "usage": usage,
    }


def _call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "call_1",
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(arguments)},
    }


@contextmanager
def one_server() -> Iterator[Seen]:
    """The server; `seen.bodies` are what it was asked."""
    with json_server(answer) as seen:
        seen.url += "/v1"
        yield seen


def asked(seen: Seen) -> Counter[str]:
    """How often each model was asked."""
    return Counter(body["model"] for body in seen.bodies)


def guard_sockets(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Refuse every connection, and every name to look up, that is not loopback; returns what was refused."""
    refused: list[str] = []
    connect = socket.socket.connect
    find = socket.getaddrinfo

    def is_here(host: Any) -> bool:
        try:
            return host in (None, "localhost", b"localhost") or ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False

    def guarded_connect(self: socket.socket, address: Any) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not is_here(address[0]):
            refused.append(str(address))
            raise OSError(f"not allowed: {address}")
        return connect(self, address)

    def guarded_find(host: Any, *rest: Any, **more: Any) -> Any:
        if not is_here(host):
            refused.append(str(host))
            raise socket.gaierror(f"not allowed: {host}")
        return find(host, *rest, **more)

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_find)
    # uvloop connects without Python's sockets, where nothing would be seen.
    monkeypatch.setitem(sys.modules, "uvloop", None)
    monkeypatch.setattr(event_loop, "_preferred", [])  # uvloop looks names up itself
    event_loop.close()  # one that an earlier test opened
    return refused
