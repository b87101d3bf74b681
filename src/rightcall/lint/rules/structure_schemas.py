"""Schemas that are invalid or are no schema of arguments, and `required` that names what is not there."""

from __future__ import annotations

from rightcall.core.errors import suggestion
from rightcall.files.documents import at_pointer, pointer
from rightcall.lint.features.schemas import Node, meta_errors
from rightcall.lint.features.text import excerpt
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.rule import REMOVED, Edit, Finding, Findings, tool_rule
from rightcall.schema.types import JSON_TYPES, json_type

_SAYS_NOTHING = frozenset(("$schema", "$id", "title", "description", "additionalProperties"))


@tool_rule("TD001", "error", sources=("MCP", "JSON"))
def invalid_schema(tool: ToolFeatures) -> Findings:
    """The input schema violates the meta-schema of its dialect.

    Providers validate the schema before the model sees it and reject the whole request if it is not JSON
    Schema. The dialect is the one `$schema` names, 2020-12 when it names none.

    Fails: {"input_schema": {"properties": {"city": {"type": "strng"}}}}
    Passes: {"input_schema": {"properties": {"city": {"type": "string"}}}}
    """
    # Several vocabularies of the meta-schema say the same of one place.
    for path, message in dict.fromkeys(meta_errors(tool.schema)) if tool.schema else ():
        last = path[-1] if path else ""
        value = at_pointer(tool.schema, pointer(path))
        if last == "enum" and not value:
            continue  # an empty enum is legal JSON and unsatisfiable
        hint = "see the JSON Schema dialect that $schema names; 2020-12 when it names none"
        if last == "type":
            names = value if isinstance(value, list) else [value]
            if all(isinstance(name, str) and json_type(name) is not None for name in names):
                continue  # foreign-type says it better
            hint = suggestion(str(value), JSON_TYPES) or f"the types are {', '.join(sorted(JSON_TYPES))}"
        yield Finding((*INPUT, *path), f"not valid JSON Schema: {excerpt(message, 120)}", hint)


@tool_rule("TD002", "error", fix="safe", sources=("ANT-sdk", "BED", "MCP", "measured"))
def root_not_object(tool: ToolFeatures) -> Findings:
    """The root of the input schema is not `"type": "object"`.

    Arguments of a call are a JSON object, and every provider requires the root to say so. A schema that was
    generated wrongly and contains only `$schema` shows the model a tool without parameters: it then calls it
    with nothing, or with names it made up.

    Fails: {"input_schema": {"type": null}}
    Passes: {"input_schema": {"type": "object"}}
    """
    schema = tool.source.input_schema
    if schema is None:
        if tool.source.spelling in ("anthropic", "mcp", "bedrock"):
            yield Finding(INPUT, "the tool has no input schema", 'write {"type": "object", "properties": {}}')
        return
    if not isinstance(schema, dict):
        yield Finding(
            INPUT, "the input schema is not an object", 'write {"type": "object", "properties": {…}}'
        )
        return
    kind = schema.get("type")
    if kind == "object" or (isinstance(kind, str) and json_type(kind) == "object"):
        return
    if kind is None and isinstance(schema.get("properties"), dict):
        edit = Edit((*INPUT, "type"), "object")
        yield Finding(
            INPUT, 'the input schema has no "type"', 'add "type": "object"', edits=(edit,), safe=True
        )
    elif kind is None and _SAYS_NOTHING.issuperset(schema):
        problem = "the input schema is empty: a model sees no parameters"
        yield Finding(INPUT, problem, "declare them as properties")
    else:
        problem = f"the root is of type {kind!r}" if kind is not None else 'the input schema has no "type"'
        yield Finding(INPUT, problem, 'arguments are always an object: "type": "object" with properties')


@tool_rule("TD006", "error", fix="safe", sources=("JSON", "measured"))
def foreign_type(tool: ToolFeatures) -> Findings:
    """A `type` outside the seven JSON types: `dict`, `float`, `int`, `str`, `list`, `any`, …

    JSON Schema knows string, number, integer, boolean, object, array and null. Providers reject other names,
    and validators that accept them check nothing.

    Fails: {"input_schema": {"properties": {"days": {"type": "int"}}}}
    Passes: {"input_schema": {"properties": {"days": {"type": "integer"}}}}
    """
    for node in tool.nodes:
        kind = node.schema.get("type")
        path = (*node.path, "type")
        if isinstance(kind, str):
            # Gemini's own Schema spells the types STRING, OBJECT and so on.
            is_gemini = "gemini" in tool.targets and kind.isupper() and kind.lower() in JSON_TYPES
            right = json_type(kind) if kind not in JSON_TYPES else None
            if right is not None and not is_gemini:
                edit = Edit(path, right) if right else Edit(path, REMOVED)
                hint = (
                    f'write "{right}"' if right else "leave the type out, or name the types that are allowed"
                )
                yield Finding(path, f"'{kind}' is not a JSON type", hint, edits=(edit,), safe=True)
        elif isinstance(kind, list):
            named = [json_type(name) if isinstance(name, str) else None for name in kind]
            if all(named) and any(name not in JSON_TYPES for name in kind):
                edit = Edit(path, list(dict.fromkeys(named)))
                yield Finding(
                    path,
                    f"{kind} contains a type that JSON does not have",
                    f"write {named}",
                    edits=(edit,),
                    safe=True,
                )


@tool_rule("TD007", "error", sources=("MCP", "JSON"))
def dangling_ref(tool: ToolFeatures) -> Findings:
    """A local `$ref` does not resolve, or only leads back to itself.

    The model sees a parameter without a schema, and validators fail on every call. References are resolved
    inside the schema of the tool, not in the file around it.

    Fails: {"input_schema": {"properties": {"city": {"$ref": "#/$defs/Citty"}}, "$defs": {"City": {"type": "string"}}}}
    Passes: {"input_schema": {"properties": {"city": {"type": "string"}}}}
    """
    if '"$anchor"' in tool.text or '"$id"' in tool.text:
        return
    for node in tool.nodes:
        reference = node.schema.get("$ref")
        if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
            continue
        path = (*node.path, "$ref")
        if not isinstance(tool.resolve(reference), dict | bool):
            defined = tool.schema.get("$defs")
            pointers = [f"#/$defs/{name}" for name in (defined if isinstance(defined, dict) else ())]
            yield Finding(
                path,
                f"{reference} does not exist",
                suggestion(reference, pointers) or "define it under $defs",
            )
        elif _only_refers_to_itself(tool, reference):
            yield Finding(path, f"{reference} refers only to itself", "give it a schema")


def _only_refers_to_itself(tool: ToolFeatures, reference: str) -> bool:
    seen = {reference}
    here = tool.resolve(reference)
    while isinstance(here, dict) and isinstance(here.get("$ref"), str):
        if here["$ref"] in seen:
            return True
        seen.add(here["$ref"])
        here = tool.resolve(here["$ref"])
    return False


_ELSEWHERE = frozenset(("$ref", "allOf", "anyOf", "oneOf", "patternProperties", "$dynamicRef"))
_COMBINATORS = ("allOf", "anyOf", "oneOf", "if", "then", "else", "not", "dependentSchemas")


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
