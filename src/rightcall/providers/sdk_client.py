"""The user's own client object as a provider: `anthropic.AsyncAnthropic`, `openai.AsyncOpenAI` and similar.

This way Bedrock, Vertex, Azure and private gateways work with the authentication their SDK already has. The
client is recognized by its methods (`messages.create`, `chat.completions.create`, `responses.create`). Turn
off its own retries (`max_retries=0`): the executor's pool retries, within the budget.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from time import perf_counter
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from rightcall.core.errors import ConfigError, InputError, ProviderError
from rightcall.core.redaction.clean_text import scrub
from rightcall.core.text import one_line
from rightcall.providers import failures
from rightcall.providers.anthropic import AnthropicProvider
from rightcall.providers.base import ModelReply, ModelRequest, Prompt, PromptCache, Provider
from rightcall.providers.endpoint import Prices, cost
from rightcall.providers.hosts import HOSTS
from rightcall.providers.openai import OpenAIProvider, OpenAIResponsesProvider
from rightcall.providers.remote import Json, RemoteProvider, with_ids

Api = Literal["messages", "chat", "responses"]

_APIS: dict[Api, tuple[str, type[RemoteProvider]]] = {
    "messages": ("messages.create", AnthropicProvider),
    "chat": ("chat.completions.create", OpenAIProvider),
    "responses": ("responses.create", OpenAIResponsesProvider),
}
"""The method of a client by which each API is asked, and its wire format."""


class SdkProvider(Provider):
    """Sends requests through the user's client, which the user closes."""

    def __init__(
        self, client: Any, model: str, *, api: Api | None = None, prices: Prices | None = None
    ) -> None:
        kind = type(client).__name__
        api = api or next((api for api, (path, _) in _APIS.items() if _find(client, path)), None)
        if api is None:
            paths = ", ".join(path for path, _ in _APIS.values())
            raise ConfigError(f"{kind} is not a model client: it has none of {paths}")
        path, wire_format = _APIS[api]
        create = _find(client, path)
        if create is None:
            raise ConfigError(f"the client {kind} has no {path}")
        self._create = create
        self._format = wire_format
        self._where = kind
        self._prices = prices
        self._constants = PromptCache(self._constant)
        self._known = _parameters(create)
        self.model = model
        self.name = f"{self._format.prefix}:{model}"
        self.server = client_server(client)

    def __repr__(self) -> str:
        return f"SdkProvider({self._where}, {self.model!r})"

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Send one request through the client; its exceptions become `ProviderError`s."""
        fields = self._split({**self._constants.get(request.prompt), **self._format.request_fields(request)})
        started = perf_counter()
        answer = await self._ask(fields)
        latency = (perf_counter() - started) * 1000
        try:
            reply = self._format.read(_plain(answer), "reply")
        except InputError as error:
            raise failures.format_error(self._where, str(error)) from None
        usage = replace(reply.usage, cost_usd=cost(self.name, reply.usage, self._prices))
        message = with_ids(reply.message, request.turn)
        return replace(reply, message=message, usage=usage, latency_ms=latency)

    def prepare(self, prompt: Prompt) -> None:
        self._constants.get(prompt)

    async def _ask(self, fields: Json) -> Any:
        try:
            if inspect.iscoroutinefunction(inspect.unwrap(self._create)):
                return await self._create(**fields)
            answer = await asyncio.to_thread(self._create, **fields)  # a sync client
            return await answer if inspect.isawaitable(answer) else answer
        except Exception as error:  # every SDK has its own tree of exceptions
            raise _provider_error(error, self._where) from None

    def _split(self, fields: Json) -> Json:
        """Settings without a parameter in this SDK version are sent as extra body fields."""
        if self._known is None or fields.keys() <= self._known:
            return fields
        others = {name: value for name, value in fields.items() if name not in self._known}
        return {**{n: v for n, v in fields.items() if n in self._known}, "extra_body": others}

    def _constant(self, prompt: Prompt) -> Json:
        stated = self._format.constant_fields(self.model, prompt)
        fields = {name: value for name, value in stated.items() if value is not None}
        if prompt.tools:
            fields["tools"] = [self._format.write_tool(tool) for tool in prompt.tools]
        return fields | prompt.settings.extra


def is_sdk_client(value: Any) -> bool:
    """Whether the object supports one of the three APIs, in the form of its vendor."""
    return not client_hint(value) and any(_find(value, path) is not None for path, _ in _APIS.values())


_NAMED_INSTEAD = {
    "google.genai": "gemini:MODEL",
    "mistralai": "mistral:MODEL",
    "cohere": "openai:MODEL@https://api.cohere.ai/compatibility/v1",
    "botocore": "bedrock:MODEL",
    "ollama": "ollama:MODEL",
}
"""Packages whose clients are not accepted, with the models to name instead."""


def client_hint(value: Any) -> str:
    """What to write instead of a client of a known package; empty for anything else."""
    module = type(value).__module__
    for package, model in _NAMED_INSTEAD.items():
        if module == package or module.startswith(f"{package}."):
            return f"; clients of {package} are not accepted: name the model, {model}"
    return ""


def client_server(client: Any) -> str:
    """The server of a client; "" when it is a vendor's own, unknown, or this is no client."""
    url = str(getattr(client, "base_url", "") or "").rstrip("/") if is_sdk_client(client) else ""
    vendors = {host.url for host in HOSTS.values()}
    return "" if not url.startswith(("http://", "https://")) or url in vendors else url


def _parameters(create: Callable[..., Any]) -> frozenset[str] | None:
    """The parameter names of a method; None when it accepts any, or is unknown."""
    try:
        parameters = inspect.signature(create).parameters
    except (TypeError, ValueError):
        return None
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    return None if takes_any or "extra_body" not in parameters else frozenset(parameters)


def _find(client: Any, path: str) -> Callable[..., Awaitable[Any]] | None:
    attribute = client
    for name in path.split("."):
        attribute = getattr(attribute, name, None)
    return attribute if callable(attribute) else None


def _plain(answer: Any) -> Json:
    """The answer as JSON: SDKs return pydantic models, fakes may return dicts."""
    dump = getattr(answer, "model_dump", None)
    if callable(dump):
        answer = dump(mode="json", warnings=False)
    if not isinstance(answer, dict):
        raise InputError("reply", f"must be an object, got {type(answer).__name__}")
    return answer


def _provider_error(error: Exception, where: str) -> ProviderError:
    """An SDK's exception as an error of the provider: by a response with a status, or its class name."""
    if isinstance(error, ProviderError):
        return error
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
    headers = getattr(response, "headers", None)
    if isinstance(status, int):
        body = getattr(error, "body", None)
        content = _encode_body(body) if body is not None else str(error).encode()
        return failures.refusal_error(where, status, headers if isinstance(headers, Mapping) else {}, content)
    kind = type(error).__name__
    text = scrub(one_line(str(error)))
    if isinstance(error, TimeoutError) or "Timeout" in kind:
        return ProviderError(f"{where} timed out: {text}", kind="timeout", retryable=True)
    if isinstance(error, OSError) or "Connection" in kind:
        return ProviderError(f"{where} cannot be reached: {text}", kind="unreachable", retryable=True)
    return ProviderError(f"{where} raised {kind}: {text}", kind="rejected")


def _encode_body(body: Any) -> bytes:
    try:
        return msgspec.json.encode(body)
    except (TypeError, ValueError):
        return str(body).encode()
