"""Keywords and references that mean different things to different providers."""

from __future__ import annotations

from typing import Any

from rightcall.core.groups import reachable
from rightcall.core.words import word_set
from rightcall.files.documents import JsonPath
from rightcall.lint.features.schemas import DEFAULT_DIALECT, Node, dialect_of, walk
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import REMOVED, Edit, Finding, Findings, tool_rule
from rightcall.schema.provider_limits import provider, targets_without
from rightcall.schema.subschemas import reference_of
from rightcall.schema.types import with_null, without

_DEFINED = word_set("""
    date-time time date duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri
    iri-reference uuid uri-template json-pointer relative-json-pointer regex int32 int64 float double byte binary
    password enum
    """)
"""What JSON Schema 2020-12, OpenAPI and Gemini define."""


@tool_rule("TD709", "warning", fix="safe", sources=("OAI-so", "ANT-sdk"))
def unsupported_format(tool: ToolFeatures) -> Findings:
    """A `format` that no standard defines, or that the strict mode of a target rejects.

    Validators ignore unknown formats; strict modes reject them. The fix moves the format into the
    description.

    Fails: {"input_schema": {"properties": {"city": {"format": "place-name"}}}}
    """
    for node in tool.nodes:
        named = node.schema.get("format")
        if not isinstance(named, str):
            continue
        refused = not all(provider(target).takes("format", named) for target in tool.targets)
        if named in _DEFINED and not refused:
            continue
        text = f"{node.text.rstrip()} Format: {named}.".strip()
        edits = (Edit((*node.path, "description"), text), Edit((*node.path, "format"), REMOVED))
        who = "strict mode rejects the format" if refused else "no standard defines the format"
        yield Finding(
            (*node.path, "format"),
            f"{who} '{named}'",
            "say the form in the description, or give a pattern",
            edits=edits,
            safe=True,
        )


@tool_rule(
    "TD711",
    "warning",
    fix="safe",
    sources=("MCP", "JSON"),
)
def legacy_dialect(tool: ToolFeatures) -> Findings:
    """`nullable`, boolean exclusive bounds, a list of `items`, or `definitions` under the current dialect.

    JSON Schema 2020-12, the default of MCP and of providers, ignores these keywords: the constraint is lost.
    A schema that names an older dialect in `$schema` may use its keywords.

    Fails: {"input_schema": {"properties": {"days": {"nullable": true}}}}
    Passes: {"input_schema": {"properties": {"days": {"type": ["integer", "null"]}}}}
    """
    current = dialect_of(tool.schema) == DEFAULT_DIALECT
    for node in tool.nodes:
        if isinstance(node.schema.get("nullable"), bool) and not tool.targets & {"gemini"}:
            rest = without(node.schema, ["nullable"])
            edits: tuple[Edit, ...] = (Edit(node.path, with_null(rest) if node.schema["nullable"] else rest),)
            safe = node.path not in tool.counted
            yield _finding((*node.path, "nullable"), "'nullable' is OpenAPI 3.0", edits, safe=safe)
        if not current:
            continue
        for bound, plain in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            if isinstance(node.schema.get(bound), bool):
                yield _finding(
                    (*node.path, bound), f"a boolean '{bound}' is draft 4", _bound(node, bound, plain)
                )
        if isinstance(node.schema.get("items"), list):
            edits = (
                Edit((*node.path, "prefixItems"), node.schema["items"]),
                Edit((*node.path, "items"), REMOVED),
            )
            yield _finding((*node.path, "items"), "a list of 'items' is draft 7", edits)
    if current and isinstance(tool.schema.get("definitions"), dict) and "$defs" not in tool.schema:
        rest = without(tool.schema, ["definitions"])
        definitions = tool.schema["definitions"]
        edit = Edit(("input_schema",), _with_defs({**rest, "$defs": definitions}))
        yield _finding(("input_schema", "definitions"), "'definitions' is draft 7", (edit,))


def _finding(path: JsonPath, message: str, edits: tuple[Edit, ...], *, safe: bool = True) -> Finding:
    return Finding(
        path,
        f"{message}: JSON Schema 2020-12 uses another keyword",
        "use the current keyword",
        edits=edits,
        safe=safe,
    )


def _bound(node: Node, bound: str, plain: str) -> tuple[Edit, ...]:
    if not node.schema[bound] or plain not in node.schema:
        return (Edit((*node.path, bound), REMOVED),)
    return Edit((*node.path, bound), node.schema[plain]), Edit((*node.path, plain), REMOVED)


def _with_defs(value: Any, depth: int = 0) -> Any:
    if depth > 200:
        return value
    if isinstance(value, list):
        return [_with_defs(part, depth + 1) for part in value]
    if isinstance(value, dict):
        return {
            key: inner.replace("#/definitions/", "#/$defs/", 1)
            if key == "$ref" and isinstance(inner, str)
            else _with_defs(inner, depth + 1)
            for key, inner in value.items()
        }
    return value


_ANNOTATIONS = word_set("description title default examples deprecated readOnly writeOnly $comment")
"""Keywords that validate nothing: next to them, a reference keeps its meaning."""


@tool_rule("TD707", "warning", fix="safe", targets=("openai",), sources=("OAI-sdk",))
def ref_siblings(tool: ToolFeatures) -> Findings:
    """For OpenAI: a `$ref` with sibling keywords.

    OpenAI's own SDK inlines such references before sending, because the API does not take them.

    Fails: {"input_schema": {
      "properties": {"city": {"type": null, "$ref": "#/$defs/City", "description": "City and country in English."}},
      "$defs": {"City": {"type": "string"}}
    }}
    """
    if not targets_without(tool.targets, "siblings of $ref"):
        return
    for node in tool.nodes:
        reference = node.schema.get("$ref")
        siblings = {
            key: value for key, value in node.schema.items() if key not in ("$ref", "$defs", "definitions")
        }
        if not isinstance(reference, str) or not siblings or node.parent is None:
            continue
        target = tool.resolve(reference)
        plain = isinstance(target, dict) and "$ref" not in str(target)
        edits = (Edit(node.path, {**target, **siblings}),) if plain else ()
        yield Finding(
            node.path,
            f"$ref with {', '.join(siblings)}: OpenAI requires it to be inlined",
            "inline the schema",
            edits=edits,
            safe=_ANNOTATIONS.issuperset(siblings),
        )


@tool_rule("TD708", "warning", beside=("TD713",), sources=("ANT-sdk",))
def recursive(tool: ToolFeatures) -> Findings:
    """A `$ref` leads back to a schema that contains it.

    Anthropic rejects recursion in strict mode; elsewhere it is allowed, but models lose count of the levels.

    Fails: {"input_schema": {
      "properties": {"area": {"$ref": "#/$defs/Area"}},
      "$defs": {"Area": {
        "type": "object",
        "description": "A region and the regions in it.",
        "properties": {"inside": {"$ref": "#/$defs/Area"}},
        "additionalProperties": false
      }}
    }}
    """
    leads: dict[str, set[str]] = {}
    for node in tool.nodes:
        reference = node.schema.get("$ref")
        if isinstance(reference, str) and reference not in leads:
            target = tool.resolve(reference)
            inside = walk(target, ()) if isinstance(target, dict) else ()
            leads[reference] = {inner for part in inside if (inner := reference_of(part.schema)) is not None}
    for node in tool.nodes:
        reference = node.schema.get("$ref")
        if isinstance(reference, str) and reference in reachable(
            leads[reference], lambda here: leads.get(here, ())
        ):
            refusing = targets_without(tool.targets, "recursion")
            who = (
                f"{', '.join(refusing)} {'rejects' if len(refusing) == 1 else 'reject'} that"
                if refusing
                else "some providers reject that, and models nest endlessly"
            )
            yield Finding(
                (*node.path, "$ref"),
                f"{reference} contains itself; {who}",
                "limit the depth: write the levels out",
                severity="error" if refusing else None,
            )
            return
