"""The parts of the official SDK that are used here, in either of its major versions.

Version 1 names fields as the protocol does (`isError`), version 2 as Python does (`is_error`). Other frameworks still
need version 1, so both are carried: nothing outside this file knows which one is installed.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from rightcall.core.errors import MissingExtraError


@dataclass(frozen=True)
class McpSdk:
    """What a client needs. `http` is the SDK's HTTP library, `types` the messages of the protocol."""

    session: Any
    error: Any
    stdio_parameters: Any
    stdio_client: Any
    streamable_http_client: Any
    sse_client: Any
    http_client: Any
    http: Any
    types: Any


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
        mcp.ClientSession,
        getattr(mcp, "MCPError", None) or getattr(mcp, "McpError"),  # noqa: B009
        mcp.StdioServerParameters,
        stdio_client,
        streamable_http_client,
        sse_client,
        http_utils.create_mcp_http_client,
        getattr(http_utils, "httpx2", None) or getattr(http_utils, "httpx"),  # noqa: B009
        mcp.types,
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
