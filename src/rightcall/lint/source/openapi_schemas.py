"""Schemas of an OpenAPI document as a tool would have them: self-contained JSON Schema 2020-12."""

from __future__ import annotations

from typing import Any

from rightcall.files import JsonPath, at_pointer, pointer_parts

_DEEPEST = 12
_VALUES = frozenset(("default", "enum", "const", "example", "examples"))
"""Keywords that contain values, not schemas."""


class Schemas:
    """Takes schemas out of one document for one tool.

    References are replaced by what they lead to. A schema that refers to itself cannot be: it becomes a definition
    under `$defs`, as its author wrote it, and so does what is referred to far down. `places` leads from each
    definition to its path in the document.
    """

    def __init__(self, root: Any) -> None:
        self._root = root
        self._is_30 = str(root.get("openapi", "")).startswith("3.0")
        self._names: dict[str, str] = {}
        self.definitions: dict[str, Any] = {}
        self.places: dict[JsonPath, JsonPath] = {}

    def taken(self, value: Any, depth: int = 0) -> Any:
        """A schema, or a part of one, without references to elsewhere."""
        if isinstance(value, list):
            return [self.taken(part, depth + 1) for part in value]
        if not isinstance(value, dict):
            return value
        if isinstance(value.get("$ref"), str):
            return self._followed(value, depth)
        value = self._without_read_only(value)
        taken = {key: part if key in _VALUES else self.taken(part, depth + 1) for key, part in value.items()}
        return _as_2020_12(taken) if self._is_30 else taken

    def _followed(self, value: dict[str, Any], depth: int) -> Any:
        reference: str = value["$ref"]
        found, path = resolved(self._root, value, ())
        if not isinstance(found, dict) or found is value:
            return value
        beside = {key: self.taken(part, depth + 1) for key, part in value.items() if key != "$ref"}
        if depth <= _DEEPEST and not self._leads_to_itself(reference):
            return {**self.taken(found, depth + 1), **beside}
        if reference not in self._names:
            name = str(path[-1])
            while name in self.definitions:
                name += "_"
            self._names[reference] = name
            self.definitions[name] = {}  # taken from now on, also by what is inside
            self.places["input_schema", "$defs", name] = path
            self.definitions[name] = self.taken(found)
        return {"$ref": f"#/$defs/{self._names[reference]}", **beside}

    def _leads_to_itself(self, reference: str) -> bool:
        seen: set[str] = set()
        waiting = [reference]
        while waiting:
            found, _ = resolved(self._root, {"$ref": waiting.pop()}, ())
            for inner in _references(found):
                if inner == reference:
                    return True
                if inner not in seen:
                    seen.add(inner)
                    waiting.append(inner)
        return False

    def _without_read_only(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Response-only fields are not arguments."""
        members = schema.get("properties")
        if not isinstance(members, dict):
            return schema
        kept = {name: member for name, member in members.items() if not self._is_read_only(member)}
        if len(kept) == len(members):
            return schema
        changed = {**schema, "properties": kept}
        if isinstance(schema.get("required"), list):
            gone = members.keys() - kept.keys()
            changed["required"] = [
                name for name in schema["required"] if not isinstance(name, str) or name not in gone
            ]
        return changed

    def _is_read_only(self, member: Any) -> bool:
        found, _ = resolved(self._root, member, ())
        return any(isinstance(each, dict) and each.get("readOnly") is True for each in (member, found))


def resolved(root: Any, value: Any, path: JsonPath) -> tuple[Any, JsonPath]:
    """Follow a local reference, keeping the path of what it leads to."""
    for _ in range(_DEEPEST):
        reference = value.get("$ref") if isinstance(value, dict) else None
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return value, path
        value, path = at_pointer(root, reference[1:]), tuple(pointer_parts(reference[1:]))
    return None, path


def _references(value: Any) -> list[str]:
    found: list[str] = []
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if isinstance(part.get("$ref"), str):
                found.append(part["$ref"])
            waiting += [inner for key, inner in part.items() if key not in _VALUES]
        elif isinstance(part, list):
            waiting += part
    return found


def _as_2020_12(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema of OpenAPI 3.0 converted to JSON Schema: `nullable` and boolean bounds are written differently there."""
    made = dict(schema)
    if isinstance(made.get("nullable"), bool):
        nullable = made.pop("nullable")
        if nullable and isinstance(made.get("type"), str):  # without a type it has no effect (OpenAPI 3.0.3)
            made["type"] = [made["type"], "null"]
    for bound, plain in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(made.get(bound), bool):
            exclusive = made.pop(bound)
            if exclusive and plain in made:
                made[bound] = made.pop(plain)
    return made
