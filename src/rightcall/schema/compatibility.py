"""What changed between two versions of a JSON Schema, and whether callers and readers of the old one still fit.

Arguments that fitted the old input schema must fit the new one; a reader of results must find what the old output
schema promised. Keywords that are not compared (`allOf`, `not`, `if`, `patternProperties`, …) are reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from rightcall.core.canonical_json import canonical
from rightcall.core.text import first_names
from rightcall.schema.subschemas import properties_of, reference_of, required_of, target_of
from rightcall.schema.types import TYPE_NAMES, is_number, without

Role = Literal["input", "output"]
ChangeLevel = Literal["breaking", "model", "compatible"]
"""How much a change matters: code breaks, a model may act differently, or neither."""

_TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")
_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_SHOWN = ("title", "description", "examples", "format", "deprecated")
_UNCOMPARED = (
    "allOf", "not", "if", "then", "else", "patternProperties", "propertyNames", "dependentSchemas", "dependentRequired",
    "prefixItems", "contains", "unevaluatedProperties", "unevaluatedItems",
)  # fmt: skip
MOST_DEPTH = 30


class SchemaChange(NamedTuple):
    """One difference: where, what, and how much it matters."""

    path: str
    text: str
    level: ChangeLevel


def schema_changes(old: Any, new: Any, role: Role) -> list[SchemaChange]:
    """Every difference that callers or models can notice; empty for schemas that mean and say the same."""
    return list(_Comparison(old, new, role).changes(old, new, "", MOST_DEPTH))


@dataclass(frozen=True)
class _Comparison:
    old_root: Any
    new_root: Any
    role: Role

    def changes(self, old: Any, new: Any, path: str, depth: int) -> Iterator[SchemaChange]:
        old = _resolve(old, self.old_root)
        new = _resolve(new, self.new_root)
        if depth == 0 or _same(old, new):
            return
        yield from _changes_to_show(old, new, path)
        old_variants = _variants(old)
        new_variants = _variants(new)
        if old_variants != [old] or new_variants != [new]:
            yield from self._variant_changes(old_variants, new_variants, path, depth)
            return
        type_changes = list(self._type_changes(old, new, path))
        yield from type_changes
        if _breaks(type_changes):
            return
        yield from self._enum_changes(old, new, path)
        yield from self._bound_changes(old, new, path)
        yield from self._property_changes(old, new, path, depth)
        yield from self._item_changes(old, new, path, depth)
        for keyword in _UNCOMPARED:
            if not _same(old.get(keyword), new.get(keyword)):
                yield SchemaChange(path, f"{keyword} changed, which is not compared", "model")

    def _type_changes(self, old: Any, new: Any, path: str) -> Iterator[SchemaChange]:
        before = _types(old)
        after = _types(new)
        if before == after:
            return
        words = f"type changed from {_type_words(before)} to {_type_words(after)}"
        fits = before <= after or (self.role == "output" and after <= before)
        yield SchemaChange(path, words, "compatible" if fits else "breaking")

    def _enum_changes(self, old: Any, new: Any, path: str) -> Iterator[SchemaChange]:
        before = _values(old)
        after = _values(new)
        if before == after:
            return
        if before is None:
            level: ChangeLevel = "breaking" if self.role == "input" else "compatible"
            yield SchemaChange(path, f"only some values are allowed now: {_names(after)}", level)
        elif after is None:
            yield SchemaChange(path, "every value is allowed now", "compatible")
        else:
            gone = before.keys() - after.keys()
            added = after.keys() - before.keys()
            if gone:
                lost = {key: before[key] for key in before if key in gone}
                breaks = self.role == "input" or gone == before.keys()
                text = f"values no longer allowed: {_names(lost)}"
                yield SchemaChange(path, text, "breaking" if breaks else "compatible")
            if added:
                text = f"values added: {_names({key: after[key] for key in after if key in added})}"
                yield SchemaChange(path, text, "compatible")

    def _bound_changes(self, old: Any, new: Any, path: str) -> Iterator[SchemaChange]:
        tighter: ChangeLevel = "breaking" if self.role == "input" else "compatible"
        for keyword in (*_LOWER, *_UPPER):
            before, after = (bound if is_number(bound := side.get(keyword)) else None for side in (old, new))
            if before == after:
                continue
            is_tighter = after is not None and (
                before is None or (after > before if keyword in _LOWER else after < before)
            )
            text = f"{keyword} changed from {_bound(before)} to {_bound(after)}"
            yield SchemaChange(path, text, tighter if is_tighter else "compatible")
        for keyword in ("pattern", "multipleOf", "uniqueItems"):
            before = old.get(keyword) or None
            after = new.get(keyword) or None
            if before != after:
                text = f"{keyword} changed from {_bound(before)} to {_bound(after)}"
                yield SchemaChange(path, text, "compatible" if after is None else tighter)

    def _property_changes(self, old: Any, new: Any, path: str, depth: int) -> Iterator[SchemaChange]:
        before = properties_of(old)
        after = properties_of(new)
        needed = required_of(old)
        needs = required_of(new)
        for name in sorted({*before, *after, *needed, *needs}):
            inner = f"{path}.{name}" if path else name
            if name in before and name not in after and name not in needs:
                refused = self.role == "output" or new.get("additionalProperties") is False
                yield SchemaChange(inner, "property gone", "breaking" if refused else "model")
                if isinstance(others := new.get("additionalProperties"), dict) and self.role == "input":
                    yield from self.changes(before[name], others, inner, depth - 1)
                continue
            if name not in before and name not in needed:
                if self.role == "input" and name in needs:
                    yield SchemaChange(inner, "new required property", "breaking")
                else:
                    yield SchemaChange(inner, "property added", "compatible")
                continue
            if (name in needs) != (name in needed):
                text = "is required now" if name in needs else "is no longer required"
                breaks = (name in needs) == (self.role == "input")
                yield SchemaChange(inner, text, "breaking" if breaks else "compatible")
            if name in before and name in after:
                yield from self.changes(before[name], after[name], inner, depth - 1)
        yield from self._additional_changes(old, new, path, depth)

    def _additional_changes(self, old: Any, new: Any, path: str, depth: int) -> Iterator[SchemaChange]:
        before = old.get("additionalProperties", True)
        after = new.get("additionalProperties", True)
        if _same(before, after):
            return
        if isinstance(before, dict) and isinstance(after, dict):
            yield from self.changes(before, after, f"{path}.*" if path else "*", depth - 1)
        elif after is True or before is False:
            yield SchemaChange(path, "other properties are allowed now", "compatible")
        else:
            level: ChangeLevel = "model" if self.role == "input" else "compatible"
            yield SchemaChange(path, "other properties are refused now", level)

    def _item_changes(self, old: Any, new: Any, path: str, depth: int) -> Iterator[SchemaChange]:
        before = old.get("items")
        after = new.get("items")
        if isinstance(before, dict) and isinstance(after, dict):
            yield from self.changes(before, after, f"{path}[]", depth - 1)
        elif not _same(before, after):
            restricted = after is not None and after is not True
            breaks = restricted and self.role == "input"
            text = "items are restricted now" if restricted else "items of any kind are allowed now"
            yield SchemaChange(f"{path}[]", text, "breaking" if breaks else "compatible")

    def _variant_changes(
        self, old: list[Any], new: list[Any], path: str, depth: int
    ) -> Iterator[SchemaChange]:
        """Each old variant against the new one that it fits best."""
        kept = 0
        for variant in old:
            candidates = [list(self.changes(variant, other, path, depth - 1)) for other in new]
            best = min(candidates, key=lambda changes: (_breaks(changes), len(changes)))
            breaks = _breaks(best) > 0
            kept += not breaks
            if breaks and self.role == "input":
                yield SchemaChange(path, f"{_type_words(_types(variant))} no longer fits", "breaking")
            elif not breaks:
                yield from best
        if self.role == "output" and not kept:
            yield SchemaChange(path, "type changed: none of the variants is left", "breaking")
        if len(new) > len(old):
            yield SchemaChange(path, "variant added", "compatible")
        elif len(new) < len(old):
            yield SchemaChange(path, "variant gone", "compatible")


def _changes_to_show(old: dict[str, Any], new: dict[str, Any], path: str) -> Iterator[SchemaChange]:
    """What only a model reads, and the default, which changes what a call without the argument means."""
    for keyword in _SHOWN:
        if not _same(old.get(keyword), new.get(keyword)):
            yield SchemaChange(path, f"{keyword} changed", "model")
    if ("default" in old) != ("default" in new) or not _same(old.get("default"), new.get("default")):
        yield SchemaChange(path, f"default changed from {_default(old)} to {_default(new)}", "model")


def _resolve(schema: Any, root: Any) -> dict[str, Any]:
    for _ in range(10):
        reference = reference_of(schema)
        target = target_of(root, reference) if reference else None
        if not isinstance(target, dict):
            break
        schema = {**target, **without(schema, ["$ref"])}
    if schema is False:
        return {"not": {}}
    return schema if isinstance(schema, dict) else {}


def _variants(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The variants of a schema, each with the other keywords of the schema; what both of them state is not compared."""
    for keyword in ("anyOf", "oneOf"):
        listed = schema.get(keyword)
        if isinstance(listed, list) and listed:
            beside = without(schema, (keyword, *_SHOWN, "default"))
            variants = [variant if isinstance(variant, dict) else {} for variant in listed]
            both = [{"allOf": [beside, one]} if beside.keys() & one.keys() else {} for one in variants]
            return [{**beside, **one, **clash} for one, clash in zip(variants, both, strict=True)]
    return [schema]


def _types(schema: dict[str, Any]) -> frozenset[str]:
    stated = schema.get("type")
    names = stated if isinstance(stated, list) else [stated] if isinstance(stated, str) else []
    types = {name for name in names if name in _TYPES}
    if not types:
        types = {TYPE_NAMES.get(type(value), "null") for value in (_values(schema) or {}).values()} or set(
            _TYPES
        )
    return frozenset(types | {"integer"} if "number" in types else types)


def _type_words(types: frozenset[str]) -> str:
    if len(types) == len(_TYPES):
        return "any"
    shown = types - {"integer"} if "number" in types else types
    return " or ".join(name for name in _TYPES if name in shown)


def _values(schema: dict[str, Any]) -> dict[bytes, Any] | None:
    listed = schema.get("enum")
    values = {canonical(value): value for value in listed} if isinstance(listed, list) else None
    if "const" not in schema:
        return values
    key = canonical(schema["const"])
    return {key: schema["const"]} if values is None or key in values else {}


def _names(values: dict[bytes, Any] | None) -> str:
    return first_names([key.decode() for key in values or {}], 5)


def _bound(value: Any) -> str:
    return "none" if value is None else canonical(value).decode()


def _default(schema: dict[str, Any]) -> str:
    return canonical(schema["default"]).decode()[:80] if "default" in schema else "none"


def _breaks(changes: list[SchemaChange]) -> int:
    return sum(change.level == "breaking" for change in changes)


def _same(old: Any, new: Any) -> bool:
    return canonical(old) == canonical(new)
