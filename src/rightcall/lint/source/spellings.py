"""Tools in a document, in any provider's format, without checking or changing anything."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from rightcall.core.errors import suggestion
from rightcall.files.documents import JsonPath
from rightcall.files.places import Document
from rightcall.lint.source.tools import CANONICAL, SourceTool, Spelling, text_of
from rightcall.records.dialects.wire import KINDS

_LISTS = ("tools", "functions", "function", "functionDeclarations", "function_declarations")
_WRAPPERS = ("result", "toolConfig")
_SCHEMA_KEYS = ("input_schema", "inputSchema", "parameters", "parametersJsonSchema", "parameters_json_schema")
_SPELLING_OF_KEY: dict[str, Spelling] = {
    "inputSchema": "mcp",
    "input_schema": "anthropic",
    "parametersJsonSchema": "gemini",
    "parameters_json_schema": "gemini",
}
_OUTPUT_KEYS = ("output_schema", "outputSchema", "response", "returns")


def tools_in(document: Document) -> list[SourceTool]:
    """Every tool of a document: a list, one tool, or an object that holds the list under a usual key."""
    server = _server(document.value)
    return list(
        chain.from_iterable(
            _read(value, path, document, server) for value, path in _candidates(document.value, ())
        )
    )


def stray_in(document: Document) -> tuple[JsonPath, str, str] | None:
    """The first entry of a list of tools that is not a tool: its path, the problem, what to do.

    If skipped, it would never be checked. Provider-run tools belong to the list.
    """
    return next(_strays(document.value, ()), None)


def provider_run_in(document: Document) -> list[str]:
    """The tools of a document that their provider runs: a name and a type, and no schema."""
    return [
        text_of(value.get("name")) or value["type"]
        for value in _plain_objects(document.value)
        if _is_provider_run(value)
    ]


def _plain_objects(value: Any) -> Iterator[dict[str, Any]]:
    """The objects that are searched for tools, including tools."""
    if isinstance(value, list):
        for item in value:
            yield from _plain_objects(item)
    elif isinstance(value, dict):
        yield value
        if not _is_tool(value):
            for key in (*_LISTS, *_WRAPPERS):
                yield from _plain_objects(value.get(key))


def _is_provider_run(value: dict[str, Any]) -> bool:
    kind = value.get("type")
    if not isinstance(kind, str) or kind in ("function", "custom", "object"):
        return False
    return not any(key in value for key in (*_SCHEMA_KEYS, "function", "toolSpec", *_LISTS))


def _server(value: Any) -> str:
    """The name of the MCP server that a stored `tools/list` says it came from."""
    server = value.get("server") or value.get("serverInfo") if isinstance(value, dict) else None
    name = server.get("name") if isinstance(server, dict) else server
    return name if isinstance(name, str) else ""


def _candidates(value: Any, path: JsonPath) -> Iterator[tuple[Any, JsonPath]]:
    if isinstance(value, list):
        clearly = _is_list_of_tools(value)
        for index, item in enumerate(value):
            if clearly and isinstance(item, dict) and "name" in item:
                yield item, (*path, index)  # a name alone is a tool among tools
            else:
                yield from _candidates(item, (*path, index))
        return
    if not isinstance(value, dict):
        return
    if _is_tool(value):
        yield value, path
        return
    for key in (*_LISTS, *_WRAPPERS):
        if isinstance(value.get(key), list | dict):
            yield from _candidates(value[key], (*path, key))


def _strays(value: Any, path: JsonPath) -> Iterator[tuple[JsonPath, str, str]]:
    if isinstance(value, list):
        clearly = _is_list_of_tools(value)
        for index, item in enumerate(value):
            if clearly and not isinstance(item, dict | list):
                kind = KINDS.get(type(item), "something else")
                yield (*path, index), f"a tool must be an object, got {kind}", "remove it from the list"
            elif clearly and isinstance(item, dict) and not _belongs_to_tools(item):
                yield (*path, index), *_nameless(item)
            else:
                yield from _strays(item, (*path, index))
    elif isinstance(value, dict) and not _is_tool(value):
        if _lacks_a_name(value):
            yield path, *_nameless(value)
        for key in (*_LISTS, *_WRAPPERS):
            yield from _strays(value.get(key), (*path, key))


def _belongs_to_tools(entry: dict[str, Any]) -> bool:
    """Whether it is a tool, a group of tools, or a provider's own, such as `{"googleSearch": {}}`."""
    if _is_tool(entry) or "name" in entry:
        return True
    if isinstance(entry.get("type"), str) and entry["type"] not in ("function", "custom"):
        return not _lacks_a_name(entry)
    if any(isinstance(entry.get(key), list) for key in _LISTS):
        return True
    inner = entry.values()
    return bool(entry) and all(isinstance(part, dict) and not _is_tool(part) for part in inner)


def _nameless(entry: dict[str, Any]) -> tuple[str, str]:
    usual = ("name", "function", "toolSpec")
    keys = {*usual, "type", "description", "strict", "title", *_SCHEMA_KEYS, *_OUTPUT_KEYS}
    for key in entry:
        near = suggestion(key, usual) if key not in keys else ""
        if near:
            return f"a tool has no 'name', but has '{key[:40]}'", near
    return "a tool has no name", "add one, or remove the entry from the list of tools"


def _is_tool(value: dict[str, Any]) -> bool:
    if isinstance(value.get("toolSpec"), dict):
        return True
    if isinstance(value.get("function"), dict) and value.get("type", "function") == "function":
        return True
    return "name" in value and ("description" in value or any(key in value for key in _SCHEMA_KEYS))


def _is_list_of_tools(value: list[Any]) -> bool:
    return any(isinstance(item, dict) and (_is_tool(item) or _lacks_a_name(item)) for item in value)


def _lacks_a_name(value: dict[str, Any]) -> bool:
    """Whether it is a tool without a name. `parameters` alone may be anything; with a schema in it, it is a tool."""
    schemas = [value[key] for key in _SCHEMA_KEYS if isinstance(value.get(key), dict)]
    return (
        "name" not in value
        and isinstance(value.get("description"), str)
        and any("type" in schema or "properties" in schema for schema in schemas)
    )


def _read(value: dict[str, Any], path: JsonPath, document: Document, server: str) -> Iterator[SourceTool]:
    inner = value
    base = path
    spelling = _flat_spelling(value, path)
    if isinstance(value.get("toolSpec"), dict):
        inner = value["toolSpec"]
        base = (*path, "toolSpec")
        spelling = "bedrock"
    elif isinstance(value.get("function"), dict):
        inner = value["function"]
        base = (*path, "function")
        spelling = "openai"
    schema_key = next((key for key in _SCHEMA_KEYS if key in inner), None)
    if schema_key is None and isinstance(value.get("type"), str) and value["type"] != "function":
        return  # a provider's own tool, such as {"type": "web_search_20250305", "name": "web_search"}
    schema_path: JsonPath = (*base, schema_key or "input_schema")
    schema = inner.get(schema_key) if schema_key else None
    if spelling == "bedrock" and isinstance(schema, dict) and isinstance(schema.get("json"), dict):
        schema = schema["json"]
        schema_path = (*schema_path, "json")
    output_key = next((key for key in _OUTPUT_KEYS if isinstance(inner.get(key), dict)), None)
    paths: dict[JsonPath, JsonPath] = {(key,): (*base, key) for key in (*CANONICAL, "x-rightcall")}
    paths |= {("input_schema",): schema_path, ("output_schema",): (*base, output_key or "outputSchema")}
    yield SourceTool(
        name=text_of(inner.get("name")),
        description=text_of(inner.get("description")),
        input_schema=schema,
        output_schema=inner.get(output_key) if output_key else None,
        annotations=inner.get("annotations") or value.get("annotations"),
        title=text_of(inner.get("title")),
        spelling=spelling,
        strict=inner.get("strict") is True or value.get("strict") is True,
        server=server or text_of(value.get("server")),
        base=path,
        paths=paths,
        document=document,
        extension=_extension(value, inner),
        raw=value,
    )


def _flat_spelling(value: dict[str, Any], path: JsonPath) -> Spelling:
    for key, spelling in _SPELLING_OF_KEY.items():
        if key in value:
            return spelling
    if value.get("type") == "function":
        return "openai-responses"
    declared = path[-2:-1] in (("functionDeclarations",), ("function_declarations",))
    return "gemini" if declared else "plain"


def _extension(*places: dict[str, Any]) -> Any:
    for place in places:
        meta = place.get("_meta")
        extension = place.get("x-rightcall") or (meta.get("rightcall") if isinstance(meta, dict) else None)
        if extension is not None:
            return extension
    return None
