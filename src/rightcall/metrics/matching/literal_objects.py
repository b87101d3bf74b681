"""Objects in arguments that are read literally, though they look like matchers: misspelt ones, and ones inside literals."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, NamedTuple

from rightcall.core.errors import suggestion
from rightcall.metrics.matching.base import short_json
from rightcall.metrics.matching.compile import KINDS, matcher_key

ELSEWHERE = {
    "approx approximately almost closeto isclose near": ("number", "number"),
    "tolerance delta eps epsilon atol abstol margin": ("number", "abs"),
    "rtol reltol": ("number", "rel"),
    "between": ("range", "range"),
    "gte ge min minimum": ("range", "min"),
    "lte le max maximum": ("range", "max"),
    "in choices either alternatives": ("one_of", "one_of"),
    "eq equals equalto": ("exact", "exact"),
    "pattern match matches regexp": ("regex", "regex"),
    "includes": ("contains", "contains"),
    "anything wildcard": ("any", "any"),
}
"""Words of other tools, in lower case and without underscores: the matcher and the key of it that they mean."""
WORDS = {word: meaning for words, meaning in ELSEWHERE.items() for word in words.split()}
WORDS |= {option: (kind, option) for kind, declared in KINDS.items() for option in declared.options}
WORDS |= {kind.replace("_", ""): (kind, kind) for kind in KINDS} | {"value": ("number", "value")}
ORDINARY = frozenset(
    [
        "all",
        "any",
        "contains",
        "date",
        "default",
        "exact",
        "items",
        "not",
        "number",
        "object",
        "optional",
        "present",
        "range",
        "ref",
        "schema",
        "set",
        "text",
        "type",
        "value",
    ]
)
"""Matchers whose names are also ordinary keys of objects."""


class LiteralObject(NamedTuple):
    """An object that is probably meant as a matcher. `certain` says that it cannot be meant literally."""

    where: str
    message: str
    hint: str
    certain: bool = False


def literal_objects(
    spec: Any, where: str, schema: Any = None, *, inside: str = ""
) -> Iterator[LiteralObject]:
    """Objects that look like matchers and are read literally; `schema` is the parameter's, None when it is not known.

    What the schema describes is literal. `inside` is the literal object around the value.
    """
    if isinstance(spec, list):
        for place, item in enumerate(spec):
            yield from literal_objects(
                item, f"{where}[{place}]", _part(schema, "items"), inside=inside or where
            )
    if not isinstance(spec, dict) or not spec:
        return
    key = matcher_key(spec)
    if key is not None and not inside:
        for name, item in _members(key, spec[key]):
            part = _part(schema, "properties", name) if key == "object" else None
            yield from literal_objects(item, f"{where}.{key}", part)
        return
    if not _describes(schema, spec):
        note = (
            _literal_inside(spec, key, where, inside)
            if key
            else _misspelt(spec, where, _takes_objects(schema))
        )
        if note is not None:
            yield note
            return
    for name, item in spec.items():
        part = _part(schema, "properties", name)
        yield from literal_objects(item, f"{where}.{name}", part, inside=inside or where)


def _members(key: str, spec: Any) -> Iterator[tuple[str, Any]]:
    """The values inside a matcher that are read as matchers themselves."""
    if key in ("exact", "default", "schema"):
        return
    if key in ("not", "optional"):
        yield "", spec
    elif isinstance(spec, list):
        yield from (("", item) for item in spec)
    elif key == "object" and isinstance(spec, dict):
        yield from spec.items()


def _literal_inside(spec: dict[str, Any], key: str, where: str, inside: str) -> LiteralObject | None:
    if key in ORDINARY and len(spec) == 1:
        return None
    message = f"{where}: '{key}' is read literally, because {inside} is a literal"
    return LiteralObject(where, message, 'write {"object": {…}} or {"items": […]} around it')


def _misspelt(spec: dict[str, Any], where: str, is_object: bool | None) -> LiteralObject | None:
    meanings = {key: _sense(key) for key in spec}
    matchers = {meaning[0] for meaning in meanings.values() if meaning is not None}
    if None not in meanings.values() and len(matchers) == 1:
        (kind,) = matchers
        is_named = any(meaning == (kind, kind) for meaning in meanings.values())
        if is_object is False or is_named or len(spec) > 1:
            right = {meaning[1]: spec[key] for key, meaning in meanings.items() if meaning is not None}
            if kind not in right and kind in ("number", "range"):
                right = {kind: right}
            message = f"{where}: read as a literal object; {_names(spec)}"
            certain = is_object is False or (is_object is None and is_named and len(spec) > 1)
            return LiteralObject(where, message, f"did you mean {short_json(right)}?", certain)
    if len(spec) == 1 and (meant := suggestion(next(iter(spec)), KINDS)):
        return LiteralObject(where, f"{where}: read as a literal object; {_names(spec)}", meant)
    keys = [key for key in spec if key in KINDS and key not in ORDINARY]
    if len(keys) == 1:
        others = ", ".join(key for key in spec if key != keys[0])
        message = (
            f"{where}: read as a literal object, though '{keys[0]}' is a matcher (unknown option: {others})"
        )
        return LiteralObject(where, message, 'write {"exact": {…}} to match the object itself')
    return None


def _sense(key: str) -> tuple[str, str] | None:
    """The matcher and its key that a key means, in another spelling or another tool's word."""
    plain = key.lower().lstrip("$").replace("_", "").replace("-", "")
    near = [plain] if plain in WORDS else get_close_matches(plain, WORDS, n=1, cutoff=0.85)
    return WORDS[near[0]] if near else None


def _names(spec: dict[str, Any]) -> str:
    names = ", ".join(f"'{key}'" for key in spec)
    return f"{names} is not a matcher" if len(spec) == 1 else f"{names} are not the keys of a matcher"


def _part(schema: Any, *path: str) -> Any:
    for name in path:
        schema = schema.get(name) if isinstance(schema, dict) else None
    return schema


def _describes(schema: Any, spec: dict[str, Any]) -> bool:
    """Whether a schema has these keys."""
    properties = _part(schema, "properties")
    return isinstance(properties, dict) and spec.keys() <= properties.keys()


def _takes_objects(schema: Any) -> bool | None:
    """Whether a schema takes objects; None when it does not say."""
    kinds = _part(schema, "type")
    return (
        "object" in ([kinds] if isinstance(kinds, str) else kinds) if isinstance(kinds, str | list) else None
    )
