"""Lists, formats, units and limits of values, and texts of parameters and of their values."""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

from rightcall.core.text import names_and_more
from rightcall.core.words import name_tokens, word_set, words
from rightcall.lint.features.mentions import (
    MEASURES,
    OPPOSITES,
    SIDES,
    UNIT_PARAMETERS,
    UNITS,
    alternatives_in,
)
from rightcall.lint.features.schemas import Node
from rightcall.lint.features.text import parameters_in_docstring
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Edit, Finding, Findings, Severity, tool_rule
from rightcall.schema.subschemas import properties_of
from rightcall.schema.types import json_type

_DATE_TIME = re.compile(
    r"yyyy-mm-ddt?[ t]?hh:mm:ssz|iso[ -]?8601 (?:date-?time|timestamp)|rfc[ -]?3339", re.I
)
_DATE_ONLY = re.compile(r"\byyyy-mm-dd\b(?![ t]*[\[(]?t?[ t]*h)", re.I)
_UUID = re.compile(r"\b(?:uuid|guid)\b", re.I)
_OTHER_FORM = re.compile(
    r"\b(?:or|optional|relative|natural|e\.g\. ['\"]?(?:today|tomorrow)|mm/dd|dd/mm|yyyymmdd|comma)\b", re.I
)

_TIME = frozenset(["timeout", "duration", "delay", "interval", "ttl", "latency"])
_NUMBER = r"(?P<number>-?\d{1,3}(?:,\d{3})+|-?\d+(?:\.\d+)?)"
_NOT_A_QUANTITY = r"(?![\w%]|[.,:/-]\d|\s*(?:%|percent))"
_MOST = r"\b(?:max(?:imum)?(?: (?:is|of|value|number))*|at most|up to|no more than|not more than|limited to)"
_LEAST = r"\b(?:min(?:imum)?(?: (?:is|of|value|number))*|at least|no (?:less|fewer) than)"
_THINGS = r"(?:results?|items?|entries|elements|values|records?|(?:user |file )?ids?)\b"
_ALONE = rf"(?=\s*(?:$|[.,;)\]]|per (?:call|request|page|batch)\b|{_THINGS}))"
_CHARACTERS = r"(?=\s*(?:characters?|chars?)\b)"


@tool_rule("TD305", "warning", fix="suggested", sources=("OAI-so", "ANT-sdk"))
def format_in_prose(tool: ToolFeatures) -> Findings:
    """The text asks for YYYY-MM-DD, RFC 3339 or a UUID, the schema has neither `format` nor `pattern`.

    Strict modes enforce `format`; a text alone is followed most of the time. Texts that allow several forms
    are not reported.

    Fails: {"input_schema": {"properties": {"first_day": {
      "type": "string", "description": "First day wanted, written YYYY-MM-DD."
    }}}}
    Passes: {"input_schema": {"properties": {"first_day": {
      "type": "string", "format": "date", "description": "First day wanted."
    }}}}
    """
    for node in tool.properties:
        if node.schema.get("type") not in ("string", "str") or not node.text:
            continue
        if any(key in node.schema for key in ("format", "pattern", "enum", "const")):
            continue
        format_ = _format(node.text)
        if format_ and not _OTHER_FORM.search(node.text):
            yield Finding(
                node.path,
                f"the text of '{node.name}' asks for a {format_}, the schema for any text",
                f'add "format": "{format_}"',
                edits=(Edit((*node.path, "format"), format_),),
            )


def _format(text: str) -> str:
    if len(re.findall("yyyy", text, re.IGNORECASE)) > 1:
        return ""  # a range, or a choice of forms
    if _DATE_TIME.search(text):
        return "date-time"
    if _DATE_ONLY.search(text):
        return "date"
    return "uuid" if _UUID.search(text) else ""


_NO_UNIT = re.compile(
    r"\b(?:normal|multiplier|multiplied|relative|factor|scale|level|ranging|range|between)\b", re.I
)


@tool_rule("TD306", "warning", sources=("ANT-eng",))
def unit_missing(tool: ToolFeatures) -> Findings:
    """A numeric timeout, duration, distance … has no unit in its name or text.

    30 seconds or 30 milliseconds: the model takes the one it has seen more often. Put the unit into the name
    or say it in the text. An info for measures that may be counts, levels or plain geometry (size, radius).

    Fails: {"input_schema": {"properties": {"timeout": {
      "type": "number", "description": "How long to wait for the answer."
    }}}}
    Passes: {"input_schema": {"properties": {"timeout_s": {
      "type": "number", "description": "How long to wait, in seconds."
    }}}}
    """
    asks_unit = any("unit" in name.lower() for name in tool.parameter_names)
    for node in tool.properties:
        tokens = name_tokens(node.name)
        if (
            not tokens
            or tokens[-1] not in UNIT_PARAMETERS | MEASURES
            or not node.is_only("integer", "number", "float")
        ):
            continue
        if asks_unit or "enum" in node.schema or any(token in UNITS for token in tokens[:-1]):
            continue
        text = node.text
        if node.depth == 1:
            text = f"{text} {parameters_in_docstring(tool.description)[0].get(node.name, '')}"
        if _NO_UNIT.search(text):
            continue
        if "%" in text or any(word in UNITS or word.rstrip("s") in UNITS for word in words(text)):
            continue
        example = f"{node.name}_seconds, or say" if tokens[-1] in _TIME else "say"
        yield Finding(
            node.path,
            f"'{node.name}' is a number without a unit",
            f"{example} the unit in the text",
            severity=None if tokens[-1] in UNIT_PARAMETERS else "info",
        )


def _pattern(words: str, after: str) -> re.Pattern[str]:
    return re.compile(rf"{words}\s*[:=]?\s*{_NUMBER}{_NOT_A_QUANTITY}{after}", re.IGNORECASE)


_BOUNDS = {
    "array": (
        ("maxItems", ("maxItems",), _pattern(_MOST, _ALONE)),
        ("minItems", ("minItems",), _pattern(_LEAST, _ALONE)),
    ),
    "string": (
        ("maxLength", ("maxLength", "pattern", "enum", "format"), _pattern(_MOST, _CHARACTERS)),
        ("minLength", ("minLength", "pattern", "enum", "format"), _pattern(_LEAST, _CHARACTERS)),
    ),
    "number": (
        ("maximum", ("maximum", "exclusiveMaximum", "enum"), _pattern(_MOST, _ALONE)),
        ("minimum", ("minimum", "exclusiveMinimum", "enum"), _pattern(_LEAST, _ALONE)),
    ),
}
"""By type: the keyword, those that already say it, and how texts say it."""


@tool_rule("TD321", "warning", fix="suggested", sources=("OAI-fc", "SM2"))
def limit_in_prose(tool: ToolFeatures) -> Findings:
    """The text names a limit (“max 100 per call”) that the schema lacks or contradicts.

    A validator enforces `maxItems`, `maximum` and `maxLength` before the call has an effect, and the model
    gets an error it can correct; a limit in the text alone is found out by the service. Texts that name
    several limits are not reported.

    Fails: {"input_schema": {"properties": {"days": {
      "type": "integer", "description": "Days ahead, at least 1.", "minimum": null
    }}}}
    """
    for node in tool.properties:
        declared = node.schema.get("type")
        kind = (json_type(declared) or "") if isinstance(declared, str) else ""
        for keyword, stated_by, pattern in _BOUNDS.get("number" if kind == "integer" else kind, ()):
            bound = _bound(node, pattern, keyword)
            declared_bound = node.schema.get(keyword)
            if bound is not None and declared_bound not in (None, bound):
                yield Finding(
                    node.path,
                    f"the text says that {keyword} of '{node.name}' is {bound}, the schema {declared_bound}",
                    "make the two agree",
                )
            elif bound is not None and not any(key in node.schema for key in stated_by):
                side = "at most" if keyword.startswith("max") else "at least"
                unit = " characters" if keyword.endswith("Length") else ""
                yield Finding(
                    node.path,
                    f"the text limits '{node.name}' to {side} {bound}{unit}, the schema does not",
                    f'add "{keyword}": {bound}',
                    edits=(Edit((*node.path, keyword), bound),),
                )


def _bound(node: Node, pattern: re.Pattern[str], keyword: str) -> int | float | None:
    """The number the text names, or None when it names none or several."""
    numbers = {match["number"].replace(",", "") for match in pattern.finditer(node.text)}
    if len(numbers) != 1:
        return None
    written = numbers.pop()
    counts = keyword.endswith(("Items", "Length"))
    if "." in written:
        return None if counts else float(written)
    return None if counts and written.startswith("-") else int(written)


_NOTHING = word_set("none null nil empty omitted nothing undefined unset")
"""Words for no value: “'json' or omitted” leaves one value, which is no choice."""


@tool_rule("TD304", "warning", fix="suggested", sources=("OAI-fc", "GEM"))
def enumable(tool: ToolFeatures) -> Findings:
    """The text lists the allowed values, but there is no `enum`, or one that rejects them.

    With an enum a provider can enforce the values, validators catch the rest, and the model stops inventing
    neighbours (“ascending” for “asc”). The fix takes the values from the text.

    Fails: {"input_schema": {"properties": {"order": {
      "type": "string", "description": "Order of entries, one of 'asc' or 'desc'."
    }}}}
    Passes: {"input_schema": {"properties": {"order": {
      "type": "string", "description": "Order of the entries by day.", "enum": ["asc", "desc"]
    }}}}
    """
    for node in tool.properties:
        if node.schema.get("type") not in ("string", "str") or not node.text:
            continue
        if "const" in node.schema or "pattern" in node.schema:
            continue
        values = alternatives_in(node.text)
        if not tool.parameter_names.isdisjoint(values):
            continue  # “either text or regex” speaks of parameters
        if len([value for value in values if value.lower() not in _NOTHING]) < 2:
            continue
        if "enum" in node.schema:
            yield from _rejected_values(node, values)
        elif not isinstance(default := node.schema.get("default"), str) or default in values:
            yield Finding(
                node.path,
                f"the text of '{node.name}' lists its values: {', '.join(values[:6])}",
                'put them into "enum"',
                edits=(Edit((*node.path, "enum"), values),),
            )


def _rejected_values(node: Node, values: list[str]) -> Findings:
    """Values that the text offers and the enum rejects; how they are spelled is left to the enum."""
    options = node.schema["enum"]
    allowed = {_letters(str(option)) for option in options} if isinstance(options, list) else set()
    rejected = [value for value in values if not _letters(value).startswith((*allowed, *_NOTHING))]
    if allowed and len(rejected) == len(values):
        yield Finding(
            node.path,
            f"the text of '{node.name}' offers {', '.join(rejected[:6])}, which the enum rejects",
            "make the two agree",
        )


def _letters(value: str) -> str:
    return re.sub(r"[\W_]", "", value.casefold())


@tool_rule("TD301", "warning", sources=("OAI-fc", "SM1"))
def param_no_description(tool: ToolFeatures) -> Findings:
    """A property, at any depth, has no description.

    Type and name do not say whether `date` is 2026-03-04 or “next Tuesday”, nor where an id comes from. The
    model fills the gap with a guess. An info for an object whose own fields are all described.

    Fails: {"input_schema": {"properties": {"city": {"description": null}}}}
    """
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
            fields = properties_of(node.schema).values()
            is_explained = fields and all(
                isinstance(field, dict) and field.get("description") for field in fields
            )
            severity: Severity | None = "info" if is_explained else None
            yield Finding(
                node.path, f"'{node.name}' has no description", _DESCRIPTION_HINT, severity=severity
            )
    for top, nodes in inner.items():
        names = list(dict.fromkeys(f"'{node.name}'" for node in nodes))
        listed = names_and_more(names, MOST_LISTED)
        where = f"'{top.name}'" if top.name else str(top.path[-1])
        verb = "has" if len(names) == 1 else "have"
        yield Finding(nodes[0].path, f"in {where}, {listed} {verb} no description", _DESCRIPTION_HINT)


MOST_LISTED = 5
"""Fields without a description that one message names."""


_DESCRIPTION_HINT = "say what it is, its form, and where it comes from"


def _top(node: Node) -> Node:
    """The parameter, or the definition, that the node is a part of."""
    while node.parent is not None and node.parent.parent is not None:
        node = node.parent
    return node


def _is_explained_elsewhere(tool: ToolFeatures, node: Node) -> bool:
    """Does a variant, a reference or a constant say what the property is, or that it must be absent?"""
    schema = node.schema
    if "const" in schema or schema.get("not") == {}:
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


MOST_EXPLAINED = 12
"""Longer lists are catalogues (languages, countries), whose entries nobody explains one by one."""

_IDENTIFIER = re.compile(
    r"[A-Za-z0-9]_[A-Za-z0-9]|[a-z][A-Z]|[A-Za-z]\d|^[A-Za-z]{1,2}$|^[^aeiouyAEIOUY\W\d]{3,}$"
)
"""Names out of a program (`admin_action`, `needsAction`) and codes (`P1`, `X`, `std`): words such as `cheap` explain
themselves."""
_STANDARD = word_set(
    "lang language languages locale currency country format formats mime encoding unit units algorithm"
)
"""Parameters whose values are codes that everybody knows."""
_PLAIN = UNITS | frozenset(chain.from_iterable((*OPPOSITES, *SIDES)))


@tool_rule("TD322", "info", sources=("OAI-fc", "SM1"))
def unexplained_enum(tool: ToolFeatures) -> Findings:
    """No text says what the values of an enum mean.

    An enum tells a model which values exist, not when to use which: `admin_action` or `security_incident`?
    One clause each is enough. Plain words, standard codes (languages, units, formats) and lists of more than
    12 values are not reported.

    Fails: {"input_schema": {"properties": {"reason": {
      "type": "string",
      "enum": ["user_request", "admin_action", "expiry_run"],
      "description": "Why the forecast is asked for."
    }}}}
    Passes: {"input_schema": {"properties": {"reason": {
      "type": "string",
      "enum": ["user_request", "admin_action", "expiry_run"],
      "description": "Why the forecast is asked for: user_request when the user asked, admin_action when an operator did, expiry_run when the last one is out of date."
    }}}}
    """
    for node in tool.properties:
        values = node.schema.get("enum")
        if not isinstance(values, list) or not 2 <= len(values) <= MOST_EXPLAINED:
            continue
        if not _STANDARD.isdisjoint(name_tokens(node.name)):
            continue
        unclear = [
            value
            for value in values
            if isinstance(value, str)
            and _IDENTIFIER.search(value)
            and not _PLAIN.issuperset(words(value.replace("_", " ")))
        ]
        if len(unclear) < 2 or len(unclear) * 2 < len(values) or node.schema.get("enumDescriptions"):
            continue
        text = f"{node.text} {tool.description}".lower()
        if not any(_mentions(text, value) for value in unclear):
            shown = ", ".join(unclear[:3])
            yield Finding(
                (*node.path, "enum"),
                f"no text says what the values of '{node.name}' mean: {shown}{' …' if len(unclear) > 3 else ''}",
                "say in the description when to use each",
            )


def _mentions(text: str, value: Any) -> bool:
    """Whether a text uses the value, as written or with spaces."""
    spaced = re.sub(r"[_\-]+", "[ _-]", re.escape(value.lower()).replace(r"\-", "-"))
    return re.search(rf"(?<!\w){spaced}(?!\w)", text) is not None
