"""Operations of an OpenAPI 3 document as tools, the way generators for agents make them.

Parameters become properties, the body is flattened into them when it is an object, schemas become self-contained JSON
Schema 2020-12. The tools are derived, so they are linted but not corrected in the file.
"""

from __future__ import annotations

import re
from typing import Any

from rightcall.files.documents import JsonPath, pointer_parts
from rightcall.lint.source.document import Document
from rightcall.lint.source.tools import SourceTool
from rightcall.schema.subschemas import reference_of, target_of

_METHODS = ("get", "put", "post", "delete", "patch", "head", "options")


def operations_in(document: Document) -> list[SourceTool]:
    """One tool per operation, named by `operationId` or by method and path."""
    paths = document.value.get("paths")
    return [
        _tool(document, ("paths", route, method), operation, item)
        for route, item in (paths.items() if isinstance(paths, dict) else ())
        if isinstance(item, dict)
        for method, operation in item.items()
        if method in _METHODS and isinstance(operation, dict)
    ]


def _tool(document: Document, base: JsonPath, operation: dict[str, Any], item: dict[str, Any]) -> SourceTool:
    places: dict[JsonPath, JsonPath] = {("name",): (*base, "operationId"), ("input_schema",): base}
    properties: dict[str, Any] = {}
    required: list[str] = []
    schemas = Schemas(document.value)
    lists = ((operation, (*base, "parameters")), (item, (*base[:2], "parameters")))
    for holder, path in lists:
        for index, entry in enumerate(_list(holder.get("parameters"))):
            parameter, at = follow_reference(document.value, entry, (*path, index))
            _add_parameter(schemas, parameter, at, properties, required, places)
    _add_body(document.value, schemas, operation.get("requestBody"), base, properties, required, places)
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
    if schemas.definitions:
        schema["$defs"] = schemas.definitions
        places |= schemas.places
    described = "description" if operation.get("description") else "summary"
    places[("description",)] = (*base, described)
    name = operation.get("operationId")
    return SourceTool(
        name=name if isinstance(name, str) else _name_of(base),
        description=_text(operation.get(described)),
        input_schema=schema,
        spelling="openapi",
        annotations={"readOnlyHint": True} if base[2] in ("get", "head", "options") else None,
        base=base,
        paths=places,
        document=document,
        fixable=False,
        extension=operation.get("x-rightcall"),
        raw=operation,
    )


def _add_parameter(
    schemas: Schemas,
    parameter: Any,
    at: JsonPath,
    properties: dict[str, Any],
    required: list[str],
    places: dict[JsonPath, JsonPath],
) -> None:
    if not isinstance(parameter, dict) or not isinstance(parameter.get("name"), str):
        return
    if parameter.get("in") not in ("query", "path") or parameter["name"] in properties:
        return  # headers and cookies are set by the client, not by a model
    schema = schemas.without_references(parameter.get("schema"))
    schema = dict(schema) if isinstance(schema, dict) else {}
    if _text(parameter.get("description")):
        schema["description"] = parameter["description"]
    properties[parameter["name"]] = schema
    places[("input_schema", "properties", parameter["name"])] = at
    if parameter.get("required") is True or parameter.get("in") == "path":
        required.append(parameter["name"])


def _add_body(
    root: Any,
    schemas: Schemas,
    body: Any,
    base: JsonPath,
    properties: dict[str, Any],
    required: list[str],
    places: dict[JsonPath, JsonPath],
) -> None:
    body, at = follow_reference(root, body, (*base, "requestBody"))
    content = body.get("content") if isinstance(body, dict) else None
    media = content.get("application/json") if isinstance(content, dict) else None
    if not isinstance(media, dict):
        return
    target, at = follow_reference(root, media.get("schema"), (*at, "content", "application/json", "schema"))
    schema = schemas.without_references(target)
    if not isinstance(schema, dict):
        return
    members = schema.get("properties")
    if not isinstance(members, dict):
        members, at = {"body": schema}, at[:-1]
    for name, member in members.items():
        if name not in properties:
            properties[name] = member
            places[("input_schema", "properties", name)] = (*at, "properties", name)
    if body.get("required") is True:
        required += [name for name in _list(schema.get("required")) if name in members]


def _name_of(base: JsonPath) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", f"{base[2]}_{base[1]}").strip("_")


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


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

    def without_references(self, value: Any, depth: int = 0) -> Any:
        """A schema, or a part of one, without references to elsewhere."""
        if isinstance(value, list):
            return [self.without_references(part, depth + 1) for part in value]
        if not isinstance(value, dict):
            return value
        if reference_of(value) is not None:
            return self._follow(value, depth)
        value = self._without_read_only(value)
        taken = {
            key: part if key in _VALUES else self.without_references(part, depth + 1)
            for key, part in value.items()
        }
        return _as_2020_12(taken) if self._is_30 else taken

    def _follow(self, value: dict[str, Any], depth: int) -> Any:
        reference: str = value["$ref"]
        target, path = follow_reference(self._root, value, ())
        if not isinstance(target, dict) or target is value:
            return value
        beside = {
            key: self.without_references(part, depth + 1) for key, part in value.items() if key != "$ref"
        }
        if depth <= _DEEPEST and not self._leads_to_itself(reference):
            return {**self.without_references(target, depth + 1), **beside}
        if reference not in self._names:
            name = str(path[-1])
            while name in self.definitions:
                name += "_"
            self._names[reference] = name
            self.definitions[name] = {}  # taken from now on, also by what is inside
            self.places["input_schema", "$defs", name] = path
            self.definitions[name] = self.without_references(target)
        return {"$ref": f"#/$defs/{self._names[reference]}", **beside}

    def _leads_to_itself(self, reference: str) -> bool:
        seen: set[str] = set()
        waiting = [reference]
        while waiting:
            target, _ = follow_reference(self._root, {"$ref": waiting.pop()}, ())
            for inner in _references(target):
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
        target, _ = follow_reference(self._root, member, ())
        return any(isinstance(schema, dict) and schema.get("readOnly") is True for schema in (member, target))


def follow_reference(root: Any, value: Any, path: JsonPath) -> tuple[Any, JsonPath]:
    """Follow a local reference, keeping the path of what it leads to."""
    for _ in range(_DEEPEST):
        reference = reference_of(value)
        if reference is None or not reference.startswith("#/"):
            return value, path
        value, path = target_of(root, reference), tuple(pointer_parts(reference[1:]))
    return None, path


def _references(value: Any) -> list[str]:
    references: list[str] = []
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if (reference := reference_of(part)) is not None:
                references.append(reference)
            waiting += [inner for key, inner in part.items() if key not in _VALUES]
        elif isinstance(part, list):
            waiting += part
    return references


def _as_2020_12(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema of OpenAPI 3.0 converted to JSON Schema: `nullable` and boolean bounds are written differently there."""
    changed = dict(schema)
    if isinstance(changed.get("nullable"), bool):
        nullable = changed.pop("nullable")
        if nullable and isinstance(changed.get("type"), str):  # else it has no effect (OpenAPI 3.0.3)
            changed["type"] = [changed["type"], "null"]
    for bound, plain in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(changed.get(bound), bool):
            exclusive = changed.pop(bound)
            if exclusive and plain in changed:
                changed[bound] = changed.pop(plain)
    return changed
