"""The base of providers with a wire format: a server, a key, a prompt encoded once."""

from __future__ import annotations

import ipaddress
import os
import warnings
from collections.abc import Mapping
from functools import cached_property
from itertools import chain
from time import perf_counter
from typing import Any, ClassVar, Self
from urllib.parse import quote, urlsplit

import msgspec
from msgspec.structs import replace

from rightcall.core.codec import DecodeErrors, encode
from rightcall.core.depth import shallow, too_deep
from rightcall.core.errors import ConfigError, InputError, ProviderError
from rightcall.providers import failures
from rightcall.providers.base import ModelReply, ModelRequest, Prompt, PromptCache, Provider
from rightcall.providers.endpoint import ModelEndpoint, Price, Prices, ProviderOptions, cost_at, price_of
from rightcall.providers.hosts import HOSTS, Host, address_of, origin_of
from rightcall.providers.http import HttpClient, Network
from rightcall.records import Message, Tool, Usage
from rightcall.records.dialects.messages import read_items
from rightcall.records.trajectory import token_count

Json = dict[str, Any]

_decode_body = msgspec.json.Decoder(Json).decode


class KeyWarning(UserWarning):
    """A key is sent unencrypted to another machine."""


def is_this_machine(host: str | None) -> bool:
    """Whether a host is this machine itself."""
    if host is None or host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class RemoteProvider(Provider):
    """A model behind HTTP. A subclass knows one wire format: `constant`, `request_fields` and `read`.

    `HOSTS` has its host, and the variables of its SDK. The key is read from the environment when the first request is
    made, and required only for the vendor's own host: a self-hosted server may not need one. The vendor's key goes to
    the vendor, to the host that the SDK's variable names, and to another only when `key_env` names it.
    """

    prefix: ClassVar[str]
    models_path: ClassVar[str] = "/models"
    """Where the vendor lists models by name; empty when it does not."""
    key_header: ClassVar[str] = "authorization"
    tools_field: ClassVar[str] = "tools"
    """The field of the body with the list of tools; empty when `constant` writes them."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        network: Network | None = None,
        prices: Prices | None = None,
        endpoint: ModelEndpoint | None = None,
    ) -> None:
        self.model = model
        self.name = f"{self.prefix}:{model}"
        self._endpoint = endpoint or ModelEndpoint(self.name, base_url)
        address = address_of(self.prefix, base_url)
        assert address is not None, "a row of HOSTS is missing"
        self._http = HttpClient(address.url, self._headers, network or Network())
        self._prices = prices
        self._warned = False
        self._constants = PromptCache(self._encode_constant)
        self._tools = PromptCache(
            lambda tools: msgspec.Raw(encode([self.write_tool(tool) for tool in tools]))
        )

    @classmethod
    def of(cls, model: str, options: ProviderOptions) -> Self:
        return cls(
            model,
            base_url=options.base_url,
            network=options.network,
            prices=options.prices,
            endpoint=options.endpoint,
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r}, base_url={self.base_url!r})"

    @property
    def path(self) -> str:
        """The path of a request, below the server's URL."""
        raise NotImplementedError

    @property
    def base_url(self) -> str:
        return self._http.base_url

    @property
    def host(self) -> Host:
        return HOSTS[self.prefix]

    @property
    def server(self) -> str:
        """The server in keys of caches and records; "" is the vendor's own."""
        return "" if self.base_url == self.host.url else self.base_url

    @property
    def at_vendor(self) -> bool:
        """Whether requests go to the vendor's host, as opposed to a compatible server."""
        return self.host.is_vendor(self.base_url)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Send one request. Its prompt is encoded the first time, and then reused."""
        body = encode({**self._constants.get(request.prompt), **self.request_fields(request)})
        self._http.open()
        started = perf_counter()
        try:
            content = await self._http.post(self.path, body, self.signature(body))
        except ProviderError as error:
            raise self._explain_error(error) from None
        latency = (perf_counter() - started) * 1000
        reply = self._decode_reply(content, request.turn)
        spent = cost_at(self._price, reply.usage)
        usage = reply.usage if spent is None else replace(reply.usage, cost_usd=spent)
        return replace(reply, usage=usage, latency_ms=latency)

    @cached_property
    def _price(self) -> Price | None:
        return price_of(self.name, self._prices)

    def prepare(self, prompt: Prompt) -> None:
        """Encode the prompt now; raises a `ConfigError` for a setting this wire format does not support."""
        self._constants.get(prompt)

    async def check(self) -> list[str]:
        """A missing key, an unreachable server, an invalid key or an unknown model.

        Warns when a key would be sent unencrypted. Compatible servers are not checked for the model: many accept
        any name.
        """
        try:
            self._headers()
        except ConfigError as error:
            return list(error.problems)
        problem = await self._http.unreachable()
        if problem:
            return [f"{self.name}: {problem}"]
        return await self._unknown_to_vendor() if self.at_vendor and self.models_path else []

    async def _unknown_to_vendor(self) -> list[str]:
        try:
            status = await self._http.status(f"{self.models_path}/{quote(self.model, safe='')}")
        except ConfigError as error:
            return list(error.problems)
        host = urlsplit(self.base_url).hostname
        if status in (401, 403):
            return [f"{self.name}: {host} rejects the key in {self._key()[0] or self.host.key_variable}"]
        if status == 404:
            return [f"{self.name}: {host} has no model '{self.model}' for this key; check the name"]
        return []

    async def aclose(self) -> None:
        await self._http.aclose()

    def constant(self, prompt: Prompt) -> Json:
        """The fields of the request's body that depend only on the prompt, without the tools."""
        return self.constant_fields(self.model, prompt)

    @staticmethod
    def constant_fields(model: str, prompt: Prompt) -> Json:
        """The same for any model; absent settings are None."""
        raise NotImplementedError

    @staticmethod
    def request_fields(request: ModelRequest) -> Json:
        """The fields that differ from request to request."""
        raise NotImplementedError

    @staticmethod
    def read(body: Json, where: str) -> ModelReply:
        """A response body as a reply, without cost and latency. `InputError` when it is malformed."""
        raise NotImplementedError

    @staticmethod
    def write_tool(tool: Tool) -> Json:
        """A tool in this wire format."""
        raise NotImplementedError

    def signature(self, body: bytes) -> Mapping[str, str] | None:
        """Headers that depend on the body; None when there are none."""
        return None

    def _headers(self) -> Mapping[str, str]:
        missing = self._endpoint.missing_variables()
        if missing:
            raise ConfigError(f"{self.name} needs a key; set the environment variable {missing[0]}")
        own = self._endpoint.header_values()
        if unusable := [name for name, value in own.items() if not (value.isascii() and value.isprintable())]:
            raise ConfigError(f"{self.name}: the value of the header {unusable[0]} is not usable")
        variable, key = self._key()
        if key and not (key.isascii() and key.isprintable()):
            raise ConfigError(f"the environment variable {variable} contains no usable key")
        if self.key_header in own:
            return own
        if not key and self.at_vendor and self.host.needs_key:
            raise ConfigError(
                f"{self.name} needs a key; set the environment variable {self.host.key_variable}"
            )
        self._warn_of_plain_http(variable if key else "")
        return {**(self._authorization(variable, key) if key else {}), **own}

    def _key(self) -> tuple[str, str]:
        """The variable with the key and its value; both empty when no key is sent."""
        named = self._endpoint.key_env
        if named is None and not self._gets_vendor_key():
            return "", ""
        host = self.host
        own = (host.first_key_variable, host.key_variable, host.token_variable)
        for variable in [named] if named else own:
            if variable and (key := os.environ.get(variable, "").strip()):
                return variable, key
        return "", ""

    def _sends_key(self) -> bool:
        """Whether a key from the environment or a header of the endpoint's own is sent."""
        return bool(self._key()[1]) or self.key_header in self._endpoint.header_values()

    def _gets_vendor_key(self) -> bool:
        """Whether this is the vendor's host, or the one that the SDK's variable names."""
        stated = self.host.sdk_variable_url()
        return self.at_vendor or (stated != "" and origin_of(stated) == origin_of(self.base_url))

    def _authorization(self, variable: str, key: str) -> Mapping[str, str]:
        if self.key_header == "authorization" or variable == self.host.token_variable:
            return {"authorization": f"Bearer {key}"}
        return {self.key_header: key}

    def _explain_error(self, error: ProviderError) -> ProviderError:
        """The error; a rejected request without a key says why none was sent."""
        if error.kind != "auth" or self._sends_key():
            return error
        why = f"no key was sent: {self.host.key_variable} goes to another server only when key_env names it"
        return ProviderError(f"{error.problem}; {why}", kind="auth", status=error.status)

    def _warn_of_plain_http(self, variable: str) -> None:
        """Warn, once, that a key is sent unencrypted to another machine."""
        parts = urlsplit(self.base_url)
        if self._warned or not variable or is_this_machine(parts.hostname) or parts.scheme != "http":
            return
        self._warned = True
        text = f"{variable} is sent to {parts.hostname} over plain HTTP, where it can be intercepted"
        warnings.warn(text, KeyWarning, stacklevel=2)

    def strict_tool(self, written: Json) -> Json:
        """A written tool whose schema the server enforces; the same where it cannot."""
        return written

    def _encode_constant(self, prompt: Prompt) -> Json:
        fields = {name: value for name, value in self.constant(prompt).items() if value is not None}
        if prompt.tools and self.tools_field:
            fields[self.tools_field] = (
                [self.strict_tool(self.write_tool(tool)) for tool in prompt.tools]
                if prompt.settings.strict
                else self._tools.get(prompt.tools)
            )
        fields |= prompt.settings.extra
        return {name: msgspec.Raw(encode(value)) for name, value in fields.items()}

    def _decode_reply(self, content: bytes, turn: int) -> ModelReply:
        try:
            if too_deep(content):  # truncated values are in the calls, or are not read
                content = shallow(content)
            reply = self.read(_decode_body(content), "reply")
        except DecodeErrors as error:
            cut = content[:120].decode(errors="replace")
            raise failures.format_error(self.base_url, f"{error} in {cut!r}") from None
        except InputError as error:
            raise failures.format_error(self.base_url, str(error)) from None
        message = with_ids(reply.message, turn)
        return reply if message is reply.message else replace(reply, message=message)


def with_ids(message: Message, turn: int) -> Message:
    """The message with an id on every call: some servers send none, or duplicates."""
    ids = [call.id for call in message.calls]
    if all(ids) and len(set(ids)) == len(ids):
        return message
    calls = tuple(replace(call, id=f"call_{turn}_{i}") for i, call in enumerate(message.calls))
    return replace(message, calls=calls)


def answer_message(item: Json, where: str) -> Message:
    """The text and the calls of one answer in any spelling."""
    messages = read_items([item], where)
    calls = tuple(chain.from_iterable(message.calls for message in messages))
    return Message("assistant", "".join(message.content for message in messages), calls)


def fields_without_none(**fields: Any) -> Json:
    """The fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}


def tokens_at(usage: Any, *names: str) -> int:
    """A count of tokens at a path of a usage object; 0 when absent or invalid."""
    value = usage
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return token_count(value)


def usage_beside_cache(usage: Any, input_key: str, output_key: str, read_key: str, written_key: str) -> Usage:
    """The same where tokens read from and written to the cache are counted separately from the input."""
    cached = tokens_at(usage, read_key)
    input_tokens = tokens_at(usage, input_key) + cached + tokens_at(usage, written_key)
    return Usage(input_tokens, tokens_at(usage, output_key), cached_tokens=cached)


def usage_of(usage: Any, input_key: str, output_key: str, cached: tuple[str, ...]) -> Usage:
    """Tokens under the names of one wire format; cached ones are part of the given ones."""
    return Usage(
        tokens_at(usage, input_key), tokens_at(usage, output_key), cached_tokens=tokens_at(usage, *cached)
    )
