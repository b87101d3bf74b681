"""A keyword that contains schemas is one row of one table, and a reference leads every reader to the same schema."""

from __future__ import annotations

from typing import Any

import pytest

from rightcall.lint.features.schemas import walk
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.source.tools import SourceTool
from rightcall.providers.local import shape
from rightcall.schema import subschemas
from rightcall.schema.sample_values import resolve_schema
from rightcall.schema.subschemas import DEFINITIONS, DESCRIBED, HOLDERS, Holder, References, target_of
from rightcall.tools.definitions.validate import SMALL, is_large, steps

INNER = {"type": "string", "description": "inner"}


def holding(keyword: str, inner: Any) -> dict[str, Any]:
    """A schema with another under a keyword."""
    form = HOLDERS[keyword].form
    return {keyword: {"city": inner} if form == "named" else inner if form.startswith("one") else [inner]}


def visited(schema: dict[str, Any]) -> set[str]:
    """Who reaches the inner schema."""
    lint = [node.schema for node in walk(schema, ())]
    many = {"allOf": [schema] * (SMALL // 2)}
    readers = {"lint": INNER in lint, "cost": is_large(many)}
    return {name for name, reached in readers.items() if reached}


@pytest.mark.parametrize("keyword", HOLDERS)
def test_every_reader_follows_the_table(keyword):
    expected = {"cost"} if keyword not in DEFINITIONS else set()
    expected |= {"lint"} if keyword in DESCRIBED else set()
    assert visited(holding(keyword, INNER)) == expected


def test_a_new_keyword_is_one_row(monkeypatch):
    monkeypatch.setitem(HOLDERS, "x-inner", Holder("named", "same"))
    assert visited(holding("x-inner", INNER)) == {"cost"}
    monkeypatch.setitem(subschemas.DESCRIBED, "x-inner", HOLDERS["x-inner"])
    assert visited(holding("x-inner", INNER)) == {"lint", "cost"}


@pytest.mark.parametrize(
    ("keyword", "value", "count"),
    [("properties", {"city": 1, "day": 2}, 1), ("patternProperties", {"city": 1, "day": 2}, 2),
     ("additionalProperties", {"city": 1, "day": 2}, 2), ("dependentSchemas", {"city": 1}, 1),
     ("dependentSchemas", {"day": 1}, 0), ("items", [1, 2, 3], 3), ("prefixItems", [1, 2, 3], 1),
     ("anyOf", 7, 1), ("propertyNames", {"city": 1}, 0), ("$defs", {"city": 1}, 0), ("items", {"city": 1}, 0)],
)  # fmt: skip
def test_a_schema_applies_to_its_part_of_the_value(keyword, value, count):
    assert steps(holding(keyword, INNER), value) == 1 + count


CITY = {"type": "string", "$anchor": "city"}
DOCUMENT = {
    "$id": "https://example.com/order",
    "$defs": {"a/b c": CITY},
    "properties": {"list": {"anyOf": [CITY]}},
}


@pytest.mark.parametrize(
    ("reference", "target"),
    [("#", DOCUMENT), ("#/$defs/a~1b c", CITY), ("#/$defs/a~1b%20c", CITY), ("#city", CITY),
     ("#/properties/list/anyOf/0", CITY), ("#/properties/list/anyOf/1", None), ("#/$defs/x", None),
     ("#town", None), ("other.json#/$defs/x", None)],
)  # fmt: skip
def test_every_reader_resolves_alike(reference, target):
    assert target_of(DOCUMENT, reference) == target
    assert list(References(DOCUMENT).targets({"$ref": reference})) == [target]
    assert ToolFeatures(SourceTool(name="t", input_schema=DOCUMENT)).resolve(reference) == target
    if target == CITY:
        assert resolve_schema({"$ref": reference}, DOCUMENT) == CITY
        assert shape({"$ref": reference}, DOCUMENT) == {"type": "string"}


def test_a_reference_by_id():
    assert list(References(DOCUMENT).targets({"$ref": "https://example.com/order#city"})) == [CITY]
    assert target_of(DOCUMENT, "https://example.com/order#city") is None
