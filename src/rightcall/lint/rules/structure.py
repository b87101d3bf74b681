"""Schemas that are invalid, and values and bounds that contradict their schema; inline ignores."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Any

from rightcall.core.declared_values import value_problem
from rightcall.core.errors import suggestion
from rightcall.files.documents import JsonPath, at_pointer, pointer
from rightcall.lint.features.schemas import Node, fits, meta_errors
from rightcall.lint.features.text import excerpt
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.known_findings import Ignore, ignores_of
from rightcall.lint.rule import REMOVED, Edit, Finding, Findings, all_rules, tool_rule
from rightcall.records.tool import IdempotencyKind
from rightcall.schema.effects import Declared
from rightcall.schema.types import JSON_TYPES, is_number, json_type, without

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


_BOUNDS = (
    ("minimum", "maximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
)
_KEYS = frozenset(("enum", "const", "default", "examples", *chain.from_iterable(_BOUNDS)))


@tool_rule("TD005", "error", fix="suggested", sources=("measured", "JSON"))
def unsatisfiable(tool: ToolFeatures) -> Findings:
    """No value is valid for the schema, or its default or example is not.

    An empty enum, bounds the wrong way round, a const outside the enum, values of another type, a default or
    example that the schema itself rejects: the model copies what it sees and the call is rejected. A null
    default where null is not allowed usually only means "not given" and is reported as info.

    Fails: {"input_schema": {"properties": {"max_entries": {
      "type": "integer", "default": "7", "description": "Most entries in the answer."
    }}}}
    Passes: {"input_schema": {"properties": {"max_entries": {
      "type": "integer", "default": 7, "description": "Most entries in the answer."
    }}}}
    """
    for node in tool.nodes:
        if not _KEYS.isdisjoint(node.schema):
            yield from _bounds(node)
            yield from _enum(node)
            yield from _default(node)


def _bounds(node: Node) -> Findings:
    for low, high in _BOUNDS:
        least: Any = node.schema.get(low)
        most: Any = node.schema.get(high)
        if is_number(least) and is_number(most) and (least > most or (low[0] == "e" and least >= most)):
            yield Finding(
                (*node.path, low), f"{low} {least} is above {high} {most}: no value is valid", "swap them?"
            )


def _enum(node: Node) -> Findings:
    options = node.schema.get("enum")
    if not isinstance(options, list):
        return
    if not options:
        yield Finding(
            (*node.path, "enum"), "the enum is empty: no value is valid", "list the values or drop enum"
        )
        return
    if "const" in node.schema and node.schema["const"] not in options:
        yield Finding(
            (*node.path, "const"), "const is not one of the enum: no value is valid", "keep one of the two"
        )
    kind = node.schema.get("type")
    if not isinstance(kind, str) or not json_type(kind):
        return
    wrong = [option for option in options if not fits(option, {"type": kind}) and option is not None]
    if wrong:
        values = ", ".join(repr(option) for option in wrong[:3])
        yield Finding(
            (*node.path, "enum"),
            f"enum contains {values}, which is not of type {kind}",
            "make type and values agree",
        )


def _default(node: Node) -> Findings:
    schema = node.schema
    for key, values in (("default", [schema.get("default")]), ("examples", schema.get("examples"))):
        if key not in schema or not isinstance(values, list):
            continue
        for value in values:
            if fits(value, without(schema, ["default", "examples"])):
                continue
            path = (*node.path, key)
            if value is None:
                yield Finding(
                    path,
                    f"the {key} is null, which the schema does not allow",
                    "leave the default out, or allow null",
                    severity="info",
                )
                continue
            right = _value_of_text(value, schema)
            edits = (Edit(path, right),) if right is not None and key == "default" else ()
            hint = f"did you mean {right!r}?" if edits else "make it a value that the schema allows"
            yield Finding(path, f"the {key} {value!r} is invalid for its own schema", hint, edits=edits)


def _value_of_text(value: Any, schema: dict[str, Any]) -> Any:
    """The text of a value as the value itself: "false" for a boolean, "10" for a number."""
    kind = json_type(schema["type"]) if isinstance(schema.get("type"), str) else None
    right: Any = None
    if isinstance(value, str) and kind == "boolean":
        right = {"true": True, "false": False}.get(value.strip().lower())
    elif isinstance(value, str) and kind in ("integer", "number"):
        try:
            right = int(value) if kind == "integer" else float(value)
        except ValueError:
            return None
    elif kind == "string" and is_number(value):
        right = str(value)
    rest = without(schema, ["default", "examples"])
    return right if right is not None and fits(right, rest) else None


KEYS: dict[str, Any] = {"ignore": Any, "effect": Declared, "idempotency": IdempotencyKind}
"""What a definition may say under `x-rightcall`."""


@tool_rule("TD008", "warning", sources=("practice",))
def unexplained_ignore(tool: ToolFeatures) -> Findings:
    """An inline ignore gives no reason or names no rule, and so has no effect.

    Later readers of the definition need to know why the advice was not taken. An ignore without a reason has
    no effect. Neither has one for an unknown rule, although its author believes it works. A key or a value that is
    misspelt under `x-rightcall` is an error: what it declares, such as how repeats are removed, does not hold.

    Fails: {"x-rightcall": {"ignore": {"TD301": ""}}}
    Passes: {"x-rightcall": {"ignore": {"TD301": "the parameters are documented in the system prompt"}}}
    """
    yield from _unknown_keys(tool.source.extension, ("x-rightcall",))
    for node in tool.nodes:
        yield from _unknown_keys(node.schema.get("x-rightcall"), (*node.path, "x-rightcall"))
    for ignore in ignores_of(tool):
        for problem, hint in _problems(ignore):
            yield Finding((*ignore.path, "x-rightcall"), problem, hint)


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
            hint = suggestion(str(key), KEYS) or f"known keys: {', '.join(KEYS)}"
            yield Finding((*path, key), problem, hint, severity="error")
        elif problem := value_problem(KEYS[key], extension[key]):
            yield Finding((*path, key), f"{key} under x-rightcall {problem}", severity="error")


@cache
def _rule_words() -> tuple[str, ...]:
    return tuple(chain.from_iterable((rule.code, rule.name) for rule in all_rules()))


_REASON_HINT = (
    'say why: {"ignore": {"TD301": "documented in the system prompt"}}; until then it has no effect'
)
