"""The texts of all tools of a set side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rightcall.lint.confusability.vectors import Vector, Weights, cosine, tool_words
from rightcall.lint.features.tool import ToolFeatures


class ToolText(NamedTuple):
    """The words of a tool and their weights."""

    words: Counter[str]
    vector: Vector


class ToolTexts:
    """How alike the texts of any two tools are. Equal texts, common in large sets, are compared once."""

    def __init__(self, tools: Sequence[ToolFeatures]) -> None:
        known: dict[frozenset[tuple[str, int]], int] = {}
        self.counted = [tool_words(tool) for tool in tools]
        self._number = [known.setdefault(frozenset(words.items()), len(known)) for words in self.counted]
        self.weights = Weights(self.counted)
        self._vectors: dict[int, Vector] = {}
        self._likeness: dict[tuple[int, int], float] = {}

    def text(self, tool: int) -> ToolText:
        """The text of the tool at a position."""
        number = self._number[tool]
        vector = self._vectors.get(number)
        if vector is None:
            vector = self._vectors[number] = self.weights.vector(self.counted[tool])
        return ToolText(self.counted[tool], vector)

    def likeness(self, first: int, second: int) -> float:
        """The cosine of two tools' texts."""
        one, two = self._number[first], self._number[second]
        if one == two:
            return 1.0 if self.counted[first] else 0.0
        key = (one, two) if one < two else (two, one)
        known = self._likeness.get(key)
        if known is None:
            known = self._likeness[key] = cosine(self.text(first).vector, self.text(second).vector)
        return known
