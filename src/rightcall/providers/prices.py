"""The cost of a call, from one dated file of prices; `prices` of a model in the project's file takes precedence."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from rightcall.core.codec import decode
from rightcall.core.options import described
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
