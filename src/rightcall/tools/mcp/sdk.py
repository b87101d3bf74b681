"""The parts of the official SDK that are used here, in either of its major versions, and its results as plain ones.

Version 1 names fields as the protocol does (`isError`), version 2 as Python does (`is_error`). Other frameworks still
need version 1, so both are carried: nothing outside this file knows which one is installed.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator
from importlib import import_module
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import msgspec

from rightcall.core.codec import encode
from rightcall.core.errors import MissingExtraError
from rightcall.recording.mcp.session import PROTOCOL_VERSION
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
        from mcp.client.streamable_http import streamable_http_client  # type: ignore[import-not-found,unused-ignore]
        from mcp.shared import _httpx_utils as http_utils  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise MissingExtraError("tools of an MCP server", "mcp", "mcp") from None
    is_stateless = find_spec("mcp.shared.inbound") is not None
    spoken = import_module("mcp.types.version" if is_stateless else "mcp.shared.version")
    logging.getLogger("mcp").addHandler(logging.NullHandler())  # otherwise its warnings go to stderr
    return McpSdk(
        stdio_parameters=mcp.StdioServerParameters,
        stdio_client=stdio_client,
        streamable_http_client=streamable_http_client,
        sse_client=sse_client,
        http_client=http_utils.create_mcp_http_client,
        http=getattr(http_utils, "httpx2", None) or getattr(http_utils, "httpx"),  # noqa: B009
        types=mcp.types,  # the messages of the protocol
        versions=tuple(
            getattr(spoken, "HANDSHAKE_PROTOCOL_VERSIONS", ()) or spoken.SUPPORTED_PROTOCOL_VERSIONS
        ),
        stateless_versions=tuple(getattr(spoken, "MODERN_PROTOCOL_VERSIONS", ())),
        routing=import_module("mcp.shared.inbound") if is_stateless else None,
    )


def read_message(session_message: Any) -> dict[str, Any]:
    """A message of a transport as plain JSON-RPC, with every field that was sent."""
    message = session_message.message
    plain: dict[str, Any] = message.model_dump(by_alias=True, exclude_unset=True, mode="json")
    return plain


def wrap_message(plain: dict[str, Any], sdk: McpSdk, headers: dict[str, str] | None = None) -> Any:
    """A plain JSON-RPC message for a transport, with headers for one over HTTP."""
    from mcp.shared import message as wrapped  # type: ignore[import-not-found,unused-ignore]

    adapter = getattr(sdk.types, "jsonrpc_message_adapter", None)
    message = adapter.validate_python(plain) if adapter else sdk.types.JSONRPCMessage.model_validate(plain)
    metadata = wrapped.ClientMessageMetadata(headers=headers) if headers else None
    return wrapped.SessionMessage(message, metadata)


def request_headers(
    plain: dict[str, Any], sdk: McpSdk, protocol: str = "", parameters: Any = None
) -> dict[str, str]:
    """The HTTP headers that repeat what a message says, for proxies; version 1 of the SDK sets its own."""
    routing = sdk.routing
    params = plain.get("params") or {}
    version = (params.get("_meta") or {}).get(PROTOCOL_VERSION)
    if routing is None or not (version or protocol):
        return {}
    headers = {routing.MCP_PROTOCOL_VERSION_HEADER: str(version or protocol)}
    if not version:
        return headers
    headers[routing.MCP_METHOD_HEADER] = plain["method"]
    name = params.get(routing.NAME_BEARING_METHODS.get(plain["method"]))
    if isinstance(name, str):
        headers[routing.MCP_NAME_HEADER] = routing.encode_header_value(name)
    if isinstance(parameters, dict) and not routing.find_invalid_x_mcp_header(parameters):
        names = routing.x_mcp_header_map(parameters)
        headers |= routing.mcp_param_headers(names, params.get("arguments") or {})
    return headers


@contextlib.asynccontextmanager
async def two_streams(transport: Any) -> AsyncIterator[tuple[Any, Any]]:
    """The streams of a transport for reading and writing; version 1 has one more value for some."""
    async with transport as streams, streams[0], streams[1]:
        yield streams[0], streams[1]


INVALID_PARAMS = -32602
METHOD_NOT_FOUND = -32601


def plain_result(answer: dict[str, Any], name: str) -> Any:
    """The result in an answer: its structured content, its one text, or all its parts.

    Raises `ToolError` when the server says that the call failed, which means that nothing was done.
    """
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
