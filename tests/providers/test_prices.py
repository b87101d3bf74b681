"""What calls cost."""

from __future__ import annotations

import pytest

from rightcall.providers.endpoint import Price, Prices, built_in_prices, cost, price_of
from rightcall.records import Usage

USAGE = Usage(input_tokens=1_000_000, output_tokens=1_000_000, cached_tokens=400_000)


def test_cached_tokens_cost_less_than_fresh_ones():
    # gpt-5-mini: $0.25 in, $0.025 cached, $2 out per million
    assert cost("openai:gpt-5-mini", USAGE) == pytest.approx(0.6 * 0.25 + 0.4 * 0.025 + 2)


def test_a_dated_name_and_the_other_api_have_the_plain_models_price():
    for name in ("openai:gpt-5-mini-2025-08-07", "openai-responses:gpt-5-mini"):
        assert price_of(name) == price_of("openai:gpt-5-mini")


def test_an_unknown_model_has_an_unknown_cost_rather_than_zero():
    assert cost("openai:qwen-of-my-own", USAGE) is None
    assert cost("local:smollm2", USAGE) == 0


def test_prices_of_a_user_take_precedence_and_other_models_keep_theirs():
    own = {"openai:gpt-5": Price(1, 1), "openai:own": Price(2, 2)}
    prices = Prices({**built_in_prices().models, **own})
    assert (cost("openai:gpt-5", USAGE, prices), cost("openai:own", USAGE, prices)) == (2, 4)
    assert cost("openai:gpt-5-mini", USAGE, prices) == cost("openai:gpt-5-mini", USAGE)


def test_the_built_in_file_says_when_and_where_it_was_read():
    prices = built_in_prices()
    assert prices.date >= "2026" and all(source.startswith("https://") for source in prices.sources)
