"""Tools of MCP servers, and a toolbox as an MCP server, through the official SDK.

address           the address of a server: a command to start, or a URL
access            headers, tokens and OAuth client credentials for remote servers
sdk               the parts of the SDK that are used, in both of its major versions
server_requests   sampling and elicitation, answered as the suite says
client            tools of a server, over stdio, streamable HTTP or SSE; it is restarted when it dies
connection        when a connection ends, and why
server            a toolbox as a server
results           what a server answers to a call, as a plain result, and back
orphan_processes  processes that a server started and left behind
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.tools.mcp.address import McpAddress as McpAddress, read_address as read_address
    from rightcall.tools.mcp.client import McpServer as McpServer, empty_schemas as empty_schemas
    from rightcall.tools.mcp.server import (
        report_progress as report_progress,
        serve_http as serve_http,
        serve_stdio as serve_stdio,
    )
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "address": "McpAddress read_address",
            "client": "McpServer empty_schemas",
            "server": "report_progress serve_http serve_stdio",
        },
    )
