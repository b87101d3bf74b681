"""CPU per call of a provider against a bare aiohttp loop that sends the same bytes.

    python benchmarks/provider_overhead.py [--calls 3000] [--concurrency 100] [--repeat 3] [--uvloop]

The server is another process on loopback and answers at once; CPU is this process's own, best of the repeats.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import resource
import socket

import aiohttp

from rightcall.model import Message, Tool
from rightcall.models.base import ModelRequest, Prompt, Settings
from rightcall.models.http import Network
from rightcall.models.resolver import resolve

REPLY = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "tool_1", "arguments": '{"city": "Hue", "days": 5}'},
                    }
                ],
            },
            "finish_reason": "tool_calls",
        }
    ],
    "usage": {"prompt_tokens": 250, "completion_tokens": 30, "total_tokens": 280},
}
ANSWER = json.dumps(REPLY).encode()
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(ANSWER)


class Server(asyncio.Protocol):
    """Answers every request on a connection; knows just enough of HTTP for that."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport, self.buffer = transport, b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while b"\r\n\r\n" in self.buffer:
            head, _, rest = self.buffer.partition(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
            if len(rest) < length:
                return
            self.buffer = rest[length:]
            self.transport.write(HEAD + ANSWER)


def serve(listener: socket.socket) -> None:
    async def forever() -> None:
        server = await asyncio.get_running_loop().create_server(Server, sock=listener)
        await server.serve_forever()

    asyncio.run(forever())


def a_prompt() -> Prompt:
    tools = tuple(
        Tool(
            f"tool_{i}",
            "Forecast for a city over the coming days. Use get_weather for the current weather. " * 2,
            {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "Name of the city"},
                    "days": {"type": "integer", "minimum": 1, "maximum": 14},
                    "units": {"enum": ["celsius", "fahrenheit"]},
                },
                "required": ["city"],
            },
        )
        for i in range(4)
    )
    return Prompt("You are a weather assistant.", tools, Settings(temperature=0, max_tokens=256))


async def many(ask: object, calls: int, concurrency: int) -> float:
    """CPU milliseconds per call of `ask(i)`."""
    numbers = iter(range(calls))

    async def worker() -> None:
        for i in numbers:
            await ask(i)

    before = cpu()
    await asyncio.gather(*(worker() for _ in range(concurrency)))
    return (cpu() - before) / calls * 1000


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def bare(url: str, body: bytes, calls: int, concurrency: int) -> float:
    """The floor: post ready bytes, parse the answer."""
    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def ask(i: int) -> None:
            async with session.post(url, data=body, headers={"content-type": "application/json"}) as response:
                json.loads(await response.read())

        return await many(ask, calls, concurrency)


async def ours(base_url: str, calls: int, concurrency: int) -> float:
    prompt = a_prompt()
    async with resolve("openai:m", base_url=base_url, network=Network(connections=concurrency)) as provider:

        async def ask(i: int) -> None:
            reply = await provider.complete(
                ModelRequest(prompt, (Message("user", f"question {i}"),), f"g{i}")
            )
            assert reply.message.calls[0].arguments == {"city": "Hue", "days": 5}

        return await many(ask, calls, concurrency)


async def body_of_one_request() -> bytes:
    """The very bytes the provider sends, so that both send the same."""
    from rightcall.core.codec import encode
    from rightcall.models.openai import OpenAIProvider

    provider, prompt = OpenAIProvider("m", base_url="http://127.0.0.1:1/v1"), a_prompt()
    request = ModelRequest(prompt, (Message("user", "question 1"),))
    tools = [provider.write_tool(tool) for tool in prompt.tools]
    return encode({**provider.constant(prompt), **provider.request_fields(request), "tools": tools})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=3000)
    parser.add_argument("--concurrency", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--uvloop", action="store_true")
    options = parser.parse_args()
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    base_url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    server = multiprocessing.get_context("fork").Process(target=serve, args=(listener,), daemon=True)
    server.start()
    if options.uvloop:
        import uvloop

        asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    try:
        body = asyncio.run(body_of_one_request())
        url, size = f"{base_url}/chat/completions", (options.calls, options.concurrency)
        floor, mine = [], []
        for _ in range(options.repeat):
            floor.append(asyncio.run(bare(url, body, *size)))
            mine.append(asyncio.run(ours(base_url, *size)))
    finally:
        server.terminate()
        server.join()
    print(f"bare aiohttp  {min(floor):.3f} ms CPU per call")
    print(f"rightcall     {min(mine):.3f} ms CPU per call")
    print(f"ratio         {min(mine) / min(floor):.2f}")


if __name__ == "__main__":
    main()
