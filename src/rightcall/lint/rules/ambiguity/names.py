"""Names that are confused."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.core.words import name_tokens, stem, words
from rightcall.lint.confusability.candidates import edit_distance, pairs_with_a_key
from rightcall.lint.features.mentions import GENERIC_NAME_TOKENS, STOP_WORDS
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Edit, Finding, SetFindings, set_rule
from rightcall.schema.effects import EFFECTS

SHORTEST, LONGEST = 6, 256
"""Characters of a name that is compared: no provider accepts longer ones, and the cost grows with the square."""


@set_rule("TD503", "warning", needs=("several",), sources=("META",))
def near_name(tools: SetFeatures) -> SetFindings:
    """Two names differ by a letter, a plural, or the order of their words.

    `get_order` and `get_orders` are easily mixed up, by models as by people. Name the difference: `get_order`
    and `list_orders`. A conversion and its inverse (`speech_to_text`, `text_to_speech`) are not reported if
    their texts differ enough.

    Fails: [{}, {"name": "get_forecasts"}]
    Passes: [{}, {"name": "list_forecasts"}]
    """
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
        {stem(word) for word in words(tool.opening)} - STOP_WORDS for tool in (first_tool, second_tool)
    )
    return len(first & second) * 2 < min(len(first), len(second))


def _candidates(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, ToolFeatures]]:
    """Pairs with the same number of words and of about the same length, each once."""
    compared = (tool for tool in tools.by_name.values() if SHORTEST <= len(tool.name) <= LONGEST)

    def keys_of(tool: ToolFeatures) -> set[tuple[str, ...]]:
        """Its words in any order, and its words but for one of them."""
        words = tool.name_tokens
        but_one = {(str(at), *words[:at], "*", *words[at + 1 :]) for at in range(len(words))}
        return {tuple(sorted(words)), *but_one}

    for first, second in pairs_with_a_key(compared, keys_of):
        if abs(len(first.name) - len(second.name)) <= 2:
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


@set_rule("TD507", "warning", needs=("servers",), fix="suggested", sources=("ANT-def", "MCP"))
def missing_namespace(tools: SetFeatures) -> SetFindings:
    """Tools of several servers, and a bare name such as `search`.

    `search` of which server? A prefix by service (`jira_search`) tells the model and readers, and avoids name
    clashes when servers are combined.

    Fails: [{"server": "weather"}, {"server": "network", "name": "find"}]
    Passes: [{"server": "weather"}, {"server": "network", "name": "find_stations"}]
    """
    for tool in tools.tools:
        server = name_tokens(tool.source.server)
        if not server or set(server) & set(tool.name_tokens) or not tool.name_tokens:
            continue
        first, *rest = tool.name_tokens
        if first in EFFECTS and all(token in GENERIC_NAME_TOKENS for token in rest):
            better = f"{server[0]}_{tool.name}"
            yield Finding(
                ("name",),
                f"'{tool.name}' could belong to any of {len(tools.servers)} servers",
                f"add a prefix: {better}",
                edits=(Edit(("name",), better),),
            ).of(tool)
