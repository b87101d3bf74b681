"""From a name to a provider. Nothing is contacted or loaded until the first request."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rightcall.core.errors import ConfigError, RightCallError
from rightcall.core.redaction.clean_text import hide_variables
from rightcall.providers.base import Provider
from rightcall.providers.catalog import ModelCatalog, project_models
from rightcall.providers.endpoint import ModelEndpoint, Prices, ProviderOptions, with_own_settings
from rightcall.providers.hosts import split_address
from rightcall.providers.http import Network
from rightcall.providers.provider_kinds import AGENTS, SHELVES, hint_for, provider_plugins
from rightcall.providers.recorded import judge_provider
from rightcall.providers.sdk_client import SdkProvider, client_hint, is_sdk_client

CLASSES = {
    "anthropic": "anthropic:AnthropicProvider",
    "openai": "openai:OpenAIProvider",
    "openai-responses": "openai:OpenAIResponsesProvider",
    "azure": "openai:AzureProvider",
    "mistral": "openai:MistralProvider",
    "openrouter": "openai:OpenRouterProvider",
    "ollama": "openai:OllamaProvider",
    "bedrock": "bedrock:BedrockProvider",
    "gemini": "gemini:GeminiProvider",
    "local": "local:LocalProvider",
    "keyword": "keyword:KeywordProvider",
    "scripted": "scripted:ScriptedProvider",
}
"""The file and the class of each kind of model; `of(model, options)` of the class makes a provider."""


def resolve(
    name: str | ModelEndpoint | Provider | Any,
    *,
    base_url: str | None = None,
    network: Network | None = None,
    prices: Prices | None = None,
    threads: int | None = None,
    model: str | None = None,
) -> Provider:
    """The provider of `provider:model`, of a name of the project's `models`, or of an endpoint.

    Also accepts a provider object, or an SDK client with its `model`. `base_url` comes before that of an endpoint.
    Raises a `ConfigError` for an unknown name.
    """
    if isinstance(name, str | ModelEndpoint):
        endpoint = endpoint_of(name, base_url=base_url)
        options = ProviderOptions(
            endpoint.base_url, network or Network(), prices or endpoint.price_list, threads, endpoint=endpoint
        )
        return with_own_settings(_make_provider(endpoint.model, options), endpoint)
    return _object(name, model, prices)


def endpoint_of(
    model: str | ModelEndpoint, *, base_url: str | None = None, catalog: ModelCatalog | None = None
) -> ModelEndpoint:
    """The endpoint of `provider:model` or of a name [default: of the project's models], maybe at another server."""
    if isinstance(model, str) and ":" not in split_address(model)[0] and catalog is None:
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
        file, _, kind = CLASSES[prefix].partition(":")
        make = getattr(import_module(f"rightcall.providers.{file}"), kind).of
    elif colon and (plugin := provider_plugins().get(prefix)):
        make = plugin.load()
    else:
        raise ConfigError(f"unknown provider in '{name}'; {hint_for(name)}")
    provider: Provider = make(rest, options)
    return provider


def _object(value: Any, model: str | None, prices: Prices | None) -> Provider:
    if callable(getattr(value, "complete", None)):
        provider: Provider = value
        return provider

    if not is_sdk_client(value):
        raise ConfigError(f"{type(value).__name__} is not a provider or a model client{client_hint(value)}")
    if not model:
        raise ConfigError(f"{type(value).__name__} needs a model name; pass model=…")
    return SdkProvider(value, model, prices=prices)
