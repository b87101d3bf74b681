"""Operations of an OpenAPI 3 document as tools, the way generators for agents make them.

Parameters become properties, the body is flattened into them when it is an object, schemas become self-contained JSON
Schema 2020-12. The tools are derived, so they are linted but not corrected in the file.
"""

from __future__ import annotations

import re
from typing import Any

from rightcall.core.groups import reachable
from rightcall.files.documents import JsonPath, pointer_parts
from rightcall.files.places import Document
from rightcall.lint.source.tools import SourceTool, text_of
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
    schemas = Schemas(document.value)
    for holder, path in ((operation, base), (item, base[:2])):
        for index, entry in enumerate(_list(holder.get("parameters"))):
            schemas.add_parameter(entry, (*path, "parameters", index))
    schemas.add_body(operation.get("requestBody"), (*base, "requestBody"))
    described = "description" if operation.get("description") else "summary"
    places = {("name",): "operationId", ("description",): described}
    name = operation.get("operationId")
    plain_name = re.sub(r"[^A-Za-z0-9]+", "_", f"{base[2]}_{base[1]}").strip("_")
    return SourceTool(
        name=name if isinstance(name, str) else plain_name,
        description=text_of(operation.get(described)),
        input_schema=schemas.input_schema(),
        spelling="openapi",
        annotations={"readOnlyHint": True} if base[2] in ("get", "head", "options") else None,
        base=base,
        paths={
            ("input_schema",): base,
            **{path: (*base, key) for path, key in places.items()},
            **schemas.places,
        },
        document=document,
        fixable=False,
        extension=operation.get("x-rightcall"),
        raw=operation,
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


_DEEPEST = 12
_VALUES = frozenset(("default", "enum", "const", "example", "examples"))
"""Keywords that contain values, not schemas."""


class Schemas:
    """Takes schemas out of one document for the arguments of one tool.

    References are replaced by what they lead to. A schema that refers to itself cannot be: it becomes a definition
    under `$defs`, as its author wrote it, and so does what is referred to far down. `places` leads from each
    argument and definition to its path in the document.
    """

    def __init__(self, root: Any) -> None:
        self._root = root
        self._is_30 = str(root.get("openapi", "")).startswith("3.0")
        self._names: dict[str, str] = {}
        self._properties: dict[str, Any] = {}
        self._required: list[str] = []
        self._definitions: dict[str, Any] = {}
        self.places: dict[JsonPath, JsonPath] = {}

    def input_schema(self) -> dict[str, Any]:
        """The schema of the arguments that were added."""
        definitions = {"$defs": self._definitions} if self._definitions else {}
        return {"type": "object", "properties": self._properties, "required": self._required, **definitions}

    def add_parameter(self, parameter: Any, at: JsonPath) -> None:
        """Add a parameter of the path or the query: headers and cookies are set by the client, not by a model."""
        parameter, at = follow_reference(self._root, parameter, at)
        name = parameter.get("name") if isinstance(parameter, dict) else None
        if (
            not isinstance(name, str)
            or name in self._properties
            or parameter.get("in") not in ("query", "path")
        ):
            return
        schema = self.without_references(parameter.get("schema"))
        described = {"description": text} if (text := text_of(parameter.get("description"))) else {}
        self._add(name, {**(schema if isinstance(schema, dict) else {}), **described}, at)
        if parameter.get("required") is True or parameter["in"] == "path":
            self._required.append(name)

    def add_body(self, body: Any, at: JsonPath) -> None:
        """Add the properties of a JSON body; one that has none is the argument `body`."""
        body, at = follow_reference(self._root, body, at)
        content = body.get("content") if isinstance(body, dict) else None
        media = content.get("application/json") if isinstance(content, dict) else None
        place = (*at, "content", "application/json", "schema")
        target, at = follow_reference(
            self._root, media.get("schema") if isinstance(media, dict) else None, place
        )
        schema = self.without_references(target)
        if not isinstance(schema, dict):
            return
        members = schema.get("properties")
        if not isinstance(members, dict):
            members, at = {"body": schema}, at[:-1]
        for name in [name for name in members if name not in self._properties]:
            self._add(name, members[name], (*at, "properties", name))
        if body.get("required") is True:
            self._required += [name for name in _list(schema.get("required")) if name in members]

    def _add(self, name: str, schema: Any, at: JsonPath) -> None:
        self._properties[name] = schema
        self.places["input_schema", "properties", name] = at

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
            while name in self._definitions:
                name += "_"
            self._names[reference] = name
            self._definitions[name] = {}  # taken from now on, also by what is inside
            self.places["input_schema", "$defs", name] = path
            self._definitions[name] = self.without_references(target)
        return {"$ref": f"#/$defs/{self._names[reference]}", **beside}

    def _leads_to_itself(self, reference: str) -> bool:
        def references_in(here: str) -> list[str]:
            return _references(follow_reference(self._root, {"$ref": here}, ())[0])

        return reference in reachable(references_in(reference), references_in)

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
