"""`required` where JSON Schema does not have it, or not as a list of names."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import REMOVED, Edit, Finding
from rightcall.lint.features.nodes import Node
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for node in tool.nodes:
        if "required" not in node.schema:
            continue
        required = node.schema["required"]
        path = (*node.path, "required")
        if isinstance(required, bool):
            yield Finding(
                path,
                f'"required": {str(required).lower()} has no meaning here',
                _HINT,
                edits=_hoist_required(node, required),
                safe=True,
            )
        elif not isinstance(required, list):
            yield Finding(path, f"required must be a list of names, got {type(required).__name__}", _HINT)
        elif any(not isinstance(name, str) for name in required):
            yield Finding(path, "required contains something that is not a name", _HINT)
        elif len(set(required)) < len(required):
            unique = list(dict.fromkeys(required))
            yield Finding(
                path,
                "required names a property twice",
                "name each once",
                edits=(Edit(path, unique),),
                safe=True,
            )


_HINT = "list the names of required properties in `required` of the object that contains them"


def _hoist_required(node: Node, required: bool) -> tuple[Edit, ...]:
    """Take the boolean away and, when it was true, put the name on the list of the object above."""
    removal = Edit((*node.path, "required"), REMOVED)
    if not required or not node.name or node.parent is None:
        return (removal,) if node.name else ()
    listed = node.parent.schema.get("required")
    names = listed if isinstance(listed, list) else []
    if node.name in names:
        return (removal,)
    if listed is not None and not isinstance(listed, list):
        return ()
    return removal, Edit((*node.parent.path, "required"), [*names, node.name])


RULE = Rule(
    code="TD004",
    name="required-misplaced",
    severity="error",
    summary="`required` is a boolean, not a list, or names something twice.",
    explanation="""`required` belongs to the object and lists names (it was a boolean on the property only in draft
    3). Providers reject a boolean or silently treat nothing as required.""",
    bad={"input_schema": {"properties": {"city": {"required": True}}}},
    good={"input_schema": {"required": ["city", "days"]}},
    sources=("JSON",),
    check=check,
    fix="safe",
)
