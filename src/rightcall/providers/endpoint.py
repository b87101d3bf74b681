"""A model and everything needed to ask it: its server, key, headers, settings, rate and price.

Settings and rate are applied here (`EndpointProvider`), whatever role asks it.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import force_setattr, replace

from rightcall.core.codec import decode
from rightcall.core.errors import ConfigError
from rightcall.core.options import described
from rightcall.providers.base import (
    ModelReply,
    ModelRequest,
    Prompt,
    PromptCache,
    Provider,
    ProviderAround,
    Settings,
)
from rightcall.providers.hosts import HOSTS, address_of, at_address, host_label, server_of
from rightcall.providers.http import Network
from rightcall.providers.rate_limit import RateLimit, TokenBucket, shared_bucket
from rightcall.records import Usage
from rightcall.records.record import Record, Sequenced

MILLION = 1_000_000
FORMAT = "rightcall/prices/1"
FREE = frozenset({"local", "keyword", "scripted", "ollama"})
SOLD_BY = {"azure": "openai", "openai-responses": "openai"}
"""Providers that sell another's models at its prices."""

Dollars = Annotated[float, Meta(ge=0)]


class Price(Record, frozen=True, metaclass=Sequenced):
    """US dollars per million tokens; without `cached_input`, cached tokens cost the same as others."""

    input: Annotated[Dollars, described("US dollars per million input tokens")]
    output: Annotated[Dollars, described("US dollars per million output tokens")]
    cached_input: Annotated[
        Dollars | None, described("US dollars per million input tokens read from a cache")
    ] = None


class Prices(Record, frozen=True):
    """Prices by `provider:model`, with their date and source."""

    models: dict[str, Price]
    format: str = FORMAT
    date: str = ""
    unit: str = ""
    sources: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def built_in_prices() -> Prices:
    path = Path(__file__).with_name("prices.json")
    return decode(path.read_bytes(), Prices, path.name)


def cost(name: str, usage: Usage, prices: Prices | None = None) -> float | None:
    """US dollars for the tokens of one call of `provider:model`; None when its price or its tokens are unknown."""
    return cost_at(price_of(name, prices), usage)


def cost_at(price: Price | None, usage: Usage) -> float | None:
    """US dollars for these tokens at a price; None when either is unknown."""
    if price is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    cached = min(usage.cached_tokens or 0, usage.input_tokens)
    cached_price = price.input if price.cached_input is None else price.cached_input
    fresh = usage.input_tokens - cached
    return (fresh * price.input + cached * cached_price + usage.output_tokens * price.output) / MILLION


def price_of(name: str, prices: Prices | None = None) -> Price | None:
    """The price of `provider:model`; a dated name (`gpt-5-2025-08-07`) has the price of the plain one."""
    provider, _, model = name.partition(":")
    if provider in FREE:
        return Price(0, 0)
    models = (prices or built_in_prices()).models
    family = SOLD_BY.get(provider, provider)
    undated = re.sub(r"(-latest|-\d{4}-\d{2}-\d{2}|-\d{8}|@\d{8})$", "", model)
    for key in (name, f"{family}:{model}", f"{family}:{undated}"):
        if key in models:
            return models[key]
    return None


VARIABLE = re.compile(r"\$\{(\w+)\}")
_HEADER = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_SECRET_HEADER = re.compile(r"authorization|cookie|key|token|secret|password", re.IGNORECASE)


class ModelEndpoint(Record, frozen=True, metaclass=Sequenced):
    """A model, where it is served and how it is asked.

    Values of `headers` may contain `${NAME}`, which is read from the environment when requests are sent. A key comes
    from the variable `key_env`, by default the provider's own; that one is not sent to another server unless named.
    """

    model: Annotated[str, described("provider:model[@URL]")]
    base_url: Annotated[str | None, described("base URL of a compatible server")] = None
    key_env: Annotated[
        str | None, described("environment variable with the key [default: the provider's, at its own host]")
    ] = None
    headers: Annotated[
        dict[str, str], described("sent with every request; ${NAME} is taken from the environment")
    ] = {}
    settings: Annotated[Settings, described("settings of the model in every role")] = Settings()
    rate: Annotated[RateLimit | None, described("requests_per_minute and tokens_per_minute of all roles")] = (
        None
    )
    prices: Annotated[
        Price | None, described("US dollars per million tokens: input, output, cached_input")
    ] = None

    def __post_init__(self) -> None:
        name, url = at_address(self.model, self.base_url)
        force_setattr(self, "model", name)
        force_setattr(self, "base_url", url)

    def __repr__(self) -> str:
        """What its answers depend on, like the bare name when that is all; fingerprints of metrics are made of it."""
        model, _, settings = self.identity
        if not self.base_url and not settings:
            return repr(model)
        where = f", base_url={self.base_url!r}" if self.base_url else ""
        return f"ModelEndpoint({model!r}{where}{f', settings={settings}' if settings else ''})"

    @property
    def prefix(self) -> str:
        return self.model.partition(":")[0]

    @property
    def server(self) -> str:
        """The server for keys of caches and records; "" is the provider's own, or none."""
        return server_of(self.model, self.base_url)

    @property
    def words(self) -> str:
        """`openai:gpt-5-mini at api.openai.com`; the model alone when no server is asked."""
        address = address_of(self.prefix, self.base_url)
        return f"{self.model} at {host_label(address.url)}" if address else self.model

    @property
    def identity(self) -> tuple[str, str, str]:
        """What its answers depend on, as text: model, server and settings. Without keys and headers."""
        own = msgspec.json.encode(self.settings, order="deterministic").decode()
        return self.model, self.server, "" if own == "{}" else own

    @property
    def price_list(self) -> Prices | None:
        """Prices with its own among them; None without an own price."""
        if self.prices is None:
            return None
        return Prices({**built_in_prices().models, self.model: self.prices})

    @property
    def secret_variables(self) -> list[str]:
        """Environment variables whose values must appear nowhere."""
        named = list(chain.from_iterable(VARIABLE.findall(text) for text in self.headers.values()))
        return [*([self.key_env] if self.key_env else []), *named]

    @property
    def secret_values(self) -> list[str]:
        """Values written in headers that are named like secrets."""
        return [
            text
            for name, text in self.headers.items()
            if _SECRET_HEADER.search(name) and not VARIABLE.search(text)
        ]

    def header_values(self) -> dict[str, str]:
        """The headers by lower-case name, with values read from the environment."""
        return {
            name.lower(): VARIABLE.sub(lambda match: os.environ.get(match[1], ""), text)
            for name, text in self.headers.items()
        }

    def missing_variables(self) -> list[str]:
        """Variables that it names and that are not set."""
        return [name for name in dict.fromkeys(self.secret_variables) if not os.environ.get(name, "").strip()]

    def at(self, base_url: str | None, key_env: str | None = None) -> ModelEndpoint:
        """The same model at another server. Key and headers belong to a server: another one is not sent them."""
        changed: dict[str, object] = {"key_env": key_env} if key_env else {}
        if base_url:
            other = address_of(self.prefix, base_url)
            changed["base_url"] = base_url
            if other is None or self._origin() != other.origin:
                changed |= {"headers": {}, "key_env": key_env}
        return replace(self, **changed) if changed else self

    def _origin(self) -> str | None:
        """Where it is served now; None when that is not known."""
        try:
            address = address_of(self.prefix, self.base_url)
        except ConfigError:  # a variable is missing, which is told when it is needed
            return None
        return None if address is None else address.origin


def endpoint_problems(endpoint: ModelEndpoint) -> list[str]:
    """What is wrong with an endpoint, found without asking it."""
    problems: list[str] = []
    if endpoint.prefix in HOSTS:
        try:
            address_of(endpoint.prefix, endpoint.base_url)
        except ConfigError as error:
            problems += error.problems
    else:
        named = [name for name in ("base_url", "key_env", "headers") if getattr(endpoint, name)]
        problems += [
            f"{endpoint.prefix}: does not accept {name}; use openai:MODEL for your own server"
            for name in named
        ]
    if endpoint.key_env is not None and not re.fullmatch(r"[A-Za-z_]\w*", endpoint.key_env, re.ASCII):
        problems.append("key_env must be the name of an environment variable, not the key itself")
    for name, text in endpoint.headers.items():
        if not _HEADER.fullmatch(name) or not text.isprintable() or not text.isascii():
            shown = name if _HEADER.fullmatch(name) else repr(name)
            problems.append(f"header {shown} is not valid; write Name: value in printable ASCII")
    return problems


def overlaid(base: Settings, over: Settings) -> Settings:
    """Settings with those of another in their place wherever it has one; `extra` is merged."""
    stated = {
        name: getattr(over, name)
        for name in Settings.__struct_fields__
        if name != "extra" and getattr(over, name) not in (None, ())
    }
    if over.extra:
        stated["extra"] = {**base.extra, **over.extra}
    return replace(base, **stated) if stated else base


class ProviderOptions(msgspec.Struct, frozen=True):
    """What a provider may need in addition to its name."""

    base_url: str | None = None
    network: Network = msgspec.field(default_factory=Network)
    prices: Prices | None = None
    threads: int | None = None
    endpoint: ModelEndpoint | None = None
    """The whole endpoint, for its key and headers."""


def with_own_settings(provider: Provider, endpoint: ModelEndpoint) -> Provider:
    """The provider, asked with the endpoint's settings and at its rate; itself when there are none."""
    if endpoint.settings == Settings() and endpoint.rate is None:
        return provider
    return EndpointProvider(provider, endpoint)


class EndpointProvider(ProviderAround):
    """A provider whose requests have the settings of its endpoint, whatever the role that asks has built in."""

    def __init__(self, provider: Provider, endpoint: ModelEndpoint) -> None:
        super().__init__(provider)
        self._endpoint = endpoint
        self._prompts = PromptCache(
            lambda prompt: replace(prompt, settings=overlaid(prompt.settings, endpoint.settings))
        )

    def __getattr__(self, name: str) -> Any:
        if name in ("base_url", "server"):
            return getattr(self._inner, name)
        raise AttributeError(name)

    async def complete(self, request: ModelRequest) -> ModelReply:
        bucket = self._bucket()
        if bucket is not None:
            await bucket.take()
        reply = await self._inner.complete(replace(request, prompt=self._prompts.get(request.prompt)))
        if bucket is not None:
            bucket.count_tokens(reply.usage.tokens)
        return reply

    def prepare(self, prompt: Prompt) -> None:
        self._inner.prepare(self._prompts.get(prompt))

    def _bucket(self) -> TokenBucket | None:
        rate = self._endpoint.rate
        return shared_bucket(" ".join(self._endpoint.identity[:2]), rate) if rate else None
