"""Tools for one provider: the definitions to send, what was lost, and what cannot be sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from rightcall.core.depth import is_too_deep
from rightcall.model.record import Record
from rightcall.model.tool import Tool
from rightcall.schema.definition import Definition, definition_of, distinct_names, further_fields
from rightcall.schema.expand import Needs, expand_schema
from rightcall.schema.gemini import gemini_schema
from rightcall.schema.join import one_object
from rightcall.schema.provider_limits import check_target, provider
from rightcall.schema.rewrite import TESTS, Change, Loss, Losses, rewrite_schema
from rightcall.schema.strict import anthropic_strict_schema, openai_strict_schema
from rightcall.schema.subschemas import DESCRIBED
from rightcall.schema.tidy import with_current_words, with_json_types

DEEPEST = 100

_NEEDS = {
    "anthropic": Needs(plain_root=True),
    "anthropic-strict": Needs(plain_root=True, no_all_of=True, lone_variants="objects"),
    "openai": Needs(lone_references=True),
    "openai-strict": Needs(plain_root=True, no_all_of=True, lone_references=True, lone_variants="all"),
    "gemini": Needs(no_all_of=True),
    "bedrock": Needs(),
}
_CHANGES: dict[str, Change] = {
    "openai-strict": openai_strict_schema,
    "anthropic-strict": anthropic_strict_schema,
    "gemini": gemini_schema,
}


class Converted(Record, frozen=True):
    """The definition to send and everything the target cannot express.

    `fields` are further fields in the target's format. `refused` is what the target will not accept in any
    form: the definition then cannot be sent.
    """

    name: str
    description: str
    input_schema: dict[str, Any]
    losses: tuple[Loss, ...] = ()
    refused: tuple[Loss, ...] = ()
    fields: dict[str, Any] = msgspec.field(default_factory=dict)


def convert_tools(tools: Sequence[Tool | Definition], target: str) -> list[Converted]:
    """Tools that are offered together, converted for a target, in order and with distinct names.

    Only what the target needs is changed: a schema it already accepts is returned unchanged. Raises `ConfigError`
    for an unknown target.
    """
    limited_as = check_target(target)
    facts = provider(limited_as)
    definitions = [definition_of(tool) if isinstance(tool, Tool) else tool for tool in tools]
    names = distinct_names([tool.name for tool in definitions], facts.name, facts.name_length, "_-")
    times = Counter(tool.name for tool in definitions)
    return [
        _convert_tool(tool, name, limited_as, target, times)
        for tool, name in zip(definitions, names, strict=True)
    ]


def _convert_tool(
    tool: Definition, name: str, target: str, request_format: str, times: Counter[str]
) -> Converted:
    losses = Losses()
    if name != tool.name:
        losses.add((), "name", f"'{tool.name}' written as '{name}'")
    if times[tool.name] > 1:
        losses.refuse(
            (), "name", f"{times[tool.name]} tools are called '{tool.name}'; give each its own name"
        )
    schema = tool.input_schema
    if not isinstance(schema, dict):
        if schema is not None:
            losses.refuse((), "schema", "must be an object")
        schema = {"type": "object", "properties": {}}
    schema = _schema_for(_without_extension(schema), target, losses)
    fields = further_fields(tool, target, request_format, losses)
    if isinstance(fields.get("response"), dict):
        fields["response"] = _schema_for(_without_extension(fields["response"]), target, losses)
    return Converted(name, tool.description, schema, tuple(losses.found), tuple(losses.refused), fields)


def _schema_for(schema: dict[str, Any], target: str, losses: Losses) -> dict[str, Any]:
    if is_too_deep(schema, DEEPEST):
        losses.refuse((), "schema", f"nested more than {DEEPEST} levels deep")
        return schema
    schema = rewrite_schema(schema, with_json_types, losses)
    if "type" not in schema:
        schema["type"] = "object"
    if target in _CHANGES:
        schema = with_current_words(schema, losses, nullable=target == "gemini")
    if target in _NEEDS:
        schema = expand_schema(schema, _NEEDS[target], losses)
        if _NEEDS[target].plain_root:
            schema = one_object(schema, losses)
    if target not in _CHANGES:
        return schema
    return dict(rewrite_schema(schema, _CHANGES[target], losses, except_in=_keywords_left_out(target)))


def _keywords_left_out(target: str) -> tuple[str, ...]:
    """Keywords whose schemas are not converted: those the target has no word for move into the description as they are.

    Converted first, each level would contain the text of the level below it, quoted once more: twice as long per level.
    """
    keywords = (*provider(target).keywords, "oneOf")  # which every target writes as anyOf
    moved = tuple(key for key in DESCRIBED if key not in keywords)
    return (*TESTS, *moved) if target == "gemini" else (*TESTS, *moved, "additionalProperties")


def _without_extension(schema: dict[str, Any]) -> dict[str, Any]:
    """RightCall's own fields are not sent to a provider."""

    def strip(value: Any, depth: int) -> Any:
        if depth > DEEPEST:
            return value
        if isinstance(value, dict):
            return {key: strip(part, depth + 1) for key, part in value.items() if key != "x-rightcall"}
        return [strip(part, depth + 1) for part in value] if isinstance(value, list) else value

    return dict(strip(schema, 0))


def request(tools: Sequence[Converted], target: str) -> Any:
    """The value to put into a request.

    OpenAI and Anthropic: the list `tools`. Gemini: an entry of `tools`. Bedrock: `toolConfig`.
    MCP: the result of `tools/list`. The Responses API is strict unless told otherwise, so it is always told.
    """
    strict = {"strict": True} if target.endswith("-strict") else {}
    match target.removesuffix("-strict"):
        case "openai-responses":
            told = {"strict": bool(strict)}
            return [{"type": "function", **_definition(tool, "parameters"), **told} for tool in tools]
        case "openai":
            functions = [{**_definition(tool, "parameters"), **strict} for tool in tools]
            return [{"type": "function", "function": function} for function in functions]
        case "anthropic":
            return [{**_definition(tool, "input_schema"), **strict} for tool in tools]
        case "gemini":
            return {"functionDeclarations": [_definition(tool, "parameters") for tool in tools]}
        case "bedrock":
            wrapped = [(tool, {"inputSchema": {"json": tool.input_schema}}) for tool in tools]
            specs = [{**_definition(tool, "inputSchema"), **schema} for tool, schema in wrapped]
            return {"tools": [{"toolSpec": spec} for spec in specs]}
    return {"tools": [_definition(tool, "inputSchema") for tool in tools]}


def _definition(tool: Converted, schema_key: str) -> dict[str, Any]:
    described = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **described, schema_key: tool.input_schema, **tool.fields}
