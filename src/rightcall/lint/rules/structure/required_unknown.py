"""A required name that no property has."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.core.errors import suggestion
from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.nodes import Node
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_ELSEWHERE = frozenset(("$ref", "allOf", "anyOf", "oneOf", "patternProperties", "$dynamicRef"))
_COMBINATORS = ("allOf", "anyOf", "oneOf", "if", "then", "else", "not", "dependentSchemas")


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for node in tool.nodes:
        required = node.schema.get("required")
        if not isinstance(required, list) or not required or not _ELSEWHERE.isdisjoint(node.schema):
            continue
        declared = _declared_names(node)
        for index, name in enumerate(required):
            if isinstance(name, str) and declared is not None and name not in declared:
                hint = suggestion(name, declared) or "declare it under properties or remove it from required"
                yield Finding(
                    (*node.path, "required", index),
                    f"'{name}' is required but no property has that name",
                    hint,
                )


def _declared_names(node: Node) -> set[str] | None:
    """Names declared at this level, also by the schema that this one is a variant of; None if unknowable."""
    names: set[str] = set()
    here: Node | None = node
    while here is not None:
        properties = here.schema.get("properties")
        names |= set(properties) if isinstance(properties, dict) else set()
        if "$ref" in here.schema:
            return None
        if here.part not in _COMBINATORS:
            return names if names or here.part in ("", "properties", "items") else None
        here = here.parent
    return names


RULE = Rule(
    code="TD003",
    name="required-unknown",
    severity="error",
    summary="A name in `required` is not among the properties of the same object.",
    explanation="""The model must give an argument that it knows nothing about. Usually one of the two names is
    misspelt or was renamed. Strict modes reject such a schema.""",
    bad={"input_schema": {"required": ["city", "dayz"]}},
    good={"input_schema": {"required": ["city", "days"]}},
    sources=("OAI-so", "JSON"),
    check=check,
)
