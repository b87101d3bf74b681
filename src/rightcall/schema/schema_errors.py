"""What a schema validator found, in words a model or a person can act on."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import msgspec

from rightcall.core.codec import JSON_TYPES
from rightcall.core.text import names_and_more, shorten
from rightcall.schema.subschemas import properties_of, reference_of, target_of
from rightcall.schema.types import is_number

Parts = tuple[str, str, str, tuple[Any, ...], Any]
"""Path, message, keyword, allowed values and a suggestion."""

TYPE_NAMES = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}

FORMATS = {
    "date": "a date such as 2026-03-31",
    "date-time": "a date and time such as 2026-03-31T09:30:00Z",
    "time": "a time such as 09:30:00Z",
    "duration": "a duration such as PT1H30M",
    "email": "an e-mail address",
    "uri": "a full address such as https://example.com/page",
    "uuid": "a UUID such as 123e4567-e89b-12d3-a456-426614174000",
    "ipv4": "an IPv4 address",
    "ipv6": "an IPv6 address",
    "hostname": "a host name",
}

LIMITS = {
    "multipleOf": "a multiple of {multiple_of}",
    "minimum": "at least {limit}",
    "maximum": "at most {limit}",
    "exclusiveMinimum": "more than {limit}",
    "exclusiveMaximum": "less than {limit}",
    "minLength": "a text of at least {limit} characters",
    "maxLength": "a text of at most {limit} characters",
    "minItems": "a list of at least {limit} items",
    "maxItems": "a list of at most {limit} items",
    "minProperties": "an object of at least {limit} names",
    "maxProperties": "an object of at most {limit} names",
}


def explain(error: Any, schema: Any) -> Iterator[Parts]:
    """One error of the validator as one or more problems; `schema` is the whole schema."""
    path = path_text(error.instance_path)
    keyword = str(error.kind.name)
    details = error.kind.as_dict()
    if keyword in ("anyOf", "oneOf"):
        yield from _alternatives(error, path, keyword, details.get("context") or [], schema=schema)
    elif keyword in ("additionalProperties", "unevaluatedProperties"):
        names = tuple(_schema_at(schema, error.schema_path[:-1]).get("properties", ()))
        for name in details.get("unexpected", ()):
            near = nearest(name, names)
            inside = f" in {path}" if path else ""
            yield join(path, name), f"unknown parameter '{shorten(name, 60)}'{inside}", keyword, names, near
    elif keyword == "required":
        name = str(details["property"])
        declared = properties_of(_schema_at(schema, error.schema_path[:-1]))
        near = nearest(name, [key for key in error.instance if key not in declared])
        written = f"; '{shorten(near, 60)}' was given instead" if near else ""
        yield join(path, name), f"'{shorten(name, 60)}' is required and missing{written}", keyword, (), None
    else:
        yield path, *_one_value(path or "the value", keyword, details, error), *_choices(details, error)


def path_text(steps: Sequence[str | int]) -> str:
    """`attendees[0].email` for the steps that lead to a value."""
    text = ""
    for step in steps:
        text = f"{text}[{step}]" if isinstance(step, int) else join(text, step)
    return text


def join(path: str, name: str) -> str:
    """The path extended by one name."""
    return f"{path}.{shorten(name, 60)}" if path else shorten(name, 60)


def nearest(word: Any, options: Sequence[Any]) -> Any:
    """The known text most similar to this one, or None when none is close."""
    texts = {text.casefold(): text for text in options if isinstance(text, str)}
    if not isinstance(word, str) or len(word) > 200:
        return None
    near = difflib.get_close_matches(word.casefold(), list(texts), n=1, cutoff=0.6)
    return texts[near[0]] if near else None


def value_text(value: Any) -> str:
    """A value for a message: short, and quoted when it is text."""
    if isinstance(value, str):
        return f"'{shorten(value, 80)}'"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, dict | list):
        return JSON_TYPES["object" if isinstance(value, dict) else "array"]
    is_huge = isinstance(value, int) and value.bit_length() >= 1000
    return "a huge number" if is_huge else shorten(str(value), 80)


def _one_value(subject: str, keyword: str, details: dict[str, Any], error: Any) -> tuple[str, str]:
    """The message about one wrong value, with its keyword."""
    got = value_text(error.instance)
    if keyword == "pattern" and "pattern" not in details:
        return f"{subject} could not be matched against the schema's pattern in reasonable time", keyword
    if keyword == "uniqueItems":
        return f"{subject} must not contain duplicate items", keyword
    if requirement := _requirement_of(keyword, details):
        return f"{subject} must {requirement}{';' if keyword == 'enum' else ','} got {got}", keyword
    return f"{subject}: {shorten(str(error.message), 200)}", keyword


def _requirement_of(keyword: str, details: dict[str, Any]) -> str:
    """What a keyword about a single value requires; empty for other keywords."""
    match keyword:
        case "type":
            types = [t for t in details["types"] if t != "null"] or ["null"]
            return f"be {' or '.join(sorted(TYPE_NAMES[t] for t in types))}"
        case "enum":
            options = details["options"]
            return f"be one of {names_and_more([value_text(option) for option in options], 20)}"
        case "const":
            return f"be {value_text(details['expected_value'])}"
        case "format":
            return f"be {FORMATS.get(details['format'], 'of the format ' + details['format'])}"
        case "pattern":
            return f"match the pattern {shorten(details['pattern'], 100)}"
    return f"be {LIMITS[keyword].format(**details)}" if keyword in LIMITS else ""


def _choices(details: dict[str, Any], error: Any) -> tuple[tuple[Any, ...], Any]:
    """The allowed values, and the one that was probably meant."""
    if "options" in details:
        options = tuple(details["options"])
        return options, nearest(error.instance, options)
    if "expected_value" in details:
        return (details["expected_value"],), None
    if "types" in details:
        return tuple(sorted(details["types"])), _as_type(error.instance, details["types"])
    return (), None


def _as_type(value: Any, types: Sequence[str]) -> Any:
    """The number, boolean or text that a value of the wrong type represents."""
    if isinstance(value, str) and len(value) <= 30:
        if "boolean" in types and value.casefold() in ("true", "false"):
            return value.casefold() == "true"
        try:
            if "integer" in types:
                return int(value)
            if "number" in types:
                return float(value)
        except ValueError:
            return None
    if "string" in types and is_number(value):
        return value_text(value)
    return [value] if "array" in types and isinstance(value, str) and len(value) <= 200 else None


def _alternatives(
    error: Any, path: str, keyword: str, context: Sequence[Sequence[Any]], schema: Any
) -> Iterator[Parts]:
    """What is wrong under `anyOf` and `oneOf`: for the branch that was meant, where that is clear."""
    subject = path or "the value"
    if not any(context):
        yield path, f"{subject} fits more than one of the alternatives, and must fit one", keyword, (), None
        return
    here = list(error.instance_path)
    of_right_type = [
        branch
        for branch in context
        if branch
        and not any(e.kind.name in ("type", "const") and list(e.instance_path) == here for e in branch)
    ]
    if len(of_right_type) == 1:
        for inner in of_right_type[0]:
            yield from explain(inner, schema)
        return
    branches = [branch for branch in (of_right_type or context) if branch]
    if all(len(b) == 1 and b[0].kind.name in ("type", "enum", "const") for b in branches):
        details = [branch[0].kind.as_dict() for branch in branches]
        types = sorted({TYPE_NAMES[t] for d in details for t in d.get("types", ()) if t != "null"})
        values = list(
            chain.from_iterable(
                (*d.get("options", ()), d.get("expected_value", msgspec.UNSET)) for d in details
            )
        )
        values = [value for value in values if value is not msgspec.UNSET]
        accepted = " or ".join(
            [*types, *([f"one of {', '.join(map(value_text, values[:20]))}"] if values else [])]
        )
        message = f"{subject} must be {accepted or 'null'}, got {value_text(error.instance)}"
        yield path, message, keyword, tuple(values), nearest(error.instance, values)
        return
    told = [next(explain(branch[0], schema))[1] for branch in branches[:5]]
    listed = "; ".join(f"({number}) {text}" for number, text in enumerate(told, 1))
    yield path, f"{subject} matches none of the {len(context)} alternatives: {listed}", keyword, (), None


def _schema_at(schema: Any, steps: Sequence[str | int]) -> dict[str, Any]:
    """The part of a schema that steps lead to; empty when they lead through a reference or nowhere."""
    here = schema
    for step in steps:
        if step == "$ref" and (reference := reference_of(here)) is not None:
            here = target_of(schema, reference)
        elif isinstance(here, dict):
            here = here.get(step)
        elif isinstance(here, list) and isinstance(step, int) and step < len(here):
            here = here[step]
        else:
            return {}
    return here if isinstance(here, dict) else {}
