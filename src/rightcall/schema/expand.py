"""References, `allOf` and variants expanded, where a target does not accept them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from rightcall.files.documents import JsonPath
from rightcall.schema.join import UnfitError, intersect_schemas
from rightcall.schema.rewrite import DEEPEST, TESTS, Losses, without
from rightcall.schema.subschemas import DEFINITIONS, is_local, target_of, with_subschemas

MOST_SCHEMAS = 20_000
ANNOTATIONS = frozenset(("description", "title", "default", "examples", "example", "deprecated", "readOnly",
                         "writeOnly", "$defs", "definitions", "$schema", "$id", "$comment"))  # fmt: skip
"""Keywords that annotate a schema and constrain no value."""


@dataclass(frozen=True)
class Needs:
    """What a target needs expanded.

    `plain_root`: no `allOf` at the root, and no references among its variants. `no_all_of`: one schema
    instead of `allOf`, anywhere. `lone_references`: nothing next to a `$ref`. `lone_variants`: nothing that
    constrains values next to `anyOf`, or at least no properties.
    """

    plain_root: bool = False
    no_all_of: bool = False
    lone_references: bool = False
    lone_variants: Literal["none", "objects", "all"] = "none"


Expanded = tuple[dict[str, Any], frozenset[str]]
"""A schema, and the references that were expanded around what is in it."""


class CircularError(Exception):
    """A reference that contains itself."""


def expand_schema(schema: dict[str, Any], needs: Needs, losses: Losses) -> dict[str, Any]:
    """The whole schema expanded as the target needs it. The root is never a reference."""
    return dict(_Expansion(schema, needs, losses).root())


class _Expansion:
    def __init__(self, root: dict[str, Any], needs: Needs, losses: Losses) -> None:
        self._root, self._needs, self._losses = root, needs, losses
        self._seen = 0

    def root(self) -> Any:
        schema: Any = self._root
        within: frozenset[str] = frozenset()
        try:
            if "$ref" in schema or (self._needs.plain_root and "allOf" in schema):
                schema, within = self._open(schema, (), within)
            for key in ("anyOf", "oneOf") if self._needs.plain_root else ():
                schema = self._with_open_variants(schema, key, within)
        except UnfitError as unfit:
            self._losses.refuse((), "allOf", f"no value matches: {unfit}")
        except CircularError as circle:
            self._losses.refuse((), "$ref", str(circle))
        return self._schema(schema, (), within)

    def _with_open_variants(self, schema: dict[str, Any], key: str, within: frozenset[str]) -> dict[str, Any]:
        variants = schema.get(key)
        if not isinstance(variants, list):
            return schema
        opened = [
            self._open(variant, (key, index), within)[0] if isinstance(variant, dict) else variant
            for index, variant in enumerate(variants)
        ]
        return {**schema, key: opened}

    def _schema(self, schema: Any, path: JsonPath, within: frozenset[str]) -> Any:
        """One schema and those inside it; `within` are the references expanded around it."""
        self._seen += 1
        if not isinstance(schema, dict) or len(path) > DEEPEST:
            return schema
        if self._seen > MOST_SCHEMAS:
            note = f"more than {MOST_SCHEMAS:,} schemas after expanding its references"
            self._losses.refuse((), "$ref", note)
            return schema
        schema, within = self._alone(schema, path, within)
        left = TESTS if self._needs.no_all_of else ()
        return with_subschemas(schema, path, lambda part, at: self._schema(part, at, within), except_in=left)

    def _alone(self, schema: dict[str, Any], path: JsonPath, within: frozenset[str]) -> Expanded:
        try:
            if self._needs.no_all_of and isinstance(schema.get("allOf"), list):
                schema, within = self._without_all_of(schema, path, within)
            if self._needs.lone_references and self._has_siblings(schema):
                schema, within = self._inline(schema, path, within)
            for key in ("anyOf", "oneOf"):
                if path and self._must_stand_alone(schema, key):
                    schema, within = self._distribute(schema, key, path, within)
        except UnfitError as unfit:
            self._losses.refuse(path, "allOf", f"no value matches: {unfit}")
        except CircularError as circle:
            self._losses.refuse(path, "$ref", str(circle))
        return schema, within

    @staticmethod
    def _has_siblings(schema: dict[str, Any]) -> bool:
        return isinstance(schema.get("$ref"), str) and bool(set(schema) - {"$ref"} - DEFINITIONS)

    def _inline(self, schema: dict[str, Any], path: JsonPath, within: frozenset[str]) -> Expanded:
        try:
            return self._open(schema, path, within)
        except CircularError:
            for key in without(schema, ["$ref"]):
                note = "removed: nothing is allowed next to $ref, and a recursive schema cannot be inlined"
                self._losses.add(path, key, note)
            return {"$ref": schema["$ref"]}, within

    def _open(self, schema: dict[str, Any], path: JsonPath, within: frozenset[str]) -> Expanded:
        """The schema with the reference at its top replaced by its target, and no `allOf`."""
        while isinstance(schema.get("$ref"), str):
            reference = schema["$ref"]
            if reference in within:
                raise CircularError(f"{reference} is recursive and cannot be expanded")
            target = target_of(self._root, reference)
            if not isinstance(target, dict):
                what = "does not resolve" if is_local(reference) else "is in another document"
                self._losses.refuse(path, "$ref", f"{reference} {what}; inline the schema")
                return without(schema, ["$ref"]), within
            within |= {reference}
            if target is self._root:
                target = without(target, DEFINITIONS)
            beside = without(schema, ["$ref"])
            schema = intersect_schemas(without(target, set(beside) & ANNOTATIONS), beside, path, self._losses)
        if isinstance(schema.get("allOf"), list):
            schema, within = self._without_all_of(schema, path, within)
            return self._open(schema, path, within) if "$ref" in schema else (schema, within)
        return schema, within

    def _without_all_of(self, schema: dict[str, Any], path: JsonPath, within: frozenset[str]) -> Expanded:
        parts, rest = schema["allOf"], without(schema, ["allOf"])
        if len(parts) == 1 and isinstance(parts[0], dict) and not set(parts[0]) & set(rest):
            alone = {**parts[0], **rest}
            nested = isinstance(alone.get("allOf"), list)
            return self._without_all_of(alone, path, within) if nested else (alone, within)
        merged, within = self._open(rest, path, within)
        for part in parts:
            if part is False:
                raise UnfitError("one part is false")
            if isinstance(part, dict):
                plain, inside = self._open(part, path, within)
                merged, within = intersect_schemas(merged, plain, path, self._losses), within | inside
        return merged, within

    def _must_stand_alone(self, schema: dict[str, Any], key: str) -> bool:
        if self._needs.lone_variants == "none" or not isinstance(schema.get(key), list):
            return False
        beside = set(schema) - ANNOTATIONS - {key}
        return "properties" in beside if self._needs.lone_variants == "objects" else bool(beside)

    def _distribute(
        self, schema: dict[str, Any], key: str, path: JsonPath, within: frozenset[str]
    ) -> Expanded:
        """Sibling keywords of the variants moved into each of them: both must hold, so nothing is lost."""
        outer = {name: value for name, value in schema.items() if name in ANNOTATIONS}
        beside = without(schema, [*outer, key])
        variants: list[Any] = []
        for index, variant in enumerate(schema[key]):
            if not isinstance(variant, dict):
                continue
            plain, inside = self._open(variant, (*path, key, index), within)
            within |= inside
            try:
                variants.append(intersect_schemas(beside, plain, (*path, key, index), self._losses))
            except UnfitError as unfit:
                self._losses.add(
                    (*path, key, index), key, f"removed a variant that no value matches: {unfit}"
                )
        if not variants:
            raise UnfitError(f"no variant of {key} matches the keywords next to it")
        return {**outer, key: variants}, within
