"""Tools that resemble each other: twins, and the dangerous one beside another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rightcall.core.words import name_tokens, stem, word_set, words as text_words
from rightcall.model.tool import Tool
from rightcall.wings.generate.actions import action_of, name_action, stems
from rightcall.wings.generate.needed_parameters import effect, required_parameters

_MOST_SHARED = 0.5
_EMPTY = word_set(
    "a an the this that these those it its their your our my is are be was will can of given specific specified"
)
"""Words that make no difference between two tools."""


def twin_names(tools: Iterable[Tool]) -> set[str]:
    """Tools whose texts differ at most in articles, endings and order from another's, or names with the same needs."""
    by_text: dict[tuple[object, ...], set[str]] = {}
    for tool in tools:
        told = tuple(stem(word) for word in text_words(tool.description) if word not in _EMPTY)
        named = frozenset(stem(token) for token in name_tokens(tool.name))
        by_name = (
            "name",
            named,
            frozenset(required_parameters(tool)),
        )  # `get_run` needs more than `get_runs`
        for key in (("text", *told), by_name) if len(told) > 1 else (by_name,):
            by_text.setdefault(key, set()).add(tool.name)
    return {name for names in by_text.values() if len(names) > 1 for name in names}


def dangerous_neighbour(tool: Tool, tools: Sequence[Tool]) -> Tool | None:
    """The tool with an effect that shares the most words with this one, unless it could serve the same request."""
    own = _word_set(tool)

    def overlap(other: Tool) -> float:
        return len(own & _word_set(other)) / max(1, len(own | _word_set(other)))

    others = [other for other in tools if other.name != tool.name and effect(other).is_write]
    best = max(others, key=overlap, default=None)
    return best if best is not None and 0 < overlap(best) <= _MOST_SHARED else None


def _word_set(tool: Tool) -> set[str]:
    return stems(f"{name_action(tool.name)} {action_of(tool)}")
