"""A model on loopback that speaks OpenAI's chat completions: fast, counted, and as unreliable as asked.

    python -m tests.support.loopback_model --latency-ms 20 --rate-limited 0.3 --failing 0.05 --dropping 0.02

It prints its port on the first line. The question `… [case 17]` is answered with the call that `answer(17)` says.
`GET /counts` tells how many answers each case got, and when the first and the last was asked for; `GET /times` when requests
came and answers went. Written on a bare protocol: an HTTP framework would use more
CPU time than the client that is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

TOOLS = [
    {
        "name": "get_weather",
        "description": "Current weather in a city",
        "input_schema": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "units": {"type": "string", "enum": ["C", "F"]}},
            "required": ["city", "units"],
            "additionalProperties": False,
        },
    },
    {
        "name": "send_email",
        "description": "Send an e-mail",
        "input_schema": {
            "type": "object",
            "properties": {
                "to": {"type": "string"},
                "subject": {"type": "string"},
                "body": {"type": "string"},
            },
            "required": ["to", "subject", "body"],
            "additionalProperties": False,
        },
    },
]


def expected(i: int) -> dict[str, Any]:
    """The call a right answer to case i has."""
    if i % 2:
        return {"name": "get_weather", "arguments": {"city": f"City {i}", "units": "CF"[i % 4 // 2]}}
    return {
        "name": "send_email",
        "arguments": {
            "to": f"user{i}@example.com",
            "subject": f"Report {i}",
            "body": f"Week {i % 52}, as asked.",
        },
    }


def answer(i: int) -> dict[str, Any]:
    """The call the model makes: wrong in two of ten cases."""
    right = expected(i)
    if i % 10 == 3:
        return expected(i + 1)
    if i % 10 == 7:
        return {**right, "arguments": {**right["arguments"], next(iter(right["arguments"])): "wrong"}}
    return right


def passes(n: int) -> int:
    return sum(i % 10 not in (3, 7) for i in range(n))


def goldens(n: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"case-{i}",
            "input": f"Please do what number {i} asks for. [case {i}]",
            "expected_calls": [{"tool": expected(i)["name"], "args": expected(i)["arguments"]}],
        }
        for i in range(n)
    ]


@dataclass
class Weather:
    """How reliable the model is; shares of requests."""

    latency_ms: float = 0.0
    rate_limited: float = 0.0
    failing: float = 0.0
    dropping: float = 0.0
    retry_after: float = 0.05
    random: random.Random = field(default_factory=lambda: random.Random(1))
    answered: Counter[int] = field(default_factory=Counter)
    asked: Counter[int] = field(default_factory=Counter)
    first: float = 0.0
    last: float = 0.0
    asked_at: list[float] = field(default_factory=list)
    answered_at: list[float] = field(default_factory=list)

    def fate(self) -> str:
        drawn = self.random.random()
        for name, share in (
            ("limited", self.rate_limited),
            ("failing", self.failing),
            ("dropped", self.dropping),
        ):
            if drawn < share:
                return name
            drawn -= share
        return "answered"


class Connection(asyncio.Protocol):
    def __init__(self, weather: Weather) -> None:
        self.weather = weather
        self.buffer = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = bytes(self.buffer[:end])
            length = re.search(rb"(?i)content-length: (\d+)", head)
            total = end + 4 + (int(length[1]) if length else 0)
            if len(self.buffer) < total:
                return
            body = bytes(self.buffer[end + 4 : total])
            del self.buffer[:total]
            self.request(head, body)

    def request(self, head: bytes, body: bytes) -> None:
        if head.startswith(b"GET /counts"):
            span = {"first": self.weather.first, "last": self.weather.last}
            counts = {"asked": self.weather.asked, "answered": self.weather.answered, "span": span}
            self.reply(200, json.dumps(counts).encode())
            return
        if head.startswith(b"GET /times"):
            times = {"asked": self.weather.asked_at, "answered": self.weather.answered_at}
            self.reply(200, json.dumps(times).encode())
            return
        found = re.search(rb"\[case (\d+)\]", body)
        case = int(found[1]) if found else 0
        self.weather.asked[case] += 1
        self.weather.last = asyncio.get_running_loop().time()
        self.weather.first = self.weather.first or self.weather.last
        self.weather.asked_at.append(time.time())
        if self.weather.latency_ms:
            asyncio.get_running_loop().call_later(self.weather.latency_ms / 1000, self.decide, case)
        else:
            self.decide(case)

    def decide(self, case: int) -> None:
        fate = self.weather.fate()
        if fate == "dropped":
            self.transport.abort()
        elif fate == "limited":
            more = f"retry-after: {self.weather.retry_after}\r\n".encode()
            self.reply(429, b'{"error": {"message": "slow down", "type": "rate_limit"}}', more)
        elif fate == "failing":
            self.reply(500, b'{"error": {"message": "oops"}}')
        elif not self.transport.is_closing():
            self.weather.answered[case] += 1
            self.weather.answered_at.append(time.time())
            self.reply(200, completion(case))

    def reply(self, status: int, body: bytes, more: bytes = b"") -> None:
        if not self.transport.is_closing():
            self.transport.write(
                b"HTTP/1.1 %d X\r\ncontent-type: application/json\r\n%bcontent-length: %d\r\n\r\n%b"
                % (status, more, len(body), body)
            )


def completion(case: int) -> bytes:
    call = answer(case)
    function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": f"call_{case}", "type": "function", "function": function}],
    }
    return json.dumps(
        {
            "id": f"c{case}",
            "object": "chat.completion",
            "model": "loopback",
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
            "usage": {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150},
        }
    ).encode()


async def serve(weather: Weather, port: int = 0) -> asyncio.Server:
    return await asyncio.get_running_loop().create_server(lambda: Connection(weather), "127.0.0.1", port)


async def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("latency-ms", "rate-limited", "failing", "dropping"):
        parser.add_argument(f"--{name}", type=float, default=0.0)
    options = parser.parse_args()
    weather = Weather(options.latency_ms, options.rate_limited, options.failing, options.dropping)
    server = await serve(weather)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        sys.exit(130)
