"""Texts that say what the schema does not."""

from __future__ import annotations

import re

from rightcall.core.words import word_set
from rightcall.lint.features.mentions import INTRODUCTIONS, alternatives_in
from rightcall.lint.features.nodes import Node
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Edit, Finding, Findings, tool_rule

_NOTHING = word_set("none null nil empty omitted nothing undefined unset")
"""Words for no value: “'json' or omitted” leaves one value, which is no choice."""


@tool_rule("TD304", "warning", marks=INTRODUCTIONS, fix="suggested", sources=("OAI-fc", "GEM"))
def enumable(tool: ToolFeatures) -> Findings:
    """The text lists the allowed values, but there is no `enum`, or one that rejects them.

    With an enum a provider can enforce the values, validators catch the rest, and the model stops inventing
    neighbours (“ascending” for “asc”). The fix takes the values from the text.

    Fails: {"input_schema": {"properties": {"order": {
      "type": "string", "description": "Order of entries, one of 'asc' or 'desc'."
    }}}}
    Passes: {"input_schema": {"properties": {"order": {
      "type": "string", "description": "Order of the entries by day.", "enum": ["asc", "desc"]
    }}}}
    """
    for node in tool.properties:
        if node.schema.get("type") not in ("string", "str") or not node.text:
            continue
        if "const" in node.schema or "pattern" in node.schema:
            continue
        values = alternatives_in(node.text)
        if not tool.parameter_names.isdisjoint(values):
            continue  # “either text or regex” speaks of parameters
        if len([value for value in values if value.lower() not in _NOTHING]) < 2:
            continue
        if "enum" in node.schema:
            yield from _rejected_values(node, values)
        elif not isinstance(default := node.schema.get("default"), str) or default in values:
            yield Finding(
                node.path,
                f"the text of '{node.name}' lists its values: {', '.join(values[:6])}",
                'put them into "enum"',
                edits=(Edit((*node.path, "enum"), values),),
            )


def _rejected_values(node: Node, values: list[str]) -> Findings:
    """Values that the text offers and the enum rejects; how they are spelled is left to the enum."""
    options = node.schema["enum"]
    allowed = {_letters(str(option)) for option in options} if isinstance(options, list) else set()
    rejected = [value for value in values if not _letters(value).startswith((*allowed, *_NOTHING))]
    if allowed and len(rejected) == len(values):
        yield Finding(
            node.path,
            f"the text of '{node.name}' offers {', '.join(rejected[:6])}, which the enum rejects",
            "make the two agree",
        )


def _letters(value: str) -> str:
    return re.sub(r"[\W_]", "", value.casefold())


_OPTIONAL = re.compile(
    r"^\W*optional\b|\(optional\)|, optional\.?$|\bthis (?:parameter |field |argument )?is optional\b", re.I
)
_REQUIRED = re.compile(
    r"^\W*(?:required|mandatory)[\s.:,;)-]|\((?:required|mandatory)\)|\bthis (?:parameter |field |argument )?"
    r"is (?:required|mandatory)(?:\.|$)",
    re.I,
)
_KEYS = re.compile(r"\n\s*(?:[-*•]|\d+[.)])\s")
_CONDITION_BEFORE = re.compile(r"\b(?:if|when|unless)\b[^.;\n]*$", re.I)
_CONDITION_AFTER = re.compile(
    r"[\s,]*(?:if|when|whenever|unless|for|with|by|in|on|only|to|where|depending|as|but|except)\b", re.I
)


@tool_rule("TD314", "warning", marks=("optional", "required", "mandatory"), fix="suggested", sources=("SM2",))
def required_vs_prose(tool: ToolFeatures) -> Findings:
    """The text says optional and the schema required, or the other way round.

    The model follows one, the validator the other. When the text is right, an optional value is invented to
    satisfy the schema.

    Fails: {"input_schema": {"properties": {"days": {"description": "Optional. How many days ahead, counted from tomorrow."}}}}
    """
    for node in tool.properties:
        if node.required and _says(_OPTIONAL, node) and node.parent is not None:
            names = [name for name in node.parent.schema["required"] if name != node.name]
            yield Finding(
                node.path,
                f"'{node.name}' is required, its text says optional",
                "make the two agree",
                edits=(Edit((*node.parent.path, "required"), names),),
            )
        elif not node.required and _says(_REQUIRED, node) and "default" not in node.schema:
            yield Finding(
                node.path,
                f"'{node.name}' is not required, its text says it is",
                "make the two agree",
                edits=_require_parameter(node),
            )


def _says(pattern: re.Pattern[str], node: Node) -> bool:
    """Does the text say it of the parameter itself, and without a condition? A list in it is about its keys."""
    text = _KEYS.split(node.text, maxsplit=1)[0]
    match = pattern.search(text)
    if match is not None and match.start() and node.schema.get("type") in ("array", "object"):
        return False  # “each should have a name (required)”
    return (
        match is not None
        and not _CONDITION_BEFORE.search(text[: match.start()])
        and not _CONDITION_AFTER.match(text, match.end())
    )


def _require_parameter(node: Node) -> tuple[Edit, ...]:
    if node.parent is None:
        return ()
    listed = node.parent.schema.get("required", [])
    return (Edit((*node.parent.path, "required"), [*listed, node.name]),) if isinstance(listed, list) else ()
