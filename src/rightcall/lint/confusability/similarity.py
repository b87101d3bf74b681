"""How similar texts and names of tools are.

Texts are vectors of weighted words and pieces of words (TF-IDF, sublinear, pieces of 4 letters).

How rare a word is comes from the set together with a background of 3,420 public definitions, so that a set
of five tools does not treat "user" as an informative word. Pieces of words inherit the weight of their word.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain, combinations
from operator import mul
from typing import NamedTuple, TypeVar

import msgspec

from rightcall.core.words import name_tokens, words
from rightcall.lint.features.tool import ToolFeatures

Vector = dict[str, float]
PIECE = 4


class Background(msgspec.Struct, frozen=True):
    """In how many of `texts` public definitions each word occurs."""

    source: str
    texts: int
    words: dict[str, int]


@cache
def background() -> Background:
    """The frequencies, read at first use."""
    data = files("rightcall.lint.confusability").joinpath("background.json").read_bytes()
    return msgspec.json.decode(data, type=Background)


def tool_words(tool: ToolFeatures) -> Counter[str]:
    """The words of name, description, parameter names and their descriptions."""
    all_words = [*tool.name_tokens, *tool.words]
    for node in tool.properties:
        all_words += name_tokens(node.name)
        if node.text:
            all_words += words(node.text)
    return Counter(all_words)


class Rarity(dict[str, float]):
    """The smoothed inverse document frequency of each word, computed when first asked for."""

    def __init__(self, texts: Iterable[Mapping[str, int]]) -> None:
        common = background()
        self._common = common.words
        self._occurs: Counter[str] = Counter()
        count = common.texts
        for text in texts:
            self._occurs.update(text.keys())
            count += 1
        self._log_count = math.log(1 + count)

    def __missing__(self, word: str) -> float:
        rarity = self._log_count - math.log(1 + self._common.get(word, 0) + self._occurs[word]) + 1
        self[word] = rarity
        return rarity

    def vector(self, counted: Mapping[str, int]) -> Vector:
        """The text with these words as a vector of length 1."""
        components: dict[str, float] = {}
        component = components.get
        for word, times in counted.items():
            weight = self[word] if times == 1 else (1 + math.log(times)) * self[word]
            components[word] = component(word, 0.0) + weight
            pieces, share = _pieces(word)
            part = weight * share
            for piece in pieces:
                components[piece] = component(piece, 0.0) + part
        length = math.sqrt(sum(map(mul, components.values(), components.values())))
        return {feature: weight / length for feature, weight in components.items()} if length else {}


def cosine(first: Vector, second: Vector) -> float:
    """Similarity of two vectors of length 1."""
    common = first.keys() & second.keys()
    return sum(map(mul, map(first.__getitem__, common), map(second.__getitem__, common)), start=0.0)


@lru_cache(maxsize=65536)
def _pieces(word: str) -> tuple[tuple[str, ...], float]:
    """The pieces of a word, and what share of the word's weight each has; together they weigh as the word."""
    padded = f"^{word}$"
    pieces = tuple(
        dict.fromkeys("#" + padded[start : start + PIECE] for start in range(len(padded) - PIECE + 1))
    )
    return pieces, 1 / math.sqrt(len(pieces)) if pieces else 0.0


class ToolText(NamedTuple):
    """The words of a tool and their weights."""

    words: Counter[str]
    vector: Vector


class ToolTexts:
    """The similarity of the texts of any two tools. Equal texts, common in large sets, are compared once."""

    def __init__(self, tools: Sequence[ToolFeatures]) -> None:
        numbers: dict[frozenset[tuple[str, int]], int] = {}
        self.counted = [tool_words(tool) for tool in tools]
        self._number = [numbers.setdefault(frozenset(words.items()), len(numbers)) for words in self.counted]
        self.rarity = Rarity(self.counted)
        self._vectors: dict[int, Vector] = {}
        self._likeness: dict[tuple[int, int], float] = {}

    def text(self, tool: int) -> ToolText:
        """The text of the tool at a position."""
        number = self._number[tool]
        vector = self._vectors.get(number)
        if vector is None:
            vector = self._vectors[number] = self.rarity.vector(self.counted[tool])
        return ToolText(self.counted[tool], vector)

    def likeness(self, first: int, second: int) -> float:
        """The cosine of two tools' texts."""
        first_number = self._number[first]
        second_number = self._number[second]
        if first_number == second_number:
            return 1.0 if self.counted[first] else 0.0
        key = (first_number, second_number) if first_number < second_number else (second_number, first_number)
        likeness = self._likeness.get(key)
        if likeness is None:
            likeness = self._likeness[key] = cosine(self.text(first).vector, self.text(second).vector)
        return likeness


T = TypeVar("T", bound=Hashable)


def pairs_with_a_key(
    things: Iterable[T], keys_of: Callable[[T], Iterable[Hashable]], most: int = 200
) -> Iterator[tuple[T, T]]:
    """Pairs of things that share a key, each once. Of those with one key, only the first `most` are paired."""
    holders: dict[Hashable, list[T]] = {}
    for thing in things:
        for key in keys_of(thing):
            holders.setdefault(key, []).append(thing)
    pairs = chain.from_iterable(combinations(alike[:most], 2) for alike in holders.values())
    yield from dict.fromkeys(pairs)


@lru_cache(maxsize=200_000)
def name_likeness(first: tuple[str, ...], second: tuple[str, ...]) -> float:
    """0 to 1: the best of comparing the shared words with each name, and the names with each other.

    Names without a shared word are compared as they stand.
    """
    shared = sorted(set(first) & set(second))
    rest_first = sorted(set(first) - set(shared))
    rest_second = sorted(set(second) - set(shared))
    common = " ".join(shared)
    first_text = " ".join((*shared, *rest_first))
    second_text = " ".join((*shared, *rest_second))
    if first_text == second_text:
        return 1.0
    best = ratio(first_text, second_text)
    if shared:
        best = max(best, ratio(common, first_text), ratio(common, second_text))
    return best


def ratio(first: str, second: str) -> float:
    """Twice the length of the longest common subsequence over the sum of the lengths."""
    total = len(first) + len(second)
    return 2 * common_length(first, second) / total if total else 1.0


def common_length(first: str, second: str) -> int:
    """Length of the longest common subsequence, bit-parallel (Hyyrö 2004)."""
    masks: dict[str, int] = {}
    for index, character in enumerate(first):
        masks[character] = masks.get(character, 0) | 1 << index
    full = (1 << len(first)) - 1
    state = full
    for character in second:
        update = state & masks.get(character, 0)
        state = ((state + update) | (state - update)) & full
    return len(first) - state.bit_count()


def edit_distance(first: str, second: str, most: int) -> int:
    """Letters to change, add or take away; anything above `most` comes back as `most + 1`."""
    if abs(len(first) - len(second)) > most:
        return most + 1
    row = list(range(len(second) + 1))
    for index, left in enumerate(first, start=1):
        previous = row[0]
        row[0] = index
        for column, right in enumerate(second, start=1):
            previous, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, previous + (left != right)),
            )
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
