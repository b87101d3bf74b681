"""A text that contradicts `required`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.features.nodes import Node
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Edit, Finding, Rule

_OPTIONAL = re.compile(
    r"^\W*optional\b|\(optional\)|, optional\.?$|\bthis (?:parameter |field |argument )?is optional\b", re.I
)
_REQUIRED = re.compile(
    (
        r"^\W*(?:required|mandatory)[\s.:,;)-]|\((?:required|mandatory)\)|\bthis (?:parameter |field "
        r"|argument )?is (?:required|mandatory)(?:\.|$)"
    ),
    re.I,
)


_KEYS = re.compile(r"\n\s*(?:[-*•]|\d+[.)])\s")
_CONDITION_BEFORE = re.compile(r"\b(?:if|when|unless)\b[^.;\n]*$", re.I)
_CONDITION_AFTER = re.compile(
    r"[\s,]*(?:if|when|whenever|unless|for|with|by|in|on|only|to|where|depending|as|but|except)\b", re.I
)

_MARKS = ("optional", "required", "mandatory")


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if not tool.says_any(_MARKS):
        return
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


RULE = Rule(
    code="TD314",
    name="required-vs-prose",
    severity="warning",
    summary="The text says optional and the schema required, or the other way round.",
    explanation="""The model follows one, the validator the other. When the text is right, an optional value is
    invented to satisfy the schema.""",
    bad={
        "input_schema": {
            "properties": {"days": {"description": "Optional. How many days ahead, counted from tomorrow."}}
        }
    },
    good={},
    sources=("SM2",),
    check=check,
    fix="suggested",
)
