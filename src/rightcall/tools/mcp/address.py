"""The address of an MCP server: a command to start, or a URL, with what gives access to it."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import msgspec

from rightcall.core.codec import convert
from rightcall.core.errors import InputError, suggestion
from rightcall.core.options import described


class McpOAuth(msgspec.Struct, frozen=True):
    """OAuth client credentials for a remote server; the secret is read from an environment variable."""

    token_url: Annotated[str, described("token endpoint of the authorization server")]
    client_id: Annotated[str, described("id of the client")]
    client_secret_env: Annotated[str, described("environment variable with the client's secret")]
    scope: Annotated[str, described("scopes to ask for, separated by spaces")] = ""
    resource: Annotated[str, described("resource that the token is for (RFC 8707)")] = ""


@dataclass(frozen=True)
class McpAddress:
    """The address of a server: a command to start, or a URL. `env` is added to its minimal environment.

    Headers may hold secrets of the environment: `${NAME}`. A server that asks for a form (elicitation) is answered
    with what is stated here, and refused otherwise.
    """

    command: Annotated[tuple[str, ...], described("program to start, with its arguments")] = ()
    url: Annotated[str, described("URL of a running server")] = ""
    env: Annotated[Mapping[str, str], described("environment variables added to the few it inherits")] = (
        field(default_factory=dict, repr=False)
    )
    cwd: Annotated[str | None, described("working folder of the program")] = None
    headers: Annotated[
        Mapping[str, str],
        described("sent with every request to a URL; ${NAME} is taken from the environment"),
    ] = field(default_factory=dict, repr=False)
    oauth: Annotated[McpOAuth | None, described("OAuth client credentials for a URL")] = None
    elicitation: Annotated[
        Mapping[str, Any] | None,
        described("answer to every form: values of its fields, by name; refused without it"),
    ] = None
    record: Annotated[
        Literal["", "auto", "refresh", "replay"],
        described("how calls are answered with a recording: auto, refresh or replay only"),
    ] = ""
    recording: Annotated[str, described("recorded session (rightcall/mcp/1) to replay, or to write")] = ""
    start_s: Annotated[float, described("time limit of the start, in seconds")] = 60.0
    call_s: Annotated[float, described("time limit of a call, in seconds")] = 30.0

    @property
    def uses_sse(self) -> bool:
        """Whether the older transport is used: server-sent events."""
        return self.url.split("?")[0].rstrip("/").endswith("/sse")

    @property
    def replays(self) -> bool:
        """Whether every answer is a recorded one, and no server is asked."""
        return self.record == "replay"

    @property
    def label(self) -> str:
        """The server's name in messages, without its environment or any part of its URL but the host."""
        if not self.command and not self.url:
            return f"the recorded MCP server of {self.recording}"
        if self.command:
            return f"MCP server '{' '.join(self.command)[:100]}'"
        return f"MCP server at {self.url.split('?')[0].split('@')[-1]}"


def read_address(source: str | Mapping[str, Any], where: str = "mcp") -> McpAddress:
    """An address from `mcp:COMMAND …`, `mcp:http://…`, or a suite's `{command: […], env: {…}}` or `{url: …}`."""
    if isinstance(source, str):
        text = source.removeprefix("mcp:").strip()
        if text.startswith(("http://", "https://")):
            return McpAddress(url=_check_url(text, where))
        command = tuple(_command_words(text, where))
        if not command:
            raise InputError(where, "no command", 'write it as mcp:"npx -y some-server"')
        return McpAddress(command)

    fields = dict(source)
    field_names = [field.name for field in dataclasses.fields(McpAddress)]
    for unknown in (name for name in fields if name not in field_names):
        hint = suggestion(unknown, field_names) or f"known fields: {', '.join(field_names)}"
        raise InputError(where, f"unknown field '{unknown}'", hint)
    if isinstance(fields.get("command"), str):
        fields["command"] = _command_words(fields["command"], where)
    address: McpAddress = convert(fields, McpAddress, where)
    address = _with_record_mode(address, where)
    if bool(address.command) == bool(address.url) and not (address.replays and not address.command):
        raise InputError(where, "requires either a command or a url")
    _check_url(address.url, where)
    if address.command and (address.headers or address.oauth):
        raise InputError(where, "headers and oauth are for a url", "pass secrets in env")
    return address


def _command_words(text: str, where: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise InputError(where, f"cannot be split into a command: {error}") from None


def _check_url(url: str, where: str) -> str:
    from urllib.parse import urlsplit

    try:
        _ = urlsplit(url).port  # both raise
    except ValueError as error:
        raise InputError(where, f"is not a URL: {error}") from None
    return url


def _with_record_mode(address: McpAddress, where: str) -> McpAddress:
    """With the mode of its recording; a recording without a server can only be replayed."""
    if not address.recording:
        if address.record:
            raise InputError(where, "record needs a recording", "name the file: recording: server.mcp.jsonl")
        return address
    has_server = bool(address.command or address.url)
    mode = address.record or ("auto" if has_server else "replay")
    if mode != "replay" and not has_server:
        raise InputError(where, f"record: {mode} asks a server", "add its command or url")
    return dataclasses.replace(address, record=mode)
