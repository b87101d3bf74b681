"""The cost of generation, estimated before any request."""

from __future__ import annotations

from rightcall.core.codec import encode
from rightcall.model.record import Record
from rightcall.model.trajectory import Usage
from rightcall.models.endpoint import ModelEndpoint
from rightcall.models.prices import cost
from rightcall.models.resolver import endpoint_of
from rightcall.run.cost_estimate import CHARACTERS_PER_TOKEN, EXPECTED_OUTPUT_TOKENS
from rightcall.wings.generate.config import Model
from rightcall.wings.generate.synthesizer import Synthesizer
from rightcall.wings.generate.values import open_parameters

PROMPT_CHARACTERS = 900
"""Tokens of a step's prompt without its values; the longest has about this many."""


class GenerationEstimate(Record, frozen=True):
    """Requests, tokens and cost: `least` when the first attempt of each is kept, `most` when every attempt is used.

    `asks` has the model and the host of every role.
    """

    goldens: int
    requests_least: int
    requests_most: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    cost_usd_most: float | None
    asks: tuple[str, ...] = ()


def estimate_generation(
    maker: Synthesizer, goldens: int, *, context_characters: int = 0
) -> GenerationEstimate:
    """An estimate for this many goldens: tokens and cost in the best case, and the cost in the worst."""
    checks, tools = maker.verification, len(encode(list(maker.tools)))
    writes = 1 if maker.tools and not context_characters else 3
    evolutions = maker.evolution_config.num_evolutions if maker.evolution_config else 0
    solves = checks.agree if maker.tools else 0
    least = writes + solves + evolutions * (1 + solves)
    most = checks.attempts * (writes + (checks.samples if maker.tools else 0)) + evolutions * (
        1 + checks.samples
    )
    planned = maker.tools if not context_characters else ()
    examples = sum(bool(open_parameters(tool)) for tool in planned)
    characters = (writes + evolutions) * (PROMPT_CHARACTERS + context_characters) + solves * (
        1 + evolutions
    ) * tools
    used = Usage(goldens * characters // CHARACTERS_PER_TOKEN, goldens * least * EXPECTED_OUTPUT_TOKENS)
    price = _price(maker.model, used)
    return GenerationEstimate(
        goldens,
        goldens * least + examples,
        goldens * most + examples,
        used.input_tokens or 0,
        used.output_tokens or 0,
        price,
        None if price is None else price * most / max(1, least),
        _model_lines(maker),
    )


def _model_lines(maker: Synthesizer) -> tuple[str, ...]:
    """Who writes and who verifies, and at which host."""
    roles = {"writer": maker.model, "solver": maker.solver}
    return tuple(
        f"{role} {endpoint_of(model).words}"
        for role, model in roles.items()
        if isinstance(model, str | ModelEndpoint)
    )


def _price(model: Model | None, used: Usage) -> float | None:
    """The cost of these tokens at the model's own prices, if it has some."""
    if isinstance(model, str | ModelEndpoint):
        endpoint = endpoint_of(model)
        return cost(endpoint.model, used, endpoint.price_list)
    name = str(getattr(model, "name", ""))
    return cost(name, used) if name else 0.0
