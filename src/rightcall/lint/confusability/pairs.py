"""Pairs of tools: which are worth scoring, the score of each, and which words and parameters make it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, permutations
from typing import NamedTuple

from rightcall.core.words import name_tokens, stem, words
from rightcall.lint.confusability.similarity import (
    Rarity,
    ToolText,
    ToolTexts,
    Vector,
    cosine,
    name_likeness,
    pairs_with_a_key,
)
from rightcall.lint.features.mentions import OPPOSITES, SIDES, STOP_WORDS
from rightcall.lint.features.tool import ToolFeatures

WARN = 0.70
"""From here on a pair is reported as similar: about one pair in 150 on public MCP servers."""
LIKELY = 0.90
"""From here on a reader of the definitions agrees that the two are easily confused (see docs/evidence.md)."""
FLOOR = 0.60
"""Pairs below are not kept; in large sets, pairs below `WARN`."""
QUERY_PUSH = 0.1
SIBLINGS = 4
"""Similar tools from which on the likeness is the wording of the server rather than of the tool."""

_OPPOSITES: dict[str, set[str]] = {}
for _word, _other in chain.from_iterable(permutations(pair) for pair in (*OPPOSITES, *SIDES)):
    _OPPOSITES.setdefault(_word, set()).add(_other)


@dataclass(frozen=True)
class ToolPair:
    """Two tools and their similarity. `first` stands before `second` in the set.

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
    texts: tuple[ToolText, ToolText]
    queries: tuple[str, ...] = ()

    @property
    def shared_words(self) -> tuple[str, ...]:
        """The words that make the texts similar, by weight."""
        return _words_in_common(*self.texts)

    @property
    def shared_parameters(self) -> tuple[str, ...]:
        """The parameters that both take."""
        return tuple(sorted(self.first.parameter_names & self.second.parameter_names))

    @property
    def why(self) -> str:
        """The reasons in one line."""
        parts = [f"texts {self.text:.2f} alike"]
        if shared := self.shared_words:
            parts[0] += f" (both say {', '.join(shared)})"
        if shared := self.shared_parameters:
            parts.append(f"both take {', '.join(shared)}")
        elif not self.first.parameter_names and not self.second.parameter_names:
            parts.append("neither takes parameters")
        parts.append(f"names {self.names:.2f} alike")
        if self.queries:
            parts.append(f"{len(self.queries)} requests resemble the wrong one, such as “{self.queries[0]}”")
        return "; ".join(parts)


def confusable_pairs(
    tools: Sequence[ToolFeatures], queries: Sequence[tuple[str, str]] = ()
) -> list[ToolPair]:
    """Every pair that scores at least `FLOOR`, most similar first."""
    if len(tools) < 2:
        return []
    texts = ToolTexts(tools)
    asked = _queries_by_tool(tools, queries, texts.rarity)
    floor = FLOOR if len(tools) <= ALL_PAIRS else WARN
    pairs = []
    for candidate in candidates(tools, texts.counted, texts.rarity, floor):
        pair = _score_candidate(candidate, tools, texts, floor)
        if pair is not None:
            pairs.append(_with_queries(pair, candidate, asked, texts))
    return sorted(
        _without_boilerplate(pairs), key=lambda pair: (-pair.score, pair.first.name, pair.second.name)
    )


def _without_boilerplate(pairs: list[ToolPair]) -> Iterator[ToolPair]:
    """The pairs, lower where the likeness is the server's: `DeleteKey`, `DeleteAddress` and ten more in one wording.

    Where many tools have the same text but for the thing, a model chooses by the thing. Each must name its own, and
    not that of the other: “removes the account of a user” names two.
    """
    alike = Counter(id(tool) for pair in pairs if pair.score >= WARN for tool in (pair.first, pair.second))
    for pair in pairs:
        many = all(alike[id(tool)] >= SIBLINGS for tool in (pair.first, pair.second))
        if many and _names_own_thing(pair.first, pair.second) and _names_own_thing(pair.second, pair.first):
            yield replace(pair, score=pair.score * 0.85, told_apart=True)
        else:
            yield pair


def _names_own_thing(tool: ToolFeatures, other: ToolFeatures) -> bool:
    """Whether the text names a thing of the tool's name that neither the name nor the text of the other has.

    The first sentences are compared too: those after them may be the same in all tools of a server.
    """
    own = {stem(word) for word in tool.name_words - other.name_words}
    texts = ((tool.description, other.description), (tool.opening, other.opening))
    return any(not own.isdisjoint(_things(mine) - _things(others)) for mine, others in texts)


def _things(text: str) -> set[str]:
    return {stem(word) for word in (*words(text), *name_tokens(text))}


def _score_candidate(
    candidate: Candidate, tools: Sequence[ToolFeatures], texts: ToolTexts, floor: float
) -> ToolPair | None:
    i, j, parameters, scale = candidate
    first = tools[i]
    second = tools[j]
    names = name_likeness(first.name_tokens, second.name_tokens)
    if candidate.text_needed(floor, names) > MOST_ALIKE:
        return None
    text = texts.likeness(i, j)
    score = (0.5 * text + 0.3 * parameters + 0.2 * names) * scale
    if score < floor:
        return None
    named = _names(first, second) or _names(second, first)
    told_apart = named or (first.states_contrast and second.states_contrast)
    score *= _name_factor(first, second) * (0.85 if told_apart or _begin_apart(first, second) else 1.0)
    if score < floor:
        return None
    both = texts.text(i), texts.text(j)
    return ToolPair(
        first,
        second,
        min(score, 1.0),
        text,
        parameters=parameters,
        names=names,
        told_apart=told_apart,
        named=named,
        texts=both,
    )


def _name_factor(first: ToolFeatures, second: ToolFeatures) -> float:
    """Less than 1 when the names already prevent a model from confusing the two."""
    factor = 1.0
    if first.effect.verb and second.effect.verb:
        if first.takes_away != second.takes_away:
            factor *= 0.8  # models keep delete and get, delete and create apart
        elif first.effect.kind != second.effect.kind:
            factor *= 0.9
    first_words = first.name_words
    second_words = second.name_words
    if first.name != second.name and (first_words <= second_words or second_words <= first_words):
        factor *= 0.9  # the longer name says what it adds: get_pull_request, get_pull_request_files
    if _opposite(first_words - second_words, second_words - first_words):
        factor *= 0.9
    return factor


SHARED_OPENING = 0.35
"""Share of words up to which two first sentences say different things, whatever the rest of the texts repeats."""


def _begin_apart(first: ToolFeatures, second: ToolFeatures) -> bool:
    """Whether long texts that repeat each other begin with sentences that have little in common."""
    if len(first.sentences) < 2 or len(second.sentences) < 2:
        return False
    one, other = (
        {stem(word) for word in words(tool.sentences[0]) if word not in STOP_WORDS}
        for tool in (first, second)
    )
    return len(one & other) <= SHARED_OPENING * len(one | other)


def _opposite(only_first: frozenset[str], only_second: frozenset[str]) -> bool:
    """Whether the names differ by a pair of opposites, which models distinguish."""
    return any(
        any(
            f"un{word}" == other or f"un{other}" == word or other in _OPPOSITES.get(word, ())
            for other in only_second
        )
        for word in only_first
    )


def _names(tool: ToolFeatures, other: ToolFeatures) -> bool:
    """Whether the text of one tool mentions the other by name."""
    name = other.name.lower()
    return (
        bool(name)
        and name in tool.lower
        and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", tool.lower) is not None
    )


def _words_in_common(first: ToolText, second: ToolText, most: int = 4) -> tuple[str, ...]:
    """The words that make the texts similar, by weight, one of each stem."""
    shared = [
        (-first.vector[word] * second.vector[word], word)
        for word in first.words.keys() & second.words.keys()
        if word not in STOP_WORDS and len(word) > 2
    ]
    by_stem: dict[str, str] = {}
    for _, word in sorted(shared):
        by_stem.setdefault(stem(word), word)
    return tuple(list(by_stem.values())[:most])


def _queries_by_tool(
    tools: Sequence[ToolFeatures], queries: Sequence[tuple[str, str]], rarity: Rarity
) -> dict[int, list[tuple[str, Vector]]]:
    """Requests by the index of the tool that answers them."""
    index_of = {tool.name: index for index, tool in reversed(list(enumerate(tools)))}
    queries_of: dict[int, list[tuple[str, Vector]]] = {}
    for text, right in queries:
        if right in index_of:
            queries_of.setdefault(index_of[right], []).append((text, rarity.vector(Counter(words(text)))))
    return queries_of


def _with_queries(
    pair: ToolPair, candidate: Candidate, asked: dict[int, list[tuple[str, Vector]]], texts: ToolTexts
) -> ToolPair:
    if not asked:
        return pair
    i = candidate.first
    j = candidate.second
    misleading = [
        text
        for right, wrong in ((i, j), (j, i))
        for text, vector in asked.get(right, ())
        if cosine(vector, texts.text(wrong).vector) > cosine(vector, texts.text(right).vector)
    ]
    if not misleading:
        return pair
    return replace(pair, score=min(1.0, pair.score + QUERY_PUSH), queries=tuple(misleading))


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
    pairs = combinations(range(len(counted)), 2) if small else _pairs_of_informative_words(counted, rarity)
    for i, j in pairs:
        mine = taken[i]
        other = taken[j]
        if mine or other:
            common = len(mine & other)
            if not common:  # the floor would need nearly identical texts
                continue
            pair = Candidate(i, j, common / (len(mine) + len(other) - common), 1.0)
        else:
            pair = Candidate(i, j, 0.0, 1 / 0.7)
        needed = pair.text_needed(floor, 1.0)
        if needed <= MOST_ALIKE:
            first = word_sets[i]
            second = word_sets[j]
            shared = len(first & second) / min(len(first), len(second)) if first and second else 0.0
            if shared >= needed - SLACK:
                yield pair


def _pairs_of_informative_words(counted: Sequence[Counter[str]], rarity: Rarity) -> Iterator[tuple[int, int]]:
    def informative_words(index: int) -> list[str]:
        ranked = sorted((-rarity[word] * (1 + times), word) for word, times in counted[index].items())
        return [word for _, word in ranked[:TELLING]]

    return pairs_with_a_key(range(len(counted)), informative_words, MOST_SHARING)
