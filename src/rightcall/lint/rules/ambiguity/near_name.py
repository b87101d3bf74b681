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
    for first, second in _candidates(tools):
        if first.name.casefold() == second.name.casefold():
            continue
        if sorted(first.name_tokens) == sorted(second.name_tokens):
            if "".join(first.name_tokens) != "".join(second.name_tokens) and not _two_terms(first, second):
                yield second, _finding(first, second, "has the same words as")
        elif _one_token_apart(first.name_tokens, second.name_tokens):
            yield second, _finding(first, second, "is a letter or two from")


def _two_terms(first_tool: ToolFeatures, second_tool: ToolFeatures) -> bool:
    """`speech_to_text`, `text_to_speech`: a way and its way back, whose first sentences have little in common."""
    if "to" not in first_tool.name_tokens:
        return False
    first, second = (
        {stem(word) for word in words(_first_words(tool))} - STOP_WORDS for tool in (first_tool, second_tool)
    )
    return len(first & second) * 2 < min(len(first), len(second))


def _first_words(tool: ToolFeatures) -> str:
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
            for index, first in enumerate(alike[:200]):
                for second in alike[index + 1 : 200]:
                    if abs(len(first.name) - len(second.name)) <= 2 and (id(first), id(second)) not in seen:
                        seen.add((id(first), id(second)))
                        yield first, second


def _one_token_apart(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Do they differ in one word, by at most two letters of a word that is not short?"""
    different = [(a, b) for a, b in zip(first, second, strict=True) if a != b]
    if len(different) != 1:
        return False
    a, b = different[0]
    if min(len(a), len(b)) < 4 or a.isdigit() or b.isdigit():
        return False
    plural = a.rstrip("s") == b.rstrip("s")
    return plural or edit_distance(a, b, 1) <= 1


def _finding(first: ToolFeatures, second: ToolFeatures, how: str) -> Finding:
    return Finding(
        ("name",), f"'{second.name}' {how} '{first.name}'", "make the difference a word", others=(first.name,)
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
