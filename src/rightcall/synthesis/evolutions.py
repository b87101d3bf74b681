"""Evolutions: methods that make an input harder or rarer, each with its own prompt in `prompts/evolve_*.md`.

To add one: a member here and its prompt.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType


class Evolution(Enum):
    """One way to rewrite an input."""

    REASONING = "Reasoning"
    MULTICONTEXT = "Multi-context"
    CONCRETIZING = "Concretizing"
    CONSTRAINED = "Constrained"
    COMPARATIVE = "Comparative"
    HYPOTHETICAL = "Hypothetical"
    IN_BREADTH = "In-Breadth"

    @property
    def prompt(self) -> str:
        """The name of its prompt."""
        return "evolve_" + self.value.lower().replace("-", "_")


EVEN_WEIGHTS: Mapping[Evolution, float] = MappingProxyType(dict.fromkeys(Evolution, 1 / len(Evolution)))
"""Equal weights."""


def draw(
    weights: Mapping[Evolution, float], count: int, rng: random.Random, *, with_context: bool
) -> list[Evolution]:
    """`count` evolutions by weight; without a context, none that needs one."""
    possible = {
        one: weight
        for one, weight in weights.items()
        if weight > 0 and (with_context or one is not Evolution.MULTICONTEXT)
    }
    return rng.choices(list(possible), list(possible.values()), k=count) if possible else []
