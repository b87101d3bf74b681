"""Two names that differ by a letter or by the order of words."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.confusability.candidates import edit_distance
from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.mentions import STOP_WORDS
from rightcall.lint.features.text import stem, words
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Rule

SHORTEST, LONGEST = 6, 256
"""Characters of a name that is compared: no provider accepts longer ones, and the cost grows with the square."""


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    for one, two in _candidates(tools):
        if one.name.casefold() == two.name.casefold():
            continue
        if sorted(one.name_tokens) == sorted(two.name_tokens):
            if "".join(one.name_tokens) != "".join(two.name_tokens) and not _two_terms(one, two):
                yield two, _finding(one, two, "has the same words as")
        elif _one_token_apart(one.name_tokens, two.name_tokens):
            yield two, _finding(one, two, "is a letter or two from")


def _two_terms(one: ToolFeatures, two: ToolFeatures) -> bool:
    """`speech_to_text`, `text_to_speech`: a way and its way back, whose first sentences have little in common."""
    if "to" not in one.name_tokens:
        return False
    first, second = ({stem(word) for word in words(_opening(tool))} - STOP_WORDS for tool in (one, two))
    return len(first & second) * 2 < min(len(first), len(second))


def _opening(tool: ToolFeatures) -> str:
    return tool.sentences[0] if tool.sentences else ""


def _candidates(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, ToolFeatures]]:
    """Pairs with the same number of words and of about the same length, each once."""
    groups: dict[int, list[ToolFeatures]] = {}
    for tool in tools.by_name.values():
        if SHORTEST <= len(tool.name) <= LONGEST:
            groups.setdefault(len(tool.name_tokens), []).append(tool)
    for group in groups.values():
        buckets: dict[tuple[str, ...], list[ToolFeatures]] = {}
        for tool in group:
            keys = {tuple(sorted(tool.name_tokens))}
            keys |= {
                (str(i), *tool.name_tokens[:i], "*", *tool.name_tokens[i + 1 :])
                for i in range(len(tool.name_tokens))
            }
            for key in keys:
                buckets.setdefault(key, []).append(tool)
        seen: set[tuple[int, int]] = set()
        for alike in buckets.values():
            for index, one in enumerate(alike[:200]):
                for two in alike[index + 1 : 200]:
                    if abs(len(one.name) - len(two.name)) <= 2 and (id(one), id(two)) not in seen:
                        seen.add((id(one), id(two)))
                        yield one, two


def _one_token_apart(one: tuple[str, ...], two: tuple[str, ...]) -> bool:
    """Do they differ in one word, by at most two letters of a word that is not short?"""
    different = [(a, b) for a, b in zip(one, two, strict=True) if a != b]
    if len(different) != 1:
        return False
    a, b = different[0]
    if min(len(a), len(b)) < 4 or a.isdigit() or b.isdigit():
        return False
    plural = a.rstrip("s") == b.rstrip("s")
    return plural or edit_distance(a, b, 1) <= 1


def _finding(one: ToolFeatures, two: ToolFeatures, how: str) -> Finding:
    return Finding(
        ("name",), f"'{two.name}' {how} '{one.name}'", "make the difference a word", others=(one.name,)
    )


RULE = Rule(
    code="TD503",
    name="near-name",
    severity="warning",
    summary="Two names differ by a letter, a plural, or the order of their words.",
    explanation="""`get_order` and `get_orders` are easily mixed up, by models as by people. Name the difference:
    `get_order` and `list_orders`. A conversion
    and its inverse (`speech_to_text`, `text_to_speech`) are not reported if their texts differ enough.""",
    bad=[{}, {"name": "get_forecasts"}],
    good=[{}, {"name": "list_forecasts"}],
    sources=("META",),
    check_set=check_set,
)
