"""From a name to a provider. Nothing is contacted or loaded until the first request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from rightcall.core.errors import ConfigError, RightCallError, suggestion
from rightcall.core.redaction.clean_text import hide_variables
from rightcall.core.seam import Plugin, plugins
from rightcall.model.record import Record
from rightcall.models.base import Provider
from rightcall.models.catalog import ModelCatalog, project_models
from rightcall.models.endpoint import ModelEndpoint
from rightcall.models.endpoint_provider import with_own_settings
from rightcall.models.hosts import HOSTS
from rightcall.models.http import Network
from rightcall.models.prices import Prices
from rightcall.models.recorded import judge_provider, record_to
from rightcall.models.sdk_client import SdkProvider, client_hint, is_sdk_client


@dataclass(frozen=True)
class ProviderOptions:
    """What a provider may need in addition to its name."""

    base_url: str | None = None
    network: Network = field(default_factory=Network)
    prices: Prices | None = None
    threads: int | None = None
    endpoint: ModelEndpoint | None = None
    """The whole endpoint, for its key and headers."""


class Shelf(Record, frozen=True):
    """One kind of provider: how it is named, what it is, what it needs.

    `CLASSES` says what makes it, except for agents, which the executor runs.
    """

    prefix: str
    usage: str
    about: str
    needs: str = ""

    @property
    def takes_base_url(self) -> bool:
        """Whether its models may be served elsewhere."""
        return self.prefix in HOSTS


SHELVES = (
    Shelf("anthropic", "anthropic:MODEL", "Anthropic's Messages API", "ANTHROPIC_API_KEY"),
    Shelf(
        "openai",
        "openai:MODEL",
        "OpenAI's chat completions, and any compatible server via base_url",
        "OPENAI_API_KEY, unless base_url is another server",
    ),
    Shelf("openai-responses", "openai-responses:MODEL", "OpenAI's Responses API", "OPENAI_API_KEY"),
    Shelf(
        "azure", "azure:DEPLOYMENT", "OpenAI's models on Azure", "AZURE_OPENAI_ENDPOINT, AZURE_OPENAI_API_KEY"
    ),
    Shelf(
        "bedrock",
        "bedrock:MODEL",
        "models on Amazon Bedrock: the Converse API",
        'AWS_REGION and AWS_BEARER_TOKEN_BEDROCK, or AWS credentials with pip install "rightcall[bedrock]"',
    ),
    Shelf("gemini", "gemini:MODEL", "Google's Gemini API", "GEMINI_API_KEY or GOOGLE_API_KEY"),
    Shelf(
        "vertex",
        "vertex:MODEL",
        "Gemini models of a Google Cloud project",
        "GOOGLE_CLOUD_PROJECT and GOOGLE_OAUTH_ACCESS_TOKEN, or credentials with "
        'pip install "rightcall[vertex]"',
    ),
    Shelf("mistral", "mistral:MODEL", "Mistral's chat completions", "MISTRAL_API_KEY"),
    Shelf("openrouter", "openrouter:VENDOR/MODEL", "many vendors behind one key", "OPENROUTER_API_KEY"),
    Shelf("ollama", "ollama:MODEL", "a model that Ollama serves, by default on this machine"),
    Shelf("vllm", "vllm:MODEL", "a model that vLLM serves, by default on this machine"),
    Shelf(
        "litellm",
        "litellm:VENDOR/MODEL",
        "every vendor that LiteLLM knows, in this process",
        'pip install "rightcall[litellm]" and the variables that LiteLLM reads',
    ),
    Shelf(
        "local",
        "local:smollm2 or local:PATH.gguf",
        "a model in this process, without key or network",
        'pip install "rightcall[local]", then: rightcall model pull smollm2',
    ),
    Shelf("keyword", "keyword:", "no model: picks the tool that shares the most words with the request"),
    Shelf("scripted", "scripted:FILE", "replies from a script", "a script"),
    Shelf("recorded", "recorded:PATH", "replays recordings", "a folder, or a *.cassette.jsonl"),
    Shelf("http", "http:URL", "an agent that is a service: JSON in, JSON or server-sent events out"),
    Shelf("a2a", "a2a:URL", "an agent that speaks the Agent2Agent protocol"),
    Shelf("exec", "exec:COMMAND", "an agent that is a program: a JSON line in, JSON out"),
)

CLASSES = {
    "anthropic": "anthropic:AnthropicProvider",
    "openai": "openai:OpenAIProvider",
    "openai-responses": "openai_responses:OpenAIResponsesProvider",
    "azure": "openai_compatible:AzureProvider",
    "mistral": "openai_compatible:MistralProvider",
    "openrouter": "openai_compatible:OpenRouterProvider",
    "ollama": "openai_compatible:OllamaProvider",
    "vllm": "openai_compatible:VllmProvider",
    "bedrock": "bedrock:BedrockProvider",
    "gemini": "gemini:GeminiProvider",
    "vertex": "vertex:VertexProvider",
}
"""The class of each provider with a wire format; the others have a file of their name with `make(model, options)`."""

AGENTS = ("http", "exec", "a2a")
"""Kinds that are not models: the executor runs them."""

Maker = Callable[[str, ProviderOptions], Provider]


def resolve(
    name: str | ModelEndpoint | Provider | Any,
    *,
    base_url: str | None = None,
    network: Network | None = None,
    prices: Prices | None = None,
    record: str | Path | None = None,
    threads: int | None = None,
    model: str | None = None,
) -> Provider:
    """The provider of `provider:model`, of a name of the project's `models`, or of an endpoint.

    Also accepts a provider object, or an SDK client with its `model`. `base_url` comes before that of an endpoint.
    `record` is a folder to record every exchange to. Raises a `ConfigError` for an unknown name.
    """
    if isinstance(name, str | ModelEndpoint):
        endpoint = endpoint_of(name, base_url=base_url)
        options = ProviderOptions(
            endpoint.base_url, network or Network(), prices or endpoint.price_list, threads, endpoint
        )
        provider = with_own_settings(_make_provider(endpoint.model, options), endpoint)
    else:
        provider = _object(name, model, prices)
    return provider if record is None else record_to(provider, record)


def endpoint_of(
    model: str | ModelEndpoint, *, base_url: str | None = None, catalog: ModelCatalog | None = None
) -> ModelEndpoint:
    """The endpoint of `provider:model` or of a name [default: of the project's models], maybe at another server."""
    if isinstance(model, str) and ":" not in model and catalog is None:
        catalog = project_models()
    endpoint = (catalog or ModelCatalog()).endpoint(model).at(base_url)
    hide_variables(endpoint.secret_variables, endpoint.secret_values)
    return endpoint


async def check(name: str | ModelEndpoint | Provider | Any, **options: Any) -> list[str]:
    """All problems that would keep this provider from answering, found without spending anything."""
    try:
        provider = resolve(name, **options)
    except RightCallError as error:
        return [str(error)]
    async with judge_provider(provider) as asked:
        return await asked.check()


def provider_names() -> list[str]:
    """Every kind of provider, built in or installed."""
    return [shelf.prefix for shelf in SHELVES] + sorted(_provider_plugins())


def is_provider(prefix: str) -> bool:
    """Whether this kind of provider exists; installed packages are searched last, because that takes a while."""
    return any(shelf.prefix == prefix for shelf in SHELVES) or prefix in _provider_plugins()


def _make_provider(name: str, options: ProviderOptions) -> Provider:
    prefix, colon, rest = name.partition(":")
    shelf = next((shelf for shelf in SHELVES if shelf.prefix == prefix), None)
    if options.base_url is not None and shelf is not None and not shelf.takes_base_url:
        raise ConfigError(f"{prefix}: does not accept base_url; use openai:MODEL for your own server")
    if shelf is not None:
        if not rest and prefix != "keyword":
            raise ConfigError(f"'{name}' is missing the model; use {shelf.usage}")
        if prefix in AGENTS:
            raise ConfigError(f"'{name}' is an agent, which runs its own tools; expected a model")
        return _maker(prefix)(rest, options)
    if colon and (plugin := _provider_plugins().get(prefix)):
        provider: Provider = plugin.load()(rest, options)
        return provider
    raise ConfigError(f"unknown provider in '{name}'; {hint_for(name)}")


def _maker(prefix: str) -> Maker:
    """What makes the providers of a prefix: the class in its file, imported only now, or `make` of its file."""
    file, _, name = CLASSES.get(prefix, "").partition(":")
    module = import_module(f"rightcall.models.{file or prefix}")
    make: Maker = getattr(module, name).of if name else module.make
    return make


def model_problem(name: str) -> str:
    """Why a name cannot be a model of `models:`; empty when it can."""
    prefix, colon, rest = name.partition(":")
    shelf = next((shelf for shelf in SHELVES if shelf.prefix == prefix), None)
    if not colon or not is_provider(prefix):
        return f"model must be provider:model, got '{name}'; {hint_for(name)}"
    if prefix in AGENTS:
        return f"'{name}' is an agent, which runs its own tools; expected a model"
    return (
        ""
        if rest or prefix == "keyword"
        else f"'{name}' is missing the model; use {shelf.usage if shelf else name}"
    )


_NAMED_LIKE = {
    "claude": "anthropic",
    "gemini-": "gemini",
    "mistral-": "mistral",
    **dict.fromkeys(("gpt", "o1", "o3", "o4"), "openai"),
}
"""How the names of models begin, with their provider."""


def hint_for(name: str) -> str:
    """What somebody who wrote this for a model may have meant."""
    prefixes = provider_names()
    prefix, colon, _ = name.partition(":")
    if prefix in ("python", "py", "callable", "function") and colon:
        return f"an agent in Python is named without a provider: '{name.partition(':')[2]}'"
    for start, provider in _NAMED_LIKE.items():
        if not colon and name.startswith(start):
            return f"did you mean '{provider}:{name}'?"
    if near := suggestion(prefix, prefixes):
        return near
    return f"use provider:model with one of {', '.join(prefixes)}"


def _object(value: Any, model: str | None, prices: Prices | None) -> Provider:
    if callable(getattr(value, "complete", None)):
        provider: Provider = value
        return provider

    if not is_sdk_client(value):
        raise ConfigError(f"{type(value).__name__} is not a provider or a model client{client_hint(value)}")
    if not model:
        raise ConfigError(f"{type(value).__name__} needs a model name; pass model=…")
    return SdkProvider(value, model, prices=prices)


def _provider_plugins() -> dict[str, Plugin]:
    return plugins("providers", {shelf.prefix for shelf in SHELVES})
