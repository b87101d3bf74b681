"""A recorded session of an MCP server: its definitions as listed, its calls with the answers they got."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rightcall.core.canonical_json import canonical

Definition = dict[str, Any]
"""A tool, resource or prompt as the server listed it, with its keys in that order."""

PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"
CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
SERVER_INFO = "io.modelcontextprotocol/serverInfo"
"""Keys of `_meta` in which messages say since 2026-07-28 what was said once in `initialize`."""
SERVER_FIELDS = ("serverInfo", "protocolVersion", "capabilities", "instructions")


@dataclass(frozen=True)
class RecordedCall:
    """One `tools/call`: answered with a `result`, or with a protocol `error`. `n` counts equal calls before it."""

    name: str
    arguments: dict[str, Any]
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    ms: int = 0
    n: int = 0

    @property
    def key(self) -> bytes:
        return call_key(self.name, self.arguments)

    @property
    def answer(self) -> tuple[Any, Any]:
        return self.result, self.error

    @property
    def failed(self) -> bool:
        """Whether the tool or the protocol answered with an error."""
        return self.result is None or bool(self.result.get("isError"))


@dataclass(frozen=True)
class ToolListChange:
    """The tools that were listed after a number of calls, when the server said that its list had changed."""

    calls: int
    tools: tuple[Definition, ...]


@dataclass(frozen=True)
class McpSession:
    """What was recorded. `server` has `serverInfo`, `protocolVersion`, `capabilities` and `instructions`."""

    server: dict[str, Any] = field(default_factory=dict)
    tools: tuple[Definition, ...] = ()
    resources: tuple[Definition, ...] = ()
    prompts: tuple[Definition, ...] = ()
    calls: tuple[RecordedCall, ...] = ()
    changes: tuple[ToolListChange, ...] = ()
    recorded: str = ""
    address: str = ""

    @property
    def label(self) -> str:
        """The server's name and version."""
        info = self.server.get("serverInfo")
        info = info if isinstance(info, dict) else {}
        return f"{info.get('name', '')} {info.get('version', '')}".strip() or "an unnamed server"

    def with_calls(self, calls: Iterable[RecordedCall]) -> McpSession:
        """With these calls after its own."""
        counts = Counter(call.key for call in self.calls)
        added = []
        for call in calls:
            added.append(replace(call, n=counts[call.key]))
            counts[call.key] += 1
        return replace(self, calls=(*self.calls, *added))

    def without_repeats(self) -> McpSession:
        """Without calls whose answer is that of the equal call before: a replay gives the last one again."""
        by_key: dict[bytes, list[RecordedCall]] = {}
        for call in self.calls:
            by_key.setdefault(call.key, []).append(call)
        for answers in by_key.values():
            while len(answers) > 1 and answers[-1].answer == answers[-2].answer:
                answers.pop()
        last = {key: len(answers) for key, answers in by_key.items()}
        is_kept = [call.n < last[call.key] for call in self.calls]
        return replace(
            self,
            calls=tuple(call for call, kept in zip(self.calls, is_kept, strict=True) if kept),
            changes=tuple(replace(change, calls=sum(is_kept[: change.calls])) for change in self.changes),
        )


def greeting(version: str, result: Mapping[str, Any]) -> dict[str, Any]:
    """What a server says of itself in answer to `server/discover`, in the fields of the answer to `initialize`."""
    meta = result.get("_meta")
    info = meta.get(SERVER_INFO) if isinstance(meta, dict) else None
    fields = {**result, "serverInfo": info or {}, "protocolVersion": version}
    return {name: fields[name] for name in SERVER_FIELDS if name in fields}


def is_stateless(message: Any) -> bool:
    """Whether a request says itself in which version of the protocol it is written."""
    params = message.get("params") if isinstance(message, dict) else None
    meta = params.get("_meta") if isinstance(params, dict) else None
    return isinstance(meta, dict) and PROTOCOL_VERSION in meta


def call_key(name: str, arguments: Mapping[str, Any]) -> bytes:
    """What makes two calls equal: the tool's name and the arguments in canonical JSON (RFC 8785)."""
    return name.encode("utf-8", "surrogatepass") + b"\0" + canonical(dict(arguments))


def tool_name(definition: Definition) -> str:
    return str(definition.get("name", ""))
