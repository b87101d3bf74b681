"""`required` that names what is not there, or stands where it does not belong."""

from __future__ import annotations

from rightcall.core.errors import suggestion
from rightcall.lint.features.nodes import Node
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import REMOVED, Edit, Finding, Findings, tool_rule

_ELSEWHERE = frozenset(("$ref", "allOf", "anyOf", "oneOf", "patternProperties", "$dynamicRef"))
_COMBINATORS = ("allOf", "anyOf", "oneOf", "if", "then", "else", "not", "dependentSchemas")

_REQUIRED_HINT = "list the names of required properties in `required` of the object that contains them"


@tool_rule("TD003", "error", sources=("OAI-so", "JSON"))
def required_unknown(tool: ToolFeatures) -> Findings:
    """A name in `required` is not among the properties of the same object.

    The model must give an argument that it knows nothing about. Usually one of the two names is misspelt or
    was renamed. Strict modes reject such a schema.

    Fails: {"input_schema": {"required": ["city", "dayz"]}}
    Passes: {"input_schema": {"required": ["city", "days"]}}
    """
    for node in tool.nodes:
        required = node.schema.get("required")
        if not isinstance(required, list) or not required or not _ELSEWHERE.isdisjoint(node.schema):
            continue
        declared = _names_of_properties(node)
        for index, name in enumerate(required):
            if isinstance(name, str) and declared is not None and name not in declared:
                hint = suggestion(name, declared) or "declare it under properties or remove it from required"
                yield Finding(
                    (*node.path, "required", index),
                    f"'{name}' is required but no property has that name",
                    hint,
                )


def _names_of_properties(node: Node) -> set[str] | None:
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


@tool_rule("TD004", "error", fix="safe", sources=("JSON",))
def required_misplaced(tool: ToolFeatures) -> Findings:
    """`required` is a boolean, not a list, or names something twice.

    `required` belongs to the object and lists names (it was a boolean on the property only in draft 3).
    Providers reject a boolean or silently treat nothing as required.

    Fails: {"input_schema": {"properties": {"city": {"required": true}}}}
    Passes: {"input_schema": {"required": ["city", "days"]}}
    """
    for node in tool.nodes:
        if "required" not in node.schema:
            continue
        required = node.schema["required"]
        path = (*node.path, "required")
        if isinstance(required, bool):
            yield Finding(
                path,
                f'"required": {str(required).lower()} has no meaning here',
                _REQUIRED_HINT,
                edits=_hoist_required(node, required),
                safe=True,
            )
        elif not isinstance(required, list):
            yield Finding(
                path, f"required must be a list of names, got {type(required).__name__}", _REQUIRED_HINT
            )
        elif any(not isinstance(name, str) for name in required):
            yield Finding(path, "required contains something that is not a name", _REQUIRED_HINT)
        elif len(set(required)) < len(required):
            unique = list(dict.fromkeys(required))
            yield Finding(
                path,
                "required names a property twice",
                "name each once",
                edits=(Edit(path, unique),),
                safe=True,
            )


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
