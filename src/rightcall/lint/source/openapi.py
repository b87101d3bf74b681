"""Operations of an OpenAPI 3 document as tools, the way generators for agents make them.

Parameters become properties, the body is flattened into them when it is an object, schemas are taken as
`openapi_schemas` says. The tools are derived, so they are linted but not corrected in the file.
"""

from __future__ import annotations

import re
from typing import Any

from rightcall.files import JsonPath
from rightcall.lint.source.document import Document
from rightcall.lint.source.openapi_schemas import Schemas, resolved
from rightcall.lint.source.tools import SourceTool

_METHODS = ("get", "put", "post", "delete", "patch", "head", "options")


def is_openapi(value: Any) -> bool:
    """Whether the document declares OpenAPI 3."""
    return isinstance(value, dict) and isinstance(value.get("openapi"), str) and "paths" in value


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
            parameter, at = resolved(document.value, entry, (*path, index))
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
    schema = schemas.taken(parameter.get("schema"))
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
    body, at = resolved(root, body, (*base, "requestBody"))
    content = body.get("content") if isinstance(body, dict) else None
    media = content.get("application/json") if isinstance(content, dict) else None
    if not isinstance(media, dict):
        return
    found, at = resolved(root, media.get("schema"), (*at, "content", "application/json", "schema"))
    schema = schemas.taken(found)
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
