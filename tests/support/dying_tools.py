"""Tools and agents that die in many ways, with real processes and servers, and what a run makes of them.

A run has two goldens: the tool dies for `dies` and works for `works`. The world is a file with a line for each effect.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from aiohttp import web

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.agents.limits import Limits
from rightcall.core.errors import InfrastructureError
from rightcall.providers.scripted import ScriptedProvider
from rightcall.tools.definitions.function import tool
from rightcall.tools.mcp.address import McpAddress
from tests.providers.loopback import _in_thread

DEATHS = ("before the call", "in the call", "after the effect", "hang", "garbage", "wrong id", "closed pipe")
KINDS = ("function", "MCP stdio", "MCP HTTP", "exec agent", "http agent", "observed")
SECONDS = 12.0
"""How long a tool may take to answer in a run in which one never does."""

LOST = "the other end is gone"
GOLDENS = [
    rc.Golden("pay dies", id="dies", expected_calls=(rc.ExpectedCall("pay", {"to": "dies"}),)),
    rc.Golden("pay works", id="works", expected_calls=(rc.ExpectedCall("pay", {"to": "works"}),)),
]


class Row(NamedTuple):
    """What a run said about the case whose tool died, and what had happened."""

    kind: str
    death: str
    state: str
    effects: int
    others: str
    exit_code: int
    sentence: str


def row(kind: str, death: str, folder: Path, store: str) -> Row:
    """Run both goldens and look at what came of them."""
    world = folder / "world"
    try:
        with MAKERS[kind](death, folder, world) as agent:
            run = rc.evaluate(agent, GOLDENS, store=store, concurrency=1, group="dying tools")
            states = states_of(run)
            code = run.verdict.exit_code
            sentence = run.verdict.sentence
            run.store.close()
    except InfrastructureError as error:
        states = {}
        code = error.exit_code
        sentence = str(error)
    lines = Counter(world.read_text().split()) if world.exists() else Counter()
    if lines["works"] > 1:
        sentence = f"{lines['works']} effects of the other case: {sentence}"
    return Row(
        kind,
        death,
        states.get("dies", "not run"),
        lines["dies"],
        states.get("works", "not run"),
        code,
        sentence,
    )


def states_of(run: Any) -> dict[str, str]:
    return {
        result.golden_id: "error" if result.error else "pass" if result.passed else "fail"
        for result in run.results
    }


def patience(death: str) -> float:
    """How long to wait for an answer: not long for one that never comes."""
    return SECONDS if death in ("hang", "garbage", "wrong id") else 60.0


def act(world: Path, name: str) -> None:
    with world.open("a", encoding="utf-8") as lines:
        lines.write(f"{name}\n")


def scripted(**settings: Any) -> Agent:
    """A model that pays what it is asked to pay, once."""

    def script(request: Any) -> Any:
        if request.turn:
            return "done"
        return rc.ToolCall("pay", {"to": request.messages[0].content.split()[-1]})

    return Agent(ScriptedProvider(script), mode="loop", execute="real", **settings)


def paying(death: str, world: Path) -> Callable[[str], Any]:
    """A function that pays, or dies."""

    async def pay(to: str) -> Any:
        """Pay someone."""
        if to == "dies" and death == "before the call":
            raise ConnectionRefusedError(LOST)
        if to == "dies" and death == "in the call":
            raise ConnectionResetError(LOST)
        act(world, to)
        if to != "dies":
            return "paid"
        if death == "hang":
            await asyncio.sleep(600)
        if death == "garbage":
            return object()
        raise BrokenPipeError(LOST) if death == "closed pipe" else ConnectionAbortedError(LOST)

    return pay


@contextmanager
def function(death: str, folder: Path, world: Path) -> Iterator[Agent]:
    yield scripted(tools=[tool(destructive=True, timeout_s=patience(death))(paying(death, world))])


@contextmanager
def observed(death: str, folder: Path, world: Path) -> Iterator[Agent]:
    """An agent of a framework that runs its own tools; a tool that hangs gives up by itself."""
    from pydantic_ai import Agent as PydanticAgent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    function = paying(death, world)

    async def pay(to: str) -> str:
        """Pay someone."""
        return str(await asyncio.wait_for(function(to), patience(death)))

    def model(messages: Any, info: Any) -> Any:
        if len(messages) > 1:
            return ModelResponse(parts=[TextPart("done")])
        return ModelResponse(parts=[ToolCallPart("pay", {"to": messages[0].parts[-1].content.split()[-1]})])

    yield Agent(rc.observe(PydanticAgent(FunctionModel(model), tools=[pay])))


DEFINITION = {
    "name": "pay",
    "description": "Pay someone.",
    "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]},
}
STARTED = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "dying", "version": "1"},
}
PAID = {"content": [{"type": "text", "text": "paid"}]}

STDIO_SERVER = f"""
import json, os, sys, threading, time
death, world, mark = sys.argv[1:]
def send(message):
    sys.stdout.write(json.dumps({{"jsonrpc": "2.0", **message}}) + "\\n"); sys.stdout.flush()
def act(name):
    with open(world, "a") as lines: lines.write(name + "\\n")
def called(number, to):
    if to == "dies" and death == "in the call": os._exit(3)
    if not (to == "dies" and death == "closed pipe"): act(to)
    if to != "dies" or death == "before the call": return send({{"id": number, "result": {PAID!r}}})
    if death == "after the effect": os._exit(3)
    if death == "garbage": print("%%% not JSON", flush=True)
    if death == "wrong id": send({{"id": 4711, "result": {PAID!r}}})
    if death == "closed pipe": os.close(1)
for line in sys.stdin:
    message = json.loads(line); method, number = message.get("method"), message.get("id")
    if method == "initialize": send({{"id": number, "result": {STARTED!r}}})
    elif method == "tools/list":
        send({{"id": number, "result": {{"tools": [{DEFINITION!r}]}}}})
        if death == "before the call" and not os.path.exists(mark):
            open(mark, "w").close(); os._exit(3)
    elif method == "tools/call": called(number, message["params"]["arguments"]["to"])
    elif number is not None: send({{"id": number, "error": {{"code": -32601, "message": "no such method"}}}})
"""


@contextmanager
def mcp_stdio(death: str, folder: Path, world: Path) -> Iterator[Agent]:
    program = folder / "server.py"
    program.write_text(STDIO_SERVER)
    command = (sys.executable, "-S", str(program), death, str(world), str(folder / "mark"))
    yield scripted(mcp=McpAddress(command, call_s=patience(death)), tools=[rc.Tool("pay", "Pay someone.")])


@contextmanager
def served(handle: Callable[[web.Request], Any]) -> Iterator[str]:
    async def start() -> Any:
        app = web.Application()
        app.router.add_route("*", "/run", handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner.addresses[0][1], runner.cleanup

    with _in_thread(start) as port:
        yield f"http://127.0.0.1:{port}/run"


async def died(request: web.Request, death: str, reply: Any) -> web.StreamResponse:
    """A response that is none."""
    assert request.transport is not None
    if death == "garbage":
        return web.Response(text="%%% not JSON", content_type="application/json")
    if death == "hang":
        await asyncio.sleep(600)
    if death == "closed pipe":
        request.transport.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"
        )
    if death == "wrong id":
        return web.json_response(reply)
    request.transport.close()
    return web.Response()


@contextmanager
def mcp_http(death: str, folder: Path, world: Path) -> Iterator[Agent]:
    """A server behind a URL; "before the call" it was restarted and has forgotten its sessions."""
    forgot: list[bool] = []

    async def handle(request: web.Request) -> web.StreamResponse:
        if request.method != "POST":
            return web.Response(status=405)
        message = await request.json()
        method = message.get("method")
        answer = {"jsonrpc": "2.0", "id": message.get("id")}
        if method == "initialize":
            return web.json_response(
                {**answer, "result": STARTED}, headers={"mcp-session-id": f"s{len(forgot)}"}
            )
        if method == "tools/list":
            return web.json_response({**answer, "result": {"tools": [DEFINITION]}})
        if method != "tools/call":
            return web.Response(status=202)
        to = message["params"]["arguments"]["to"]
        if death == "before the call" and not forgot:
            forgot.append(True)
            return web.Response(status=404)
        if to == "dies" and death == "in the call":
            return await died(request, death, None)
        act(world, to)
        if to != "dies" or death == "before the call":
            return web.json_response({**answer, "result": PAID})
        return await died(request, death, {**answer, "id": 4711, "result": PAID})

    with served(handle) as url:
        yield scripted(
            mcp=McpAddress(url=url, call_s=patience(death)), tools=[rc.Tool("pay", "Pay someone.")]
        )


def reply_of(to: str) -> dict[str, Any]:
    return {"calls": [{"name": "pay", "arguments": {"to": to}}], "output": "done"}


@contextmanager
def http_agent(death: str, folder: Path, world: Path) -> Iterator[Agent]:
    """A service that is an agent; "before the call" it declines the request."""
    declined: list[bool] = []

    async def handle(request: web.Request) -> web.StreamResponse:
        to = (await request.json())["input"].split()[-1]
        if to == "dies" and death == "before the call" and not declined:
            declined.append(True)
            return web.Response(status=503, headers={"Retry-After": "0"})
        if to == "dies" and death == "in the call":
            return await died(request, death, None)
        act(world, to)
        if to != "dies" or death == "before the call":
            return web.json_response(reply_of(to))
        return await died(request, death, None)

    with served(handle) as url:
        yield Agent(f"http:{url}", limits=Limits(seconds=patience(death)))


PROGRAM = """
import json, os, sys, time
death, world = sys.argv[1:]
to = json.loads(sys.stdin.readline())["input"].split()[-1]
dies = to == "dies"
if dies and death in ("before the call", "in the call"): os._exit(3)
with open(world, "a") as lines: lines.write(to + "\\n")
if dies and death == "after the effect": os._exit(3)
if dies and death == "hang": time.sleep(600)
if dies and death == "garbage": print("%%% not JSON"); sys.exit()
if dies and death == "closed pipe": os.close(1); os._exit(0)
print(json.dumps({"calls": [{"name": "pay", "arguments": {"to": to}}], "output": "done"}))
"""


@contextmanager
def exec_agent(death: str, folder: Path, world: Path) -> Iterator[Agent]:
    program = folder / "agent.py"
    program.write_text(PROGRAM)
    command = json.dumps([sys.executable, "-S", str(program), death, str(world)])
    yield Agent(f"exec:{command}", limits=Limits(seconds=2 * patience(death)))


MAKERS: dict[str, Callable[[str, Path, Path], Any]] = dict(
    zip(KINDS, (function, mcp_stdio, mcp_http, exec_agent, http_agent, observed), strict=True)
)

IMPOSSIBLE = {
    *((kind, "wrong id") for kind in ("function", "exec agent", "http agent", "observed")),
    ("observed", "garbage"),
}
"""Replies without an id cannot have a wrong one; what a framework's own tool returns is what its model reads."""

CELLS = [(kind, death) for kind in KINDS for death in DEATHS if (kind, death) not in IMPOSSIBLE]


def broken_laws(seen: Row) -> list[str]:
    """What a row must never say: a pass without its effect, an effect that happened twice, a green run without a pass."""
    return [
        law
        for law, broken in (
            ("a pass, but the tool was not reached", seen.state == "pass" and seen.effects == 0),
            ("an effect happened twice", seen.effects > 1),
            ("the run is green without this pass", seen.exit_code == 0 and seen.state != "pass"),
            ("a case whose tool works did not pass", seen.others not in ("pass", "not run")),
        )
        if broken
    ]
