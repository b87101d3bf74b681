"""Which version of the protocol is spoken with an MCP server, and what is said when there is none."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from rightcall.core.errors import InfrastructureError
from rightcall.limbs.contracts.verification import (
    CallToRecord,
    VerifyRules,
    compare_versions,
    other_version,
    record_session,
)
from rightcall.recording.mcp.session import McpSession
from rightcall.tools.mcp.address import McpAddress
from rightcall.tools.mcp.client import McpServer
from rightcall.tools.mcp.connection import last_words
from rightcall.tools.mcp.sdk import load_sdk
from tests.support.patience import until
from tests.tools.odd_server import BOX
from tests.tools.test_mcp import odd

pytestmark = pytest.mark.skipif(
    not load_sdk().stateless_versions, reason="version 1 of the SDK has no version without a handshake"
)
FORM = {"seats": 2}


def opened(address: McpAddress) -> McpServer:
    async def scenario() -> McpServer:
        async with McpServer(address) as server:
            return server

    return asyncio.run(scenario())


def recorded(address: McpAddress, *calls: CallToRecord) -> McpSession:
    return asyncio.run(record_session(address, calls))[0]


@pytest.mark.parametrize(
    ("mode", "version"),
    [("stateless", "2026-07-28"), ("good", "2025-06-18"), ("first_initialize", "2025-06-18")],
)
def test_the_newest_version_that_both_sides_speak_is_used(mode: str, version: str):
    server = opened(odd(mode))
    assert (server.server["protocolVersion"], server.name) == (version, "odd")
    assert [tool.name for tool in server.tools] == ["echo", "write"]


def test_no_common_version_is_an_error_with_what_was_asked_and_answered():
    with pytest.raises(InfrastructureError) as error:
        opened(odd("future"))
    assert str(error.value).endswith(
        "refused the connection: asked for protocol 2026-07-28 or 2025-11-25, it answered error -32022:"
        " Unsupported protocol version (it speaks 2099-01-01); it is still running"
    )


def test_a_list_that_is_refused_is_told_without_the_frames_of_a_traceback():
    with pytest.raises(InfrastructureError) as error:
        opened(odd("boxed"))
    assert str(error.value).endswith(
        "did not list its tools: asked tools/list in protocol 2025-06-18, it answered error -32603: invalid result;"
        " it is still running; stderr: ValidationError: 1 validation error for ListToolsResult"
        " tools.0.outputSchema.type Input should be 'object'"
    )


@pytest.mark.parametrize(
    ("stderr", "told"),
    [
        (BOX, "ValidationError: 1 validation error for ListToolsResult tools.0.outputSchema.type Input should be 'object'"),
        ("starting\nready", "starting ready"),
        ("\x1b[31mError: no key\x1b[0m\n    at main.js:1", "Error: no key at main.js:1"),
        ("Traceback (most recent call last):\n  File x\nmcp.shared.McpError: gone", "mcp.shared.McpError: gone"),
    ],
)  # fmt: skip
def test_the_last_error_of_stderr_is_shown(stderr: str, told: str):
    assert last_words(stderr) == told


def test_what_a_server_asks_back_is_answered_and_the_call_recorded_once():
    address = odd("stateless", elicitation=FORM)

    async def call() -> Any:
        async with McpServer(address) as server:
            return await server.call("write", {"text": "x"})

    assert asyncio.run(call()) == "2 seats"
    session = recorded(address, CallToRecord("write", {"text": "x"}))
    assert session.server["protocolVersion"] == "2026-07-28"
    assert [call.result for call in session.calls] == [{"content": [{"type": "text", "text": "2 seats"}]}]


@pytest.mark.stories
def test_a_changed_list_of_tools_is_announced_without_a_handshake():
    async def scenario() -> list[str]:
        async with McpServer(McpAddress((sys.executable, "-c", CHANGING))) as server:
            await server.call("grow", {})
            await until(lambda: server.list_changed)
            await server.call("grow", {})
            return [tool.name for tool in server.tools]

    assert asyncio.run(scenario()) == ["grow", "more"]


CHANGING = """
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
server = MCPServer("growing")
@server.tool()
async def grow(context: Context) -> str:
    server.add_tool(lambda: "x", name="more")
    await context.notify_tools_changed()
    return "grown"
server.run(transport="stdio")
"""


@pytest.mark.stories
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_a_server_of_the_sdk_with_lists_as_results_is_recorded_served_and_verified(tmp_path: Path, way: str):
    from rightcall.recording.mcp.session_file import write_session
    from tests.limbs.contracts.test_contract_commands import http_server, serving

    source = McpAddress((sys.executable, "-c", LISTING))
    calls = [CallToRecord("alerts", {"state": state}) for state in ("CA", "NY")]
    session = recorded(source, *calls)
    assert session.tools[0]["outputSchema"]["type"] == "array"
    assert [call.result and call.result["structuredContent"] for call in session.calls] == [["CA"], ["NY"]]
    write_session(path := tmp_path / "alerts.jsonl", session)

    def verdict(address: McpAddress) -> str:
        other = asyncio.run(other_version(address, session, VerifyRules(writes=("alerts",))))
        return compare_versions(session, other, VerifyRules()).verdict

    if way == "stdio":
        assert verdict(McpAddress(tuple(serving(path).removeprefix("mcp:").split()))) == "compatible"
    else:
        with http_server(path) as (url, _):
            assert verdict(McpAddress(url=url)) == "compatible"


LISTING = """
from mcp.server import MCPServer
from pydantic import RootModel
server = MCPServer("alerts")
class Alerts(RootModel[list[str]]):
    pass
@server.tool()
def alerts(state: str) -> Alerts:
    return Alerts([state])
server.run(transport="stdio")
"""
