"""A session in progress: listens to the messages between a client and an MCP server, and keeps what they say.

Secrets are removed from a message before anything is kept of it.
"""

from __future__ import annotations

import datetime
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec

from rightcall.recording.canonical import Clean, scrub_value
from rightcall.recording.mcp.session import (
    PROTOCOL_VERSION,
    SERVER_FIELDS,
    Definition,
    McpSession,
    RecordedCall,
    ToolListChange,
    call_key,
    greeting,
)

_OF_TRANSPORT = ("_meta", "resultType")
PAGES = {"tools/list": "tools", "resources/list": "resources", "prompts/list": "prompts"}

_OUR_WORDS = frozenset(
    (
        *SERVER_FIELDS, "name", "title", "description", "inputSchema", "outputSchema", "annotations", "type", "text",
        "content", "structuredContent", "isError", "properties", "required", "object", "string", "readOnlyHint",
        "destructiveHint", "idempotentHint", "openWorldHint", "additionalProperties", "code", "message", "version",
    )
)  # fmt: skip
"""Words of the protocol: not secrets, even if the environment has an equal one."""


class _OpenCall(msgspec.Struct):
    name: str
    arguments: dict[str, Any]
    began: float


class SessionRecorder:
    """Collects a session. `sent` and `received` get every message, in order; `clean` removes secrets.

    `keep` gets the session after each answer to a call.
    """

    def __init__(
        self,
        clean: Clean,
        address: str = "",
        keep: Callable[[McpSession], object] | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clean = clean
        self._clock = clock
        self._keep = keep
        self.address = clean(address)
        self._server: dict[str, Any] = {}
        self._lists: dict[str, tuple[Definition, ...] | None] = dict.fromkeys(PAGES.values())
        self._pages: dict[str, list[Definition]] = {name: [] for name in PAGES.values()}
        self._changes: list[ToolListChange] = []
        self._calls: list[RecordedCall] = []
        self._turns = Counter[bytes]()
        self._pending: dict[Any, tuple[str, dict[str, Any]]] = {}
        self._open: dict[Any, _OpenCall] = {}

    def connect(self) -> None:
        """A new connection: what was not answered on the last one never will be."""
        self._pending.clear()
        self._open.clear()

    def sent(self, message: dict[str, Any]) -> None:
        """A message of the client."""
        if "method" not in message or message.get("id") is None:
            return
        params = message.get("params") or {}
        if message["method"] == "tools/call":
            arguments = params.get("arguments")
            self._open[message["id"]] = _OpenCall(
                self._clean(str(params.get("name", ""))),
                self.scrub(arguments if isinstance(arguments, dict) else {}),
                self._clock(),
            )
        else:
            self._pending[message["id"]] = (message["method"], params)

    def received(self, message: dict[str, Any]) -> None:
        """A message of the server."""
        if "method" in message or "id" not in message:
            return
        result = message.get("result")
        if (call := self._open.pop(message["id"], None)) is not None:
            if isinstance(result, dict) and result.get("resultType") == "input_required":
                return  # the call is made once more, with what the server asks for
            self._add_call(call, message)
            return
        method, params = self._pending.pop(message["id"], ("", {}))
        if not isinstance(result, dict):
            return
        if method == "server/discover":
            result = greeting(str((params.get("_meta") or {}).get(PROTOCOL_VERSION, "")), result)
        if method in ("initialize", "server/discover"):
            self._server = {name: self.scrub(result[name]) for name in SERVER_FIELDS if name in result}
        elif method in PAGES:
            self._take_page(PAGES[method], params, result)

    def _add_call(self, call: _OpenCall, message: dict[str, Any]) -> None:
        key = call_key(call.name, call.arguments)
        result = message.get("result")
        if isinstance(result, dict):
            result = self.scrub({name: value for name, value in result.items() if name not in _OF_TRANSPORT})
        else:
            result = None
        ms = round((self._clock() - call.began) * 1000)
        error = self.scrub(message.get("error"))
        self._calls.append(
            RecordedCall(call.name, call.arguments, result=result, error=error, ms=ms, n=self._turns[key])
        )
        self._turns[key] += 1
        if self._keep is not None:
            self._keep(self.session())

    def session(self) -> McpSession:
        """What was recorded so far, calls in the order of their answers; those without one are left out."""
        return McpSession(
            server=self._server,
            tools=self._lists["tools"] or (),
            resources=self._lists["resources"] or (),
            prompts=self._lists["prompts"] or (),
            calls=tuple(self._calls),
            changes=tuple(self._changes),
            recorded=datetime.datetime.now(datetime.UTC).date().isoformat(),
            address=self.address,
        )

    def _take_page(self, name: str, params: dict[str, Any], result: dict[str, Any]) -> None:
        if not params.get("cursor"):
            self._pages[name] = []
        items = result.get(name)
        items = items if isinstance(items, list) else []
        self._pages[name] += [self.scrub(item) for item in items if isinstance(item, dict)]
        if result.get("nextCursor"):
            return
        listed = tuple(self._pages[name])
        before = self._lists[name]
        if before is None or name != "tools":
            self._lists[name] = listed
            return
        current = self._changes[-1].tools if self._changes else before
        if listed != current:
            answered = len(self._calls)
            self._changes = [change for change in self._changes if change.calls != answered]
            self._changes.append(ToolListChange(answered, listed))

    def scrub(self, value: Any) -> Any:
        """A value of a message without secrets."""
        return scrub_value(value, self._clean, _OUR_WORDS)
