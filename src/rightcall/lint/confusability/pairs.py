"""The score of each pair of tools, and which words and parameters make it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from rightcall.lint.confusability.names import name_likeness
from rightcall.lint.confusability.vectors import Vector, Weights, cosine, tool_words
from rightcall.lint.facts.words import OPPOSITES, STOP_WORDS
from rightcall.lint.features.text import stem, words
from rightcall.lint.features.tool import ToolFeatures

WARN = 0.70
"""From here on a pair is reported as alike: about one pair in 150 on public MCP servers."""
LIKELY = 0.90
"""From here on a reader of the definitions agrees that the two are easily confused (see docs/lint/precision.md)."""
FLOOR = 0.60
"""Pairs below are not kept; in large sets, pairs below `WARN`."""
ALL_PAIRS = 400
"""Up to this many tools every pair is scored; in larger sets only pairs that share a telling word."""
TELLING = 5
MOST_SHARING = 30
QUERY_PUSH = 0.1
SLACK = 0.25
"""How far the share of common words may stay below the likeness of the texts before a pair is passed over."""

_CONTRAST = re.compile(
    r"\b(?:instead|unlike|rather than|as opposed to|in contrast|do(?:es)? not|don't|not for|never use|only (?:for"
    r"|when|if)"
    r"|whereas|see also)\b"
)


@dataclass(frozen=True)
class Pair:
    """Two tools and how alike they are. `first` stands before `second` in the set.

    `told_apart` says that the texts name each other or state a contrast; `named` that one names the other.
    `queries` are requests that resemble the wrong tool of the two more than the right one.
    """

    first: ToolFeatures
    second: ToolFeatures
    score: float
    text: float
    parameters: float
    names: float
    told_apart: bool
    named: bool
    vectors: tuple[Vector, Vector]
    queries: tuple[str, ...] = ()

    @property
    def shared_words(self) -> tuple[str, ...]:
        """The words that make the texts alike, the weightiest first."""
        return _shared_words(*self.vectors)

    @property
    def shared_parameters(self) -> tuple[str, ...]:
        """The parameters that both take."""
        return tuple(sorted(self.first.parameter_names & self.second.parameter_names))

    @property
    def why(self) -> str:
        """The reasons in one line."""
        parts = [f"texts {self.text:.2f} alike"]
        if self.shared_words:
            parts[0] += f" (both say {', '.join(self.shared_words)})"
        if self.shared_parameters:
            parts.append(f"both take {', '.join(self.shared_parameters)}")
        elif not self.first.parameter_names and not self.second.parameter_names:
            parts.append("neither takes parameters")
        parts.append(f"names {self.names:.2f} alike")
        if self.queries:
            parts.append(f"{len(self.queries)} requests resemble the wrong one, such as “{self.queries[0]}”")
        return "; ".join(parts)


def confusable_pairs(tools: Sequence[ToolFeatures], queries: Sequence[tuple[str, str]] = ()) -> list[Pair]:
    """Every pair that scores at least `FLOOR`, the most alike first."""
    if len(tools) < 2:
        return []
    counted = [tool_words(tool) for tool in tools]
    weights = Weights(counted)
    vectors: dict[int, Vector] = {}
    asked = _asked(tools, queries, weights)
    floor = FLOOR if len(tools) <= ALL_PAIRS else WARN
    found = []
    for i, j in _candidates(counted, weights):
        pair = _score(tools, i, j, vectors, counted, weights, floor)
        if pair is not None:
            found.append(_with_queries(pair, i, j, asked, vectors))
    return sorted(found, key=lambda pair: (-pair.score, pair.first.name, pair.second.name))


def _candidates(counted: list[Counter[str]], weights: Weights) -> Iterable[tuple[int, int]]:
    if len(counted) <= ALL_PAIRS:
        return combinations(range(len(counted)), 2)
    return _sharing_telling_words(counted, weights)


def _sharing_telling_words(counted: list[Counter[str]], weights: Weights) -> Iterator[tuple[int, int]]:
    holders: dict[str, list[int]] = {}
    for index, text in enumerate(counted):
        telling = sorted(text, key=lambda word: (-weights.rarity(word) * (1 + text[word]), word))[:TELLING]
        for word in telling:
            holders.setdefault(word, []).append(index)
    seen: set[tuple[int, int]] = set()
    for indices in holders.values():
        for pair in combinations(indices[:MOST_SHARING], 2):
            if pair not in seen:
                seen.add(pair)
                yield pair


def _score(
    tools: Sequence[ToolFeatures],
    i: int,
    j: int,
    vectors: dict[int, Vector],
    counted: list[Counter[str]],
    weights: Weights,
    floor: float,
) -> Pair | None:
    first, second = tools[i], tools[j]
    mine, other = first.parameter_names, second.parameter_names
    bare = not mine and not other
    common = mine & other
    parameters = 0.0 if bare else len(common) / len(mine | other)
    share = 1 / 0.7 if bare else 1.0  # without parameters the other two parts carry the whole weight
    # The rest cannot reach the floor: leave the dear parts out. For a pair without a common parameter
    # the floor would need nearly identical texts, which is a matter for duplicate-description.
    if not bare and not common:
        return None
    needed = (floor / share - 0.3 * parameters - 0.2) / 0.5  # with names as alike as can be
    if needed > 0.97 or _overlap(counted[i], counted[j]) < needed - SLACK:
        return None
    names = name_likeness(first.name_tokens, second.name_tokens)
    if (floor / share - 0.3 * parameters - 0.2 * names) / 0.5 > 0.97:
        return None
    one, two = (_vector(k, vectors, counted, weights) for k in (i, j))
    text = cosine(one, two)
    score = (0.5 * text + 0.3 * parameters + 0.2 * names) * share
    if score < floor:
        return None
    named = _names(first, second) or _names(second, first)
    told_apart = named or (bool(_CONTRAST.search(first.lower)) and bool(_CONTRAST.search(second.lower)))
    if told_apart:
        score *= 0.85
    if (
        first.effect.is_destructive != second.effect.is_destructive
        and first.effect.verb
        and second.effect.verb
    ):
        score *= 0.8  # models keep delete and get, delete and create apart
    elif first.effect.kind != second.effect.kind and first.effect.verb and second.effect.verb:
        score *= 0.9
    if first.name != second.name and (
        set(first.name_tokens) <= set(second.name_tokens) or set(second.name_tokens) <= set(first.name_tokens)
    ):
        score *= 0.9  # the longer name says what it adds: get_pull_request, get_pull_request_files
    if _opposite(first.name_tokens, second.name_tokens):
        score *= 0.9
    if score < floor:
        return None
    return Pair(
        first, second, min(score, 1.0), text, parameters, names, told_apart, named, (one, two)
    )  # fmt: skip


def _opposite(one: tuple[str, ...], two: tuple[str, ...]) -> bool:
    """Do the names differ by a pair of opposites, which models keep apart?"""
    only_one, only_two = set(one) - set(two), set(two) - set(one)
    return any((a in only_one and b in only_two) or (b in only_one and a in only_two) for a, b in OPPOSITES)


def _overlap(one: Counter[str], two: Counter[str]) -> float:
    """A cheap look at how many words two texts share."""
    return len(one.keys() & two.keys()) / min(len(one), len(two)) if one and two else 0.0


def _vector(index: int, vectors: dict[int, Vector], counted: list[Counter[str]], weights: Weights) -> Vector:
    if index not in vectors:
        vectors[index] = weights.vector(counted[index])
    return vectors[index]


def _names(tool: ToolFeatures, other: ToolFeatures) -> bool:
    """Does the text of one tool speak of the other by name?"""
    name = other.name.lower()
    return (
        bool(name)
        and name in tool.lower
        and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", tool.lower) is not None
    )


def _shared_words(one: Vector, two: Vector, most: int = 4) -> tuple[str, ...]:
    """The words that make the texts alike, the weightiest first, one of each stem."""
    shared = {
        word: one[word] * two[word]
        for word in one.keys() & two.keys()
        if word[0] != "#" and word not in STOP_WORDS and len(word) > 2
    }
    found: dict[str, str] = {}
    for word in sorted(shared, key=lambda word: (-shared[word], word)):
        found.setdefault(stem(word), word)
    return tuple(list(found.values())[:most])


def _asked(
    tools: Sequence[ToolFeatures], queries: Sequence[tuple[str, str]], weights: Weights
) -> dict[int, list[tuple[str, Vector]]]:
    """Requests by the index of the tool that answers them."""
    index_of = {tool.name: index for index, tool in reversed(list(enumerate(tools)))}
    found: dict[int, list[tuple[str, Vector]]] = {}
    for text, right in queries:
        if right in index_of:
            found.setdefault(index_of[right], []).append((text, weights.vector(Counter(words(text)))))
    return found


def _with_queries(
    pair: Pair, i: int, j: int, asked: dict[int, list[tuple[str, Vector]]], vectors: dict[int, Vector]
) -> Pair:
    misleading = [
        text
        for right, wrong in ((i, j), (j, i))
        for text, vector in asked.get(right, ())
        if cosine(vector, vectors[wrong]) > cosine(vector, vectors[right])
    ]
    if not misleading:
        return pair
    from dataclasses import replace

    return replace(pair, score=min(1.0, pair.score + QUERY_PUSH), queries=tuple(misleading))
