"""Texts of parameters and of their values."""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

from rightcall.core.text import names_and_more
from rightcall.core.words import name_tokens, word_set, words
from rightcall.lint.features.mentions import OPPOSITES, SIDES, UNITS
from rightcall.lint.features.schemas import Node
from rightcall.lint.features.text import parameters_in_docstring
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Finding, Findings, Severity, tool_rule
from rightcall.schema.subschemas import properties_of


@tool_rule("TD301", "warning", sources=("OAI-fc", "SM1"))
def param_no_description(tool: ToolFeatures) -> Findings:
    """A property, at any depth, has no description.

    Type and name do not say whether `date` is 2026-03-04 or “next Tuesday”, nor where an id comes from. The
    model fills the gap with a guess. An info for an object whose own fields are all described.

    Fails: {"input_schema": {"properties": {"city": {"description": null}}}}
    """
    bare = [
        node for node in tool.properties if not node.text.strip() and not _is_explained_elsewhere(tool, node)
    ]
    if not bare:
        return
    in_text = parameters_in_docstring(tool.description)[0]
    inner: dict[Node, list[Node]] = {}
    for node in bare:
        if node.depth > 1 or node.parent is None or node.parent.parent is not None:
            inner.setdefault(_top(node), []).append(node)
        elif node.name not in in_text:  # docstring-leak says it better
            fields = properties_of(node.schema).values()
            is_explained = fields and all(
                isinstance(field, dict) and field.get("description") for field in fields
            )
            severity: Severity | None = "info" if is_explained else None
            yield Finding(
                node.path, f"'{node.name}' has no description", _DESCRIPTION_HINT, severity=severity
            )
    for top, nodes in inner.items():
        names = list(dict.fromkeys(f"'{node.name}'" for node in nodes))
        listed = names_and_more(names, MOST_LISTED)
        where = f"'{top.name}'" if top.name else str(top.path[-1])
        verb = "has" if len(names) == 1 else "have"
        yield Finding(nodes[0].path, f"in {where}, {listed} {verb} no description", _DESCRIPTION_HINT)


MOST_LISTED = 5
"""Fields without a description that one message names."""


_DESCRIPTION_HINT = "say what it is, its form, and where it comes from"


def _top(node: Node) -> Node:
    """The parameter, or the definition, that the node is a part of."""
    while node.parent is not None and node.parent.parent is not None:
        node = node.parent
    return node


def _is_explained_elsewhere(tool: ToolFeatures, node: Node) -> bool:
    """Does a variant, a reference or a constant say what the property is, or that it must be absent?"""
    schema = node.schema
    if "const" in schema or schema.get("not") == {}:
        return True
    items = schema.get("items")
    if isinstance(items, dict) and items.get("description"):
        return True
    reference = schema.get("$ref")
    if isinstance(reference, str):
        target = tool.resolve(reference)
        return not isinstance(target, dict) or bool(target.get("description"))
    for key in ("anyOf", "oneOf", "allOf"):
        variants = schema.get(key)
        if isinstance(variants, list):
            return any(
                isinstance(variant, dict) and (variant.get("description") or "$ref" in variant)
                for variant in variants
            )
    return any(part in ("not", "if") for part in node.path)


MOST_EXPLAINED = 12
"""Longer lists are catalogues (languages, countries), whose entries nobody explains one by one."""

_IDENTIFIER = re.compile(
    r"[A-Za-z0-9]_[A-Za-z0-9]|[a-z][A-Z]|[A-Za-z]\d|^[A-Za-z]{1,2}$|^[^aeiouyAEIOUY\W\d]{3,}$"
)
"""Names out of a program (`admin_action`, `needsAction`) and codes (`P1`, `X`, `std`): words such as `cheap` explain
themselves."""
_STANDARD = word_set(
    "lang language languages locale currency country format formats mime encoding unit units algorithm"
)
"""Parameters whose values are codes that everybody knows."""
_PLAIN = UNITS | frozenset(chain.from_iterable((*OPPOSITES, *SIDES)))


@tool_rule("TD322", "info", sources=("OAI-fc", "SM1"))
def unexplained_enum(tool: ToolFeatures) -> Findings:
    """No text says what the values of an enum mean.

    An enum tells a model which values exist, not when to use which: `admin_action` or `security_incident`?
    One clause each is enough. Plain words, standard codes (languages, units, formats) and lists of more than
    12 values are not reported.

    Fails: {"input_schema": {"properties": {"reason": {
      "type": "string",
      "enum": ["user_request", "admin_action", "expiry_run"],
      "description": "Why the forecast is asked for."
    }}}}
    Passes: {"input_schema": {"properties": {"reason": {
      "type": "string",
      "enum": ["user_request", "admin_action", "expiry_run"],
      "description": "Why the forecast is asked for: user_request when the user asked, admin_action when an operator did, expiry_run when the last one is out of date."
    }}}}
    """
    for node in tool.properties:
        values = node.schema.get("enum")
        if not isinstance(values, list) or not 2 <= len(values) <= MOST_EXPLAINED:
            continue
        if not _STANDARD.isdisjoint(name_tokens(node.name)):
            continue
        unclear = [
            value
            for value in values
            if isinstance(value, str)
            and _IDENTIFIER.search(value)
            and not _PLAIN.issuperset(words(value.replace("_", " ")))
        ]
        if len(unclear) < 2 or len(unclear) * 2 < len(values) or node.schema.get("enumDescriptions"):
            continue
        text = f"{node.text} {tool.description}".lower()
        if not any(_mentions(text, value) for value in unclear):
            shown = ", ".join(unclear[:3])
            yield Finding(
                (*node.path, "enum"),
                f"no text says what the values of '{node.name}' mean: {shown}{' …' if len(unclear) > 3 else ''}",
                "say in the description when to use each",
            )


def _mentions(text: str, value: Any) -> bool:
    """Whether a text uses the value, as written or with spaces."""
    spaced = re.sub(r"[_\-]+", "[ _-]", re.escape(value.lower()).replace(r"\-", "-"))
    return re.search(rf"(?<!\w){spaced}(?!\w)", text) is not None
