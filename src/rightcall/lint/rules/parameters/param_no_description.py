"""A parameter without a description."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.features.nodes import Node
from rightcall.lint.features.text import excerpt, parameters_in_docstring
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Finding, Rule, Severity


def check(tool: ToolFeatures) -> Iterator[Finding]:
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
            severity: Severity | None = "info" if _wraps(node) else None
            yield Finding(node.path, f"'{node.name}' has no description", _HINT, severity=severity)
    for top, nodes in inner.items():
        names = ", ".join(dict.fromkeys(node.name for node in nodes))
        where = f"'{top.name}'" if top.name else str(top.path[-1])
        verb = "has" if len(nodes) == 1 else "have"
        yield Finding(nodes[0].path, f"inside {where}, {excerpt(names, 60)} {verb} no description", _HINT)


def _wraps(node: Node) -> bool:
    """Whether an object's own fields are all described, so that it needs no description itself."""
    fields = node.schema.get("properties")
    return (
        isinstance(fields, dict)
        and bool(fields)
        and all(isinstance(field, dict) and bool(field.get("description")) for field in fields.values())
    )


_HINT = "say what it is, its form, and where it comes from"


def _top(node: Node) -> Node:
    """The parameter, or the definition, that the node is a part of."""
    while node.parent is not None and node.parent.parent is not None:
        node = node.parent
    return node


def _is_explained_elsewhere(tool: ToolFeatures, node: Node) -> bool:
    """Does a variant, a reference or a constant say what the property is?"""
    schema = node.schema
    if "const" in schema:
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


RULE = Rule(
    code="TD301",
    name="param-no-description",
    severity="warning",
    summary="A property, at any depth, has no description.",
    explanation="""Type and name do not say whether `date` is 2026-03-04 or “next Tuesday”, nor where an id comes
    from. The model fills the gap with a guess. An info for an object whose own fields are all
    described.""",
    bad={"input_schema": {"properties": {"city": {"description": None}}}},
    good={},
    sources=("OAI-fc", "SM1"),
    check=check,
)
