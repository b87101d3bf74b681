"""Inline ignores."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from rightcall.core.errors import suggestion
from rightcall.files.documents import JsonPath
from rightcall.lint.features.text import excerpt
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.known_findings import Ignore, comment_ignores, ignores_of
from rightcall.lint.rule import Finding, Findings, all_rules, tool_rule

KEYS = ("ignore", "effect", "idempotency")
"""What a definition may say under `x-rightcall`."""


@tool_rule("TD008", "warning", sources=("practice",))
def unexplained_ignore(tool: ToolFeatures) -> Findings:
    """An inline ignore gives no reason or names no rule, and so has no effect.

    Later readers of the definition need to know why the advice was not taken. An ignore without a reason has
    no effect. Neither has one for an unknown rule or under a misspelt key, although its author believes it
    works.

    Fails: {"x-rightcall": {"ignore": {"TD301": ""}}}
    Passes: {"x-rightcall": {"ignore": {"TD301": "the parameters are documented in the system prompt"}}}
    """
    yield from _unknown_keys(tool.source.extension, ("x-rightcall",))
    for node in tool.nodes:
        yield from _unknown_keys(node.schema.get("x-rightcall"), (*node.path, "x-rightcall"))
    for ignore in ignores_of(tool):
        for problem, hint in _problems(ignore):
            yield Finding((*ignore.path, "x-rightcall"), problem, hint)
    document = tool.source.document
    if document is not None and document.kind == "yaml" and tool.source.base in ((0,), ("tools", 0), ()):
        for ignore in comment_ignores(document):
            for problem, hint in _problems(ignore):
                yield Finding((), f"line {ignore.line}: {problem}", hint)


def _problems(ignore: Ignore) -> Iterator[tuple[str, str]]:
    word = excerpt(ignore.rule, 40)
    if ignore.rule.upper() not in _rule_words() and ignore.rule.lower() not in _rule_words():
        near = suggestion(ignore.rule, _rule_words())
        yield f"unknown rule '{word}', so ignoring it has no effect", near or "see `rightcall list rules`"
    elif not ignore.reason:
        yield f"{word} is ignored without a reason", _REASON_HINT


def _unknown_keys(extension: Any, path: JsonPath) -> Findings:
    for key in extension if isinstance(extension, dict) else ():
        if key not in KEYS:
            problem = f"'{excerpt(str(key), 40)}' is unknown under x-rightcall"
            yield Finding(
                (*path, key), problem, suggestion(str(key), KEYS) or f"known keys: {', '.join(KEYS)}"
            )


@cache
def _rule_words() -> tuple[str, ...]:
    return tuple(name for rule in all_rules() for name in (rule.code, rule.name))


_REASON_HINT = (
    'say why: {"ignore": {"TD301": "documented in the system prompt"}}; until then it has no effect'
)
