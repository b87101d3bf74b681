"""Which pairs of tools are worth scoring: cheap tests before expensive ones, and how similar two names are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple, TypeVar

from rightcall.lint.confusability.vectors import Rarity
from rightcall.lint.features.tool import ToolFeatures

T = TypeVar("T", bound=Hashable)

ALL_PAIRS = 400
"""Up to this many tools every pair is scored; in larger sets only pairs that share an informative word."""
TELLING = 5
MOST_SHARING = 30
MOST_ALIKE = 0.97
"""Texts that would have to be more similar than this are reported by duplicate-description."""
SLACK = 0.25
"""How far the share of common words may stay below the text similarity before a pair is skipped."""


class Candidate(NamedTuple):
    """Positions of two tools and the share of parameters they have in common.

    `scale` is what the other two parts of the score count for when neither tool takes parameters.
    """

    first: int
    second: int
    parameters: float
    scale: float

    def text_needed(self, floor: float, names: float) -> float:
        """How similar the texts must be for the pair to reach the floor, given the similarity of the names."""
        return (floor / self.scale - 0.3 * self.parameters - 0.2 * names) / 0.5


def candidates(
    tools: Sequence[ToolFeatures], counted: Sequence[Counter[str]], rarity: Rarity, floor: float
) -> Iterator[Candidate]:
    """Every pair that could reach the floor, judged by its parameters and by how many words it shares."""
    taken = [tool.parameter_names for tool in tools]
    word_sets = [frozenset(words) for words in counted]
    small = len(counted) <= ALL_PAIRS
    pairs = combinations(range(len(counted)), 2) if small else _pairs_of_telling_words(counted, rarity)
    for i, j in pairs:
        mine, other = taken[i], taken[j]
        if mine or other:
            common = len(mine & other)
            if not common:  # the floor would need nearly identical texts
                continue
            pair = Candidate(i, j, common / (len(mine) + len(other) - common), 1.0)
        else:
            pair = Candidate(i, j, 0.0, 1 / 0.7)
        needed = pair.text_needed(floor, 1.0)
        if needed <= MOST_ALIKE:
            first, second = word_sets[i], word_sets[j]
            shared = len(first & second) / min(len(first), len(second)) if first and second else 0.0
            if shared >= needed - SLACK:
                yield pair


def _pairs_of_telling_words(counted: Sequence[Counter[str]], rarity: Rarity) -> Iterator[tuple[int, int]]:
    def telling_words(index: int) -> list[str]:
        ranked = sorted((-rarity[word] * (1 + times), word) for word, times in counted[index].items())
        return [word for _, word in ranked[:TELLING]]

    return pairs_with_a_key(range(len(counted)), telling_words, MOST_SHARING)


def pairs_with_a_key(
    things: Iterable[T], keys_of: Callable[[T], Iterable[Hashable]], most: int = 200
) -> Iterator[tuple[T, T]]:
    """Pairs of things that share a key, each once. Of those with one key, only the first `most` are paired."""
    holders: dict[Hashable, list[T]] = {}
    for thing in things:
        for key in keys_of(thing):
            holders.setdefault(key, []).append(thing)
    pairs = (pair for alike in holders.values() for pair in combinations(alike[:most], 2))
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
    first_text, second_text = " ".join((*shared, *rest_first)), " ".join((*shared, *rest_second))
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
        previous, row[0] = row[0], index
        for column, right in enumerate(second, start=1):
            previous, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, previous + (left != right)),
            )
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
