"""Two schemas merged into one: how `allOf` is written for targets without it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rightcall.files.documents import JsonPath
from rightcall.schema.rewrite import Losses, as_text, into_description, without
from rightcall.schema.subschemas import NAMED, properties_of, required_of
from rightcall.schema.types import is_number

MOST_VARIANTS = 64


class UnfitError(Exception):
    """No value matches both schemas; the message says why."""


def intersect_schemas(
    first: dict[str, Any], second: dict[str, Any], path: JsonPath, losses: Losses
) -> dict[str, Any]:
    """One schema for the values that match both: all properties, everything required, the tighter bounds.

    What cannot be expressed twice (a second pattern) goes into the description and is recorded as a loss.
    Raises `UnfitError` when no value can match.
    """
    _tell_closed(first, second, path, losses)
    merged, unsaid = dict(first), {}
    for key, value in second.items():
        if key not in merged or _same(merged[key], value):
            merged[key] = value
            continue
        both = _both(key, merged[key], value, path, losses)
        if both is None:
            unsaid[key] = value
        else:
            merged[key] = both
    for key, value in unsaid.items():
        if key == "title":
            losses.add(path, key, f"{as_text(value)} removed: allOf has another one")
            continue
        losses.add(path, key, f"{as_text(value)} cannot be merged: kept in the description only")
        merged = into_description(merged, f"(and {key}: {as_text(value)})")
    return _without_impossible(merged)


def _both(key: str, first: Any, second: Any, path: JsonPath, losses: Losses) -> Any:
    """The combined value of one keyword, or None when they cannot be combined."""
    if key in _PLAIN:
        return _PLAIN[key](first, second)
    if key == "anyOf" and isinstance(first, list) and isinstance(second, list):
        return _pairs(first, second, path, losses)
    if key == "additionalProperties" and isinstance(first, bool | dict) and isinstance(second, bool | dict):
        return _free_keys(first, second, (*path, key), losses)
    if not isinstance(first, dict) or not isinstance(second, dict):
        return None
    if key in ("items", "propertyNames"):
        return intersect_schemas(first, second, (*path, key), losses)
    return _intersect_named(first, second, (*path, key), losses) if key in NAMED else None


def _free_keys(first: Any, second: Any, path: JsonPath, losses: Losses) -> Any:
    if first is False or second is False:
        return False
    if isinstance(first, dict) and isinstance(second, dict):
        return intersect_schemas(first, second, path, losses)
    return second if first is True else first


def _intersect_named(
    first: dict[str, Any], second: dict[str, Any], path: JsonPath, losses: Losses
) -> dict[str, Any]:
    merged = dict(first)
    for name, schema in second.items():
        mine = merged.get(name)
        if isinstance(mine, dict) and isinstance(schema, dict) and not _same(mine, schema):
            try:
                merged[name] = intersect_schemas(mine, schema, (*path, name), losses)
            except UnfitError as unfit:
                losses.add((*path, name), "allOf", f"removed, no value matches: {unfit}")
                merged[name] = False
        elif name not in merged or mine is True:
            merged[name] = schema
    return merged


def _without_impossible(schema: dict[str, Any]) -> dict[str, Any]:
    """Without properties that no value matches; when one of them is required, no object matches."""
    named, required = properties_of(schema), required_of(schema)
    impossible = [name for name, inner in named.items() if inner is False]
    for name in impossible:
        if name in required:
            raise UnfitError(f"'{name}' is required, and no value matches it")
    return {**schema, "properties": without(named, impossible)} if impossible else schema


def _pairs(first: list[Any], second: list[Any], path: JsonPath, losses: Losses) -> list[Any] | None:
    if len(first) * len(second) > MOST_VARIANTS or not all(isinstance(v, dict) for v in first + second):
        return None
    variants: list[Any] = []
    for variant in first:
        for other in second:
            try:
                variants.append(intersect_schemas(variant, other, (*path, "anyOf"), losses))
            except UnfitError:
                continue  # a value cannot match both variants, so nothing is lost
    if not variants:
        raise UnfitError("no variant of one matches a variant of the other")
    return variants


def _tell_closed(first: dict[str, Any], second: dict[str, Any], path: JsonPath, losses: Losses) -> None:
    for closed, other in ((first, second), (second, first)):
        names = [name for name in properties_of(other) if name not in properties_of(closed)]
        if names and closed.get("additionalProperties") is False:
            note = (
                f"closed around the merged properties; as written, {', '.join(names)} could never be passed"
            )
            losses.add(path, "additionalProperties", note)
            return


def _same(first: Any, second: Any) -> bool:
    return type(first) is type(second) and as_text(first) == as_text(second)


def _of(fits: Callable[[Any], bool], combine: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A way to combine two values that both fit; None for others."""
    return lambda first, second: combine(first, second) if fits(first) and fits(second) else None


def _is(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kind)


def _types(first: Any, second: Any) -> Any:
    mine = [first] if isinstance(first, str) else first
    others = [second] if isinstance(second, str) else second
    if not isinstance(mine, list) or not isinstance(others, list):
        return None
    kept = [kind for kind in mine if kind in others or (kind == "integer" and "number" in others)]
    kept += [kind for kind in others if kind == "integer" and "number" in mine and "integer" not in mine]
    if not kept:
        raise UnfitError(f"the type cannot be both {as_text(first)} and {as_text(second)}")
    return kept[0] if len(kept) == 1 else kept


def _values(first: list[Any], second: list[Any]) -> list[Any]:
    kept = [value for value in first if any(_same(value, other) for other in second)]
    if not kept:
        raise UnfitError(f"no value is in both {as_text(first)} and {as_text(second)}")
    return kept


def _constant(first: Any, second: Any) -> Any:
    raise UnfitError(f"the value cannot be both {as_text(first)} and {as_text(second)}")


def _texts(first: str, second: str) -> str:
    return first if second.strip() in first else f"{first.rstrip()} {second}".strip()


def _names(first: list[Any], second: list[Any]) -> list[Any]:
    return [*first, *(name for name in second if name not in first)]


_PLAIN: dict[str, Callable[[Any, Any], Any]] = {
    "type": _types,
    "enum": _of(_is(list), _values),
    "const": _constant,
    "description": _of(_is(str), _texts),
    "required": _of(_is(list), _names),
    "multipleOf": _of(lambda value: isinstance(value, int) and value > 0, math.lcm),
    "uniqueItems": _of(_is(bool), lambda first, second: first or second),
    **dict.fromkeys(
        ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains"),
        _of(is_number, max),
    ),
    **dict.fromkeys(
        ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains"),
        _of(is_number, min),
    ),
}


_SAID = frozenset(("type", "properties", "required", "additionalProperties", "description", "title"))


def one_object(schema: dict[str, Any], losses: Losses) -> dict[str, Any]:
    """The variants merged into one object that requires only what all of them require.

    A property that they describe differently may match any of them.
    """
    for key in ("anyOf", "oneOf"):
        if key in schema:
            schema = _merge_variants(without(schema, [key]), key, schema[key], losses)
    return schema


def _merge_variants(schema: dict[str, Any], key: str, listed: Any, losses: Losses) -> dict[str, Any]:
    losses.add((), key, "merged into one object: which fields belong together is lost")
    variants = [part for part in listed if isinstance(part, dict)] if isinstance(listed, list) else []
    if not variants:
        return schema
    properties = dict(properties_of(schema))
    for name, forms in _forms(variants).items():
        if name not in properties:
            properties[name] = forms[0] if len(forms) == 1 else {"anyOf": forms}
        elif any(form != properties[name] for form in forms):
            losses.add(("properties", name), key, f"removed what a variant adds: {as_text(forms)}")
    first, *others = map(required_of, variants)
    common = [name for name in first if all(name in names for names in others)]
    for index, variant in enumerate(variants):
        for left in set(variant) - _SAID:
            losses.add((key, index), left, f"removed with its variant: {as_text(variant[left])}")
    if common:
        schema = intersect_schemas(without(schema, ["properties"]), {"required": common}, (), losses)
    return {**schema, "type": "object", "properties": properties}


def _forms(variants: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Each property with the different schemas from the variants."""
    by_name: dict[str, list[Any]] = {}
    for variant in variants:
        for name, schema in properties_of(variant).items():
            forms = by_name.setdefault(name, [])
            if schema not in forms:
                forms.append(schema)
    return by_name
