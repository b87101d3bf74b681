"""The parts of the official SDK that are used here, in either of its major versions, and its results as plain ones.

Version 1 names fields as the protocol does (`isError`), version 2 as Python does (`is_error`). Other frameworks still
need version 1, so both are carried: nothing outside this file knows which one is installed.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import msgspec

from rightcall.core.codec import encode
from rightcall.core.errors import MissingExtraError
from rightcall.tools.runtime.call_outcome import Invocation
from rightcall.tools.runtime.errors import ToolError

McpSdk = SimpleNamespace
"""What a client needs of the SDK: see `load_sdk`."""


def load_sdk() -> McpSdk:
    """The installed SDK; `MissingExtraError` when there is none."""
    try:
        import mcp  # type: ignore[import-not-found,unused-ignore]
        import mcp.types  # type: ignore[import-not-found,unused-ignore]
        from mcp.client.sse import sse_client  # type: ignore[import-not-found,unused-ignore]
        from mcp.client.stdio import stdio_client  # type: ignore[import-not-found,unused-ignore]
        from mcp.client.streamable_http import (  # type: ignore[import-not-found,unused-ignore]
            streamable_http_client,
        )
        from mcp.shared import _httpx_utils as http_utils  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise MissingExtraError("tools of an MCP server", "mcp", "mcp") from None
    logging.getLogger("mcp").addHandler(logging.NullHandler())  # otherwise its warnings go to stderr
    return McpSdk(
        session=mcp.ClientSession,
        error=getattr(mcp, "MCPError", None) or getattr(mcp, "McpError"),  # noqa: B009
        stdio_parameters=mcp.StdioServerParameters,
        stdio_client=stdio_client,
        streamable_http_client=streamable_http_client,
        sse_client=sse_client,
        http_client=http_utils.create_mcp_http_client,
        http=getattr(http_utils, "httpx2", None) or getattr(http_utils, "httpx"),  # noqa: B009
        types=mcp.types,  # the messages of the protocol
    )


def field(message: Any, name: str) -> Any:
    """A field of a message, by its name in the protocol: `isError`."""
    if hasattr(message, name):
        return getattr(message, name)
    return getattr(message, "".join(f"_{c.lower()}" if c.isupper() else c for c in name))


def read_message(session_message: Any) -> dict[str, Any]:
    """A message of a transport as plain JSON-RPC, with every field that was sent."""
    message = session_message.message
    plain: dict[str, Any] = message.model_dump(by_alias=True, exclude_unset=True, mode="json")
    return plain


def wrap_message(plain: dict[str, Any], sdk: McpSdk) -> Any:
    """A plain JSON-RPC message for a transport."""
    from mcp.shared.message import SessionMessage  # type: ignore[import-not-found,unused-ignore]

    adapter = getattr(sdk.types, "jsonrpc_message_adapter", None)
    message = adapter.validate_python(plain) if adapter else sdk.types.JSONRPCMessage.model_validate(plain)
    return SessionMessage(message)


@contextlib.asynccontextmanager
async def two_streams(transport: Any) -> AsyncIterator[tuple[Any, Any]]:
    """The streams of a transport for reading and writing; version 1 has one more value for some."""
    async with transport as streams:
        yield streams[0], streams[1]


INVALID_PARAMS, METHOD_NOT_FOUND = -32602, -32601


def result_of(answer: Any, name: str) -> Any:
    """The result in an answer: its structured content, its one text, or all its parts.

    Raises `ToolError` when the server says that the call failed, which means that nothing was done.
    """
    content = [block.model_dump(by_alias=True, exclude_none=True, mode="json") for block in answer.content]
    facts = {word: field(answer, word) for word in ("isError", "structuredContent")}
    return plain_result({"content": content, **facts}, name)


def plain_result(answer: dict[str, Any], name: str) -> Any:
    """The same for an answer as it was sent, or recorded."""
    content = answer.get("content")
    parts = [_part(part) for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    texts = [str(part.get("text", "")) for part in parts if part.get("type") == "text"]
    if answer.get("isError"):
        reason = " ".join(" ".join(texts).split())[:500] or "it gave no reason"
        hint = f"correct the arguments of {name} by what it says, or tell the user"
        raise ToolError("upstream_error", f"{name} says: {reason}", hint, retry="fix_args")
    if (structured := answer.get("structuredContent")) is not None:
        return structured
    return texts[0] if len(parts) == len(texts) == 1 else parts


def protocol_failure(code: int, text: str, name: str) -> ToolError:
    """An error of the protocol as one of the contract."""
    if code in (INVALID_PARAMS, METHOD_NOT_FOUND):
        return ToolError("invalid_args", f"{name}: {text}", retry="fix_args")
    return ToolError("upstream_error", f"{name}: {text}")


def answer_of(invocation: Invocation) -> dict[str, Any]:
    """An invocation as the fields of an MCP answer: always as text, and structured when it is an object."""
    output = invocation.call.output
    text = output if isinstance(output, str) else encode(output).decode()
    answer: dict[str, Any] = {
        "content": [{"type": "text", "text": text}],
        "isError": invocation.error is not None,
    }
    if isinstance(output, dict) and invocation.error is None:
        answer["structuredContent"] = msgspec.to_builtins(output)
    return answer


def _part(part: dict[str, Any]) -> dict[str, Any]:
    """One content block; pictures and sounds by kind and size, since a model is not shown their bytes here."""
    data = part.get("data")
    if isinstance(data, str):
        return {"type": part.get("type"), "mimeType": part.get("mimeType"), "size": len(data) * 3 // 4}
    return part
