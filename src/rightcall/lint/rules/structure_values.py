"""Values and bounds that contradict their schema; inline ignores."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Any

from rightcall.core.declared_values import value_problem
from rightcall.core.errors import suggestion
from rightcall.files.documents import JsonPath
from rightcall.lint.features.schemas import Node, fits
from rightcall.lint.features.text import excerpt
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.known_findings import Ignore, ignores_of
from rightcall.lint.rule import Edit, Finding, Findings, all_rules, tool_rule
from rightcall.records.tool import IdempotencyKind
from rightcall.schema.effects import Declared
from rightcall.schema.types import is_number, json_type, without

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
