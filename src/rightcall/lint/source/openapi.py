"""Operations of an OpenAPI 3 document as tools, the way generators for agents make them.

Parameters become properties, the body is flattened into them when it is an object, local references are
followed a few levels deep. The tools are derived, so they are linted but not corrected in the file.
"""

from __future__ import annotations

import re
from typing import Any

from rightcall.lint.diagnostic import Path
from rightcall.lint.source.document import Document
from rightcall.lint.source.tools import SourceTool

_METHODS = ("get", "put", "post", "delete", "patch", "head", "options")
_DEEPEST = 12


def is_openapi(value: Any) -> bool:
    """Does the document call itself OpenAPI 3?"""
    return isinstance(value, dict) and isinstance(value.get("openapi"), str) and "paths" in value


def operations_in(document: Document) -> list[SourceTool]:
    """One tool an operation, named by `operationId` or by method and path."""
    paths = document.value.get("paths")
    return [
        _tool(document, ("paths", route, method), operation, item)
        for route, item in (paths.items() if isinstance(paths, dict) else ())
        if isinstance(item, dict)
        for method, operation in item.items()
        if method in _METHODS and isinstance(operation, dict)
    ]


def _tool(document: Document, base: Path, operation: dict[str, Any], item: dict[str, Any]) -> SourceTool:
    places: dict[Path, Path] = {("name",): (*base, "operationId"), ("input_schema",): base}
    properties: dict[str, Any] = {}
    required: list[str] = []
    lists = ((operation, (*base, "parameters")), (item, (*base[:2], "parameters")))
    for holder, path in lists:
        for index, entry in enumerate(_list(holder.get("parameters"))):
            parameter, at = _resolved(document.value, entry, (*path, index))
            _add_parameter(document.value, parameter, at, properties, required, places)
    _add_body(document.value, operation.get("requestBody"), base, properties, required, places)
    described = "description" if operation.get("description") else "summary"
    places[("description",)] = (*base, described)
    name = operation.get("operationId")
    return SourceTool(
        name=name if isinstance(name, str) else _name_of(base),
        description=_text(operation.get(described)),
        input_schema={"type": "object", "properties": properties, "required": required},
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
    root: Any,
    parameter: Any,
    at: Path,
    properties: dict[str, Any],
    required: list[str],
    places: dict[Path, Path],
) -> None:
    if not isinstance(parameter, dict) or not isinstance(parameter.get("name"), str):
        return
    if parameter.get("in") not in ("query", "path") or parameter["name"] in properties:
        return  # headers and cookies are set by the client, not by a model
    schema = _inlined(root, parameter.get("schema"), 0)
    schema = dict(schema) if isinstance(schema, dict) else {}
    if _text(parameter.get("description")):
        schema["description"] = parameter["description"]
    properties[parameter["name"]] = schema
    places[("input_schema", "properties", parameter["name"])] = at
    if parameter.get("required") is True or parameter.get("in") == "path":
        required.append(parameter["name"])


def _add_body(
    root: Any,
    body: Any,
    base: Path,
    properties: dict[str, Any],
    required: list[str],
    places: dict[Path, Path],
) -> None:
    body, at = _resolved(root, body, (*base, "requestBody"))
    content = body.get("content") if isinstance(body, dict) else None
    media = content.get("application/json") if isinstance(content, dict) else None
    if not isinstance(media, dict):
        return
    found, at = _resolved(root, media.get("schema"), (*at, "content", "application/json", "schema"))
    schema = _inlined(root, found, 0)
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


def _resolved(root: Any, value: Any, path: Path) -> tuple[Any, Path]:
    """Follow a local reference, keeping the path of what it leads to."""
    for _ in range(_DEEPEST):
        reference = value.get("$ref") if isinstance(value, dict) else None
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return value, path
        parts = [part.replace("~1", "/").replace("~0", "~") for part in reference[2:].split("/")]
        value, path = root, tuple(parts)
        for part in parts:
            value = value.get(part) if isinstance(value, dict) else None
    return None, path


def _inlined(root: Any, value: Any, depth: int) -> Any:
    """The schema with local references replaced; a reference too deep becomes an open object."""
    if depth > _DEEPEST:
        return {"type": "object"}
    if isinstance(value, list):
        return [_inlined(root, part, depth + 1) for part in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        found, _ = _resolved(root, value, ())
        return _inlined(root, found, depth + 1) if found is not value else value
    return {key: _inlined(root, part, depth + 1) for key, part in value.items()}


def _name_of(base: Path) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", f"{base[2]}_{base[1]}").strip("_")


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
