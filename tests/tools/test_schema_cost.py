"""No schema keeps validation busy: what would take too many steps is refused, what merely looks large is not."""

from __future__ import annotations

from typing import Any

import pytest

from rightcall.tools.definitions.validate import SMALL, fits, is_large, schema_problems, steps

Json = dict[str, Any]


def doubling(levels: int, keyword: str = "anyOf", reference: str = "#/$defs/a{}") -> Json:
    """The given number of definitions, each referring to the next one twice."""
    twice = {f"a{i}": {keyword: [{"$ref": reference.format(i + 1)}] * 2} for i in range(levels)}
    return {"$defs": {**twice, f"a{levels}": {"type": "string"}}, "$ref": "#/$defs/a0"}


def tree(levels: int) -> Json:
    value: Json = {"name": 1}
    for _ in range(levels):
        value = {"name": "n", "child": value}
    return value


TWICE_A_LEVEL = {
    "$defs": {
        "node": {
            "anyOf": [
                {"properties": {"child": {"$ref": "#/$defs/node"}}, "required": ["one"]},
                {"properties": {"child": {"$ref": "#/$defs/node"}}, "required": ["two"]},
            ]
        }
    },
    "$ref": "#/$defs/node",
}
PLAIN_TREE = {
    "$defs": {
        "node": {
            "properties": {"name": {"type": "string"}, "child": {"$ref": "#/$defs/node"}},
            "type": "object",
        }
    },
    "$ref": "#/$defs/node",
}


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf", "allOf"])
@pytest.mark.parametrize("levels", [20, 40])
def test_a_schema_that_doubles_at_every_reference_ends(keyword: str, levels: int):
    schema = doubling(levels, keyword)
    [problem] = schema_problems(schema, 1, "x")
    assert problem.message == "checking the value against the schema takes too many steps"
    assert not fits(schema, 1, "x")


def test_references_by_anchor_and_by_id_are_followed():
    by_id = {"$id": "https://x.test/s", **doubling(30, reference="https://x.test/s#/$defs/a{}")}
    assert [p.keyword for p in schema_problems(by_id, 1, "x")] == ["schema"]
    anchored = {"$defs": {"n": {"$anchor": "n", "type": "string"}}, "items": {"$ref": "#n"}}
    assert [p.path for p in schema_problems(anchored, ["a", 1], "x")] == ["[1]"]


def test_a_recursive_schema_that_doubles_at_every_level_of_the_value_ends():
    assert [p.keyword for p in schema_problems(TWICE_A_LEVEL, tree(90), "x")] == ["schema"]


def test_an_ordinary_recursive_schema_still_says_what_is_wrong_where():
    [problem] = schema_problems(PLAIN_TREE, tree(40), "x")
    assert problem.path.endswith("child.name")
    assert steps(PLAIN_TREE, tree(40)) < 300


def test_nested_alternatives_are_refused_without_listing_what_each_lacks():
    [problem] = schema_problems(doubling(13), 1, "x")
    assert problem.message == "the value matches none of the alternatives in the schema"


def test_a_wide_schema_without_references_is_small():
    assert not is_large({"properties": {f"p{i}": {"type": "string"} for i in range(SMALL - 1)}})
