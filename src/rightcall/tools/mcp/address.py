"""The address of an MCP server: a command to start, or a URL, with what gives access to it."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import re
import shlex
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Annotated, Any, Literal

import msgspec

from rightcall.core.codec import convert
from rightcall.core.errors import ConfigError, InfrastructureError, InputError, suggestion
from rightcall.core.options import described
from rightcall.tools.mcp.sdk import McpSdk


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


REFUSALS = (401, 403)
SETTLED_S = 1.0
EARLY_S = 30.0
"""A token is renewed this long before it expires."""
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class ServerAccess:
    """The headers and the authorization of one server.

    `refusal` is the last status that refused access, or 0; `issued` are the tokens that an OAuth server has issued.
    """

    def __init__(self, address: McpAddress, sdk: McpSdk) -> None:
        self._address = address
        self._sdk = sdk
        self.refusal = 0
        self._headers = request_headers(address)
        self.issued: list[str] = []
        self._auth = (
            None if address.oauth is None else client_credentials(address.oauth, sdk, self.issued.append)
        )

    def client(self, headers: Any = None, timeout: Any = None, auth: Any = None) -> Any:
        """An HTTP client of the SDK, with our headers, that notes refusals."""
        sent = {**self._headers, **(headers or {})}
        client = self._sdk.http_client(headers=sent, timeout=timeout, auth=self._auth or auth)
        client.event_hooks["response"] = [*client.event_hooks["response"], self._note]
        return client

    async def _note(self, response: Any) -> None:
        oauth = self._address.oauth
        if oauth is not None and str(response.request.url) == oauth.token_url:
            return
        if response.status_code in REFUSALS:
            self.refusal = response.status_code
        elif response.status_code < 300:
            self.refusal = 0

    async def refused(self) -> None:
        """Wait until access has been refused, and was not given a moment later: a token may just have been renewed."""
        refused_since = 0.0
        while not refused_since or time.monotonic() - refused_since < SETTLED_S:
            await asyncio.sleep(SETTLED_S / 4)
            refused_since = (refused_since or time.monotonic()) if self.refusal else 0.0

    def problem(self) -> str:
        """What to say about a refusal, and what to do; "" when access was not refused."""
        if not self.refusal:
            return ""
        if self.refusal == 403:
            return "refused access (403): the credentials are known, but lack a permission or scope for it"
        if self._address.oauth is not None:
            return "refused the access token (401): check the scope and resource of `oauth`"
        if self._headers:
            return "refused the credentials (401): check `headers`; has the token expired?"
        return "requires credentials (401): set `headers: {Authorization: 'Bearer ${NAME}'}` or `oauth`"


def request_headers(address: McpAddress) -> dict[str, str]:
    """The headers for every request: `${NAME}` is an environment variable."""
    return {
        name: _VARIABLE.sub(lambda match: _variable(match[1]), text) for name, text in address.headers.items()
    }


def secrets_of(address: McpAddress) -> list[str]:
    """Values that must not be shown: of headers, of the environment of a program, and of the variables they name."""
    values = [*address.env.values(), *address.headers.values()]
    names = list(chain.from_iterable(_VARIABLE.findall(text) for text in address.headers.values()))
    names += [address.oauth.client_secret_env] if address.oauth else []
    values += [os.environ.get(name, "") for name in names]
    values += [text.split(maxsplit=1)[1] for text in values if text.lower().startswith(("bearer ", "basic "))]
    return sorted({value for value in values if value and "${" not in value}, key=len, reverse=True)


def client_credentials(oauth: McpOAuth, sdk: McpSdk, issued: Callable[[str], None]) -> Any:
    """The client credentials grant of OAuth 2 (RFC 6749, 4.4) as an authorization of the SDK's HTTP library.

    `issued` is told every token. One is asked for before the first request, before it expires, and once more when the
    server answers 401.
    """
    secret = _variable(oauth.client_secret_env)

    class ClientCredentials(sdk.http.Auth):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            self._token = ""
            self._expires = 0.0

        async def async_auth_flow(self, request: Any) -> AsyncIterator[Any]:
            fresh = False
            if not self._token or time.monotonic() > self._expires:
                await self._take((yield self._token_request()))
                fresh = True
            request.headers["Authorization"] = f"Bearer {self._token}"
            response: Any = yield request
            if response.status_code == 401 and not fresh:
                await self._take((yield self._token_request()))
                request.headers["Authorization"] = f"Bearer {self._token}"
                yield request

        def _token_request(self) -> Any:
            form = {"grant_type": "client_credentials"}
            form |= {
                name: text for name, text in (("scope", oauth.scope), ("resource", oauth.resource)) if text
            }
            basic = sdk.http.BasicAuth(oauth.client_id, secret)
            return next(basic.auth_flow(sdk.http.Request("POST", oauth.token_url, data=form)))

        async def _take(self, response: Any) -> None:
            await response.aread()
            where = f"the OAuth server at {oauth.token_url.split('?')[0]}"
            if response.status_code != 200:
                hint = "check `oauth.client_id` and the variable of `oauth.client_secret_env`"
                raise InfrastructureError(f"{where} gave no token (status {response.status_code}): {hint}")
            try:
                granted = response.json()
                token = granted["access_token"]
                lifetime = float(granted.get("expires_in") or 3600)
            except (ValueError, KeyError, TypeError):
                raise InfrastructureError(f"{where} answered without an access token") from None
            issued(str(token))
            self._token = str(token)
            self._expires = time.monotonic() + max(lifetime - EARLY_S, lifetime / 2)

    return ClientCredentials()


def without(secrets: Iterable[str], value: Any) -> Any:
    """A text, or a value with texts, without these secrets."""
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, "***")
        return value
    if isinstance(value, dict):
        return {without(secrets, name): without(secrets, held) for name, held in value.items()}
    return [without(secrets, item) for item in value] if isinstance(value, list) else value


def _variable(name: str) -> str:
    value = os.environ.get(name, "")
    if not value:
        raise ConfigError(f"the environment variable {name}, which an MCP server needs, is not set")
    return value
