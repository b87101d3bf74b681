"""The address of an MCP server: a command to start, or a URL."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import msgspec

from rightcall.errors import InputError, suggestion


@dataclass(frozen=True)
class McpAddress:
    """The address of a server: a command to start, or a URL. `env` is added to its minimal environment."""

    command: Annotated[tuple[str, ...], msgspec.Meta(description="program to start, with its arguments")] = ()
    url: Annotated[str, msgspec.Meta(description="URL of a running server")] = ""
    env: Annotated[
        Mapping[str, str], msgspec.Meta(description="environment variables added to the few it inherits")
    ] = field(default_factory=dict, repr=False)
    cwd: Annotated[str | None, msgspec.Meta(description="working folder of the program")] = None
    start_s: Annotated[float, msgspec.Meta(description="time limit of the start, in seconds")] = 60.0
    call_s: Annotated[float, msgspec.Meta(description="time limit of a call, in seconds")] = 30.0

    @property
    def label(self) -> str:
        """The server's name in messages, without its environment or any part of its URL but the host."""
        if self.command:
            return f"MCP server '{' '.join(self.command)[:100]}'"
        return f"MCP server at {self.url.split('?')[0].split('@')[-1]}"


def read_address(source: str | Mapping[str, Any], where: str = "mcp") -> McpAddress:
    """An address from `mcp:COMMAND …`, `mcp:http://…`, or a suite's `{command: […], env: {…}}` or `{url: …}`."""
    if isinstance(source, str):
        text = source.removeprefix("mcp:").strip()
        if text.startswith(("http://", "https://")):
            return McpAddress(url=text)
        try:
            command = tuple(shlex.split(text))
        except ValueError as error:
            raise InputError(where, f"cannot be split into a command: {error}") from None
        if not command:
            raise InputError(where, "no command", 'write it as mcp:"npx -y some-server"')
        return McpAddress(command)
    from rightcall.model.codec import convert

    given, known = dict(source), [one.name for one in dataclasses.fields(McpAddress)]
    for unknown in (name for name in given if name not in known):
        hint = suggestion(unknown, known) or f"known fields: {', '.join(known)}"
        raise InputError(where, f"unknown field '{unknown}'", hint)
    if isinstance(given.get("command"), str):
        given["command"] = shlex.split(given["command"])
    address: McpAddress = convert(given, McpAddress, where)
    if bool(address.command) == bool(address.url):
        raise InputError(where, "requires either a command or a url")
    return address
