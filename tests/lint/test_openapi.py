"""Schemas of OpenAPI documents as tools show them."""

from __future__ import annotations

import json
from typing import Any

from rightcall.lint.engine import lint
from rightcall.lint.source.read import read_text
from rightcall.lint.source.tools import SourceTool
from tests.lint.clean import codes

NODE = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "children": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}},
    },
}


def document(body: Any, *, version: str = "3.1.0", **schemas: Any) -> str:
    operation = {
        "operationId": "put_thing",
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
    }
    paths = {"/things": {"put": operation}}
    return json.dumps({"openapi": version, "paths": paths, "components": {"schemas": schemas}}, indent=1)


def tool_of(text: str) -> SourceTool:
    (tools,) = read_text(text, name="api.json")
    return tools.tools[0]


def of_property(schema: Any, version: str) -> Any:
    body = {"type": "object", "properties": {"x": schema}}
    return tool_of(document(body, version=version)).input_schema["properties"]["x"]


def test_a_schema_that_refers_to_itself_stays_a_definition() -> None:
    body = {"type": "object", "properties": {"tree": {"$ref": "#/components/schemas/Node"}}}
    tool = tool_of(document(body, Node=NODE))
    inner = {**NODE["properties"], "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}  # type: ignore[dict-item]
    assert tool.input_schema["properties"]["tree"] == {"$ref": "#/$defs/Node"}
    assert tool.input_schema["$defs"] == {"Node": {**NODE, "properties": inner}}
    path = ("input_schema", "$defs", "Node", "properties", "name")
    assert tool.document_path(path) == ("components", "schemas", "Node", "properties", "name")


def test_a_recursive_schema_gives_no_findings_about_expanded_parts() -> None:
    body = {"type": "object", "properties": {"tree": {"$ref": "#/components/schemas/Node"}}}
    found = codes(lint(read_text(document(body, Node=NODE))))
    assert "TD708" in found and not found & {"TD308", "TD310"}


def test_schemas_that_refer_to_each_other_are_definitions_too() -> None:
    a = {"type": "object", "properties": {"b": {"$ref": "#/components/schemas/B"}}}
    b = {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/A"}}}
    schema = tool_of(document({"$ref": "#/components/schemas/A"}, A=a, B=b)).input_schema
    assert schema["properties"] == {"b": {"$ref": "#/$defs/B"}}
    assert schema["$defs"]["B"]["properties"] == {"a": {"$ref": "#/$defs/A"}}
    assert schema["$defs"]["A"]["properties"] == {"b": {"$ref": "#/$defs/B"}}


def test_siblings_of_a_reference_count() -> None:
    member = {"$ref": "#/components/schemas/S", "description": "Why it goes."}
    body = {"type": "object", "properties": {"why": member}}
    schema = tool_of(document(body, S={"type": "string"})).input_schema
    assert schema["properties"]["why"] == {"type": "string", "description": "Why it goes."}


def test_words_of_openapi_3_0_are_translated_and_those_of_3_1_are_not() -> None:
    written = {"type": "integer", "nullable": True, "minimum": 0, "exclusiveMinimum": True, "maximum": 9}
    assert of_property(written, "3.0.3") == {"type": ["integer", "null"], "exclusiveMinimum": 0, "maximum": 9}
    assert of_property(written, "3.1.0") == written
    plain = {"type": "integer", "nullable": False, "minimum": 0, "exclusiveMinimum": False}
    assert of_property(plain, "3.0.0") == {"type": "integer", "minimum": 0}
    text = document({"type": "object", "properties": {"x": written}}, version="3.0.3")
    assert "TD711" not in codes(lint(read_text(text)))


def test_response_only_properties_are_not_arguments() -> None:
    body = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "readOnly": True},
            "made": {"$ref": "#/components/schemas/Made"},
            "item": {"type": "object", "properties": {"id": {"readOnly": True}, "sku": {"type": "string"}}},
        },
        "required": ["id", "item"],
    }
    schema = tool_of(document(body, Made={"type": "string", "readOnly": True})).input_schema
    assert list(schema["properties"]) == ["item"] == schema["required"]
    assert list(schema["properties"]["item"]["properties"]) == ["sku"]
