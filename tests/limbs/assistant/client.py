"""A project folder, and the real MCP client talking to `rightcall mcp` in it over stdio."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from mcp.client.session import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

TOOLS = [
    {
        "name": "close_account",
        "description": "Removes a\u200b customer. Cannot be undone.",
        "input_schema": {"type": "object", "properties": {}, "additionalProperties": False},
    },
    {
        "name": "delete_order",
        "description": "Deletes one order of a customer permanently, before it is sent.",
        "input_schema": {
            "type": "object",
            "properties": {"order": {"type": "string", "description": "Number of the order, such as 1017."}},
            "required": ["order"],
            "additionalProperties": False,
        },
    },
]
GOLDENS = [
    {"id": "leave", "input": "Erase my profile please", "expected_calls": [{"tool": "close_account"}]},
    {"id": "stay", "input": "Which cities do you know?", "no_calls": True},
]
SUITE = "name: shop\ndataset: goldens.jsonl\ntools: tools.json\nagent: {model: 'keyword:'}\n"


def make_project(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tools.json").write_text(json.dumps(TOOLS, indent=2), "utf-8")
    (folder / "goldens.jsonl").write_text("\n".join(map(json.dumps, GOLDENS)) + "\n", "utf-8")
    (folder / "suite.yaml").write_text(SUITE, "utf-8")
    return folder


class Assistant:
    """Calls tools; an answer is its structured content, or the error contract with `failed` set."""

    def __init__(self, session: ClientSession) -> None:
        self.session = session
        self.progress: list[tuple[float, float | None]] = []

    async def __call__(self, name: str, **arguments: Any) -> dict[str, Any]:
        async def note(done: float, total: float | None, message: str | None) -> None:
            self.progress.append((done, total))

        answer = await self.session.call_tool(name, arguments, progress_callback=note)
        text = answer.content[0].text
        said: dict[str, Any] = json.loads(text)
        return {"failed": True, **said} if answer.is_error else said


def with_assistant(folder: Path, use: Callable[[Assistant], Awaitable[Any]], *options: str) -> Any:
    async def scenario() -> Any:
        environment = {name: value for name, value in os.environ.items() if name != "RIGHTCALL_STORE"}
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "rightcall", "mcp", "serve", *options],
            cwd=str(folder),
            env=environment,
        )
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            return await use(Assistant(session))

    return asyncio.run(scenario())
