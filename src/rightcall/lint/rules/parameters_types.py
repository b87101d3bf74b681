"""Types that leave too much open."""

from __future__ import annotations

import re

from rightcall.core.words import word_set
from rightcall.lint.features.schemas import Node
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Finding, Findings, tool_rule

_TYPING = word_set("""
    type enum const anyOf oneOf allOf $ref not if properties items prefixItems patternProperties $dynamicRef
    """)

_ITEMS = frozenset(("items", "prefixItems"))
_REFUSING = frozenset(("gemini", "openai-strict"))


@tool_rule("TD303", "warning", sources=("CISCO", "JSON"))
def untyped_parameter(tool: ToolFeatures) -> Findings:
    """A property has neither a type nor an enum, a variant or a reference.

    Anything is valid, so the model sends text where a list was meant, and the mistake is noticed only when
    the tool runs.

    Fails: {"input_schema": {"properties": {"city": {"type": null}}}}
    """
    for node in tool.properties:
        if _TYPING.isdisjoint(node.schema):
            yield Finding(
                node.path,
                f"'{node.name}' has no type",
                "say which: string, number, integer, boolean, object, array",
            )


@tool_rule("TD307", "warning", sources=("OAI-so", "GEM"))
def array_no_items(tool: ToolFeatures) -> Findings:
    """An array has no `items`.

    The model does not know whether to send texts or objects. OpenAI in strict mode and Gemini reject such a
    schema; then it is an error.

    Fails: {"input_schema": {"properties": {"hours": {"type": "array", "description": "Hours of the day to report on."}}}}
    Passes: {"input_schema": {"properties": {"hours": {
      "type": "array", "items": {"type": "integer"}, "description": "Hours of the day to report on."
    }}}}
    """
    for node in tool.nodes:
        if node.schema.get("type") not in ("array", "list") or not _ITEMS.isdisjoint(node.schema):
            continue
        refusing = sorted(tool.targets & _REFUSING)
        message = f"'{node.name or 'a list'}' does not say what it is a list of"
        if refusing:
            message += f"; {', '.join(refusing)} {'rejects' if len(refusing) == 1 else 'reject'} that"
        yield Finding(node.path, message, 'add "items"', severity="error" if refusing else None)


_SHAPE = ("properties", "patternProperties", "$ref", "anyOf", "oneOf", "allOf", "enum", "const")

_EXAMPLE = re.compile(r"\{\s*[\"'“]?[$\w]+[\"'”]?\s*:")

_FREE_BY_NATURE = word_set("""
    headers metadata labels tags attributes env environment params cookies extra annotations schema json_schema row rows
    record records customdata custom_data customfields custom_fields customproperties custom_properties userdata user_data
    translations
    """)
_KEYS_SAID = re.compile(
    r"\b(?:any|arbitrary|additional|custom|own)\b[^.]* key[- /]?values?\b|\bkey[- /]value data\b|\bkeys? (?:are|is|being|must be)\b|\bmap(?:ping|s)? (?:of|from|\w+ to)\b|\bkeyed by\b"
    r"|\b(?:arbitrary|custom|user-defined|your own) (?:\w+ ){0,3}(?:data|fields|keys|properties|metadata|attributes|pairs)\b",
    re.I,
)
"""The caller chooses the keys, or the text says what they are."""


@tool_rule("TD308", "warning", sources=("OAI-so",))
def free_form_object(tool: ToolFeatures) -> Findings:
    """An object has no properties and allows anything.

    The model must invent the keys. `filters: object` gets `{"name": …}` today and `{"filter_by_name": …}`
    tomorrow. An object that maps free keys to one kind of value says so with `additionalProperties`. An info
    for headers, labels, custom data and the like, and when the text shows an example or says what the keys are.

    Fails: {"input_schema": {"properties": {"filters": {
      "type": "object", "description": "Conditions the entries must meet."
    }}}}
    """
    for node in tool.nodes:
        if node.parent is None or node.schema.get("type") not in ("object", "dict"):
            continue
        if any(key in node.schema for key in _SHAPE):
            continue
        extra = node.schema.get("additionalProperties", True)
        if extra is True or extra == {}:
            thing = f"'{node.name}'" if node.name else _without_name(node)
            of_list = node.part == "items" and node.path[-1] == "items"
            label = (node.parent.name if of_list else node.name).lower()
            shown = "examples" in node.schema or _EXAMPLE.search(node.text) or _KEYS_SAID.search(node.text)
            yield Finding(
                node.path,
                f"{thing} is an object without known fields",
                "declare them, or say with additionalProperties what the values are",
                severity="info" if shown or label in _FREE_BY_NATURE else None,
            )


def _without_name(node: Node) -> str:
    """What to call the items of a list, or an alternative: by the nearest name above."""
    holder = node.parent
    while holder is not None and not holder.name:
        holder = holder.parent
    name = f"'{holder.name}'" if holder is not None else "the arguments"
    return f"each item of {name}" if node.path[-1] == "items" else f"a form of {name}"


_SQUEEZED = re.compile(
    r"\b(?:comma|semicolon|space|pipe)[- ](?:separated|delimited) (?:list|values|string of|set|\w+s)\b"
    r"|\b(?:json|stringified)[- ](?:string|encoded|formatted string|object|array)\b|\bstringified\b|\bserialized json\b"
    r"|\bencoded as json\b",
    re.I,
)
_NOT_A_LIST = re.compile(
    r"\b(?:lat(?:itude)?|longitude|coordinates?|city|address|csv (?:data|file|content)|last name)\b", re.I
)


@tool_rule("TD316", "warning", sources=("OAI-fc",))
def stringly_typed(tool: ToolFeatures) -> Findings:
    """A string is described as comma-separated or as JSON.

    The model must escape by hand what JSON could represent directly, and validators cannot look inside.

    Fails: {"input_schema": {"properties": {"stations": {
      "type": "string", "description": "Comma-separated names to report on."
    }}}}
    Passes: {"input_schema": {"properties": {"stations": {
      "type": "array", "items": {"type": "string"}, "description": "Names to report on."
    }}}}
    """
    for node in tool.properties:
        if node.schema.get("type") in ("string", "str") and (match := _SQUEEZED.search(node.text)):
            if _NOT_A_LIST.search(node.text) or "enum" in node.schema:
                continue
            yield Finding(
                node.path,
                f"'{node.name}' is a string that contains a structure ({match.group().lower()})",
                "declare it as an array or an object",
            )
