"""Validation of schemas and values without fetching anything: meta-schemas, foreign types."""

from __future__ import annotations

from functools import cache
from typing import Any

from rightcall.core.words import word_set
from rightcall.schema.rewrite import without
from rightcall.schema.types import JSON_TYPES, json_type

_DRAFTS = {
    "json-schema.org/draft-04/schema": "Draft4Validator",
    "json-schema.org/draft-06/schema": "Draft6Validator",
    "json-schema.org/draft-07/schema": "Draft7Validator",
    "json-schema.org/draft/2019-09/schema": "Draft201909Validator",
    "json-schema.org/draft/2020-12/schema": "Draft202012Validator",
}
DEFAULT_DIALECT = "json-schema.org/draft/2020-12/schema"


def dialect_of(schema: dict[str, Any]) -> str:
    """The dialect `$schema` names, the current one when it names none or an unknown one."""
    named = schema.get("$schema")
    if isinstance(named, str):
        bare = named.removeprefix("https://").removeprefix("http://").removesuffix("#")
        if bare in _DRAFTS:
            return bare
    return DEFAULT_DIALECT


@cache
def meta_validator(dialect: str) -> Any:
    """The validator of schemas of one dialect."""
    import jsonschema_rs

    scheme = "http" if "draft-0" in dialect else "https"
    validator = getattr(jsonschema_rs, _DRAFTS[dialect])
    return validator({"$ref": f"{scheme}://{dialect}"}, retriever=_refuse)


def meta_errors(schema: dict[str, Any]) -> list[tuple[tuple[str | int, ...], str]]:
    """Where and how a schema violates the meta-schema of its dialect."""
    validator = meta_validator(dialect_of(schema))
    try:
        return [(tuple(error.instance_path), error.message) for error in validator.iter_errors(schema)]
    except (ValueError, UnicodeError, OverflowError, RecursionError):
        return []  # an unpaired surrogate or a huge number; reported by other rules


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """Whether the value is valid. Also True when unknown (references, foreign types)."""
    kind = schema.get("type")
    if isinstance(kind, str):
        json_kind = json_type(kind)
        if json_kind is None:
            return True
        if json_kind and not _has_type(value, json_kind):
            return False
        if kind not in JSON_TYPES:
            schema = {**without(schema, ["type"]), **({"type": json_kind} if json_kind else {})}
    options = schema.get("enum")
    if isinstance(options, list) and not any(
        value == option and isinstance(value, bool) == isinstance(option, bool) for option in options
    ):
        return False
    if _CONSTRAINTS.isdisjoint(schema):
        return True
    return _validates(value, schema)


_CONSTRAINTS = word_set("""
    const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern items
    prefixItems minItems maxItems uniqueItems properties required anyOf oneOf allOf not additionalProperties
    minProperties maxProperties propertyNames contains if
    """)


def _validates(value: Any, schema: dict[str, Any]) -> bool:
    if "$ref" in str(schema):
        return True
    import jsonschema_rs

    try:
        return bool(jsonschema_rs.Draft202012Validator(schema, retriever=_refuse).is_valid(value))
    except (ValueError, UnicodeError, OverflowError, RecursionError, TypeError):
        return True


_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}


def _has_type(value: Any, kind: str) -> bool:
    if kind == "boolean":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if kind == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return isinstance(value, _PYTHON_TYPES[kind])


def _refuse(uri: str) -> Any:
    raise ValueError(f"not fetched: {uri}")
