"""What tool definitions cost in a run: they are sent with every request."""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec

from rightcall.agents.agent import Agent
from rightcall.agents.agent_endpoint import own_prices
from rightcall.core.text import counted, percent
from rightcall.model.record import Record
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Usage
from rightcall.models.prices import cost
from rightcall.run.cost_estimate import CHARACTERS_PER_TOKEN


class DefinitionCost(Record, frozen=True):
    """Tokens of all definitions, about, and the requests that sent them; `cost_usd` is None without a price.

    A golden that offers fewer tools sends fewer tokens.
    """

    tokens: int
    requests: int
    cost_usd: float | None = None

    def sentence(self, usage: Usage) -> str:
        """The cost in one line, with its share of the input tokens of a run."""
        total = self.tokens * self.requests
        share = (
            f", {percent(min(1.0, total / usage.input_tokens), 0)} of the input" if usage.input_tokens else ""
        )
        dollars = f", ${self.cost_usd:.4f}" if self.cost_usd else ""
        sent = f"{self.tokens:,} tokens × {counted(self.requests, 'request')}"
        return f"tool definitions: about {sent} = {total:,} tokens{share}{dollars}"


def cost_of_definitions(agent: Agent, tools: Iterable[Tool], requests: int) -> DefinitionCost | None:
    """What the definitions of a run cost; None if nothing was sent."""
    plain = [[tool.name, tool.description, tool.input_schema] for tool in tools]
    if not plain or not requests:
        return None
    tokens = math.ceil(len(msgspec.json.encode(plain, enc_hook=repr)) / CHARACTERS_PER_TOKEN)
    spent = cost(agent.name, Usage(tokens * requests, 0), own_prices(agent))
    return DefinitionCost(tokens, requests, spent)
