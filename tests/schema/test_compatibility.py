"""What fitted the old schema fits the new one, if no change is breaking; equal schemas have no changes."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import assume, given, settings, strategies as st

from rightcall.schema.compatibility import schema_changes
from rightcall.tools.definitions.validate import fits
from tests.support.examples import examples

NAMES = ["a", "b"]
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-4, 4), st.sampled_from(["", "x", "xyz"]), st.just(1.5)
)
json_values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*NAMES, "c"]), inner, max_size=3)
    ),
    max_leaves=5,
)
TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"]
bounds = st.fixed_dictionaries(
    {},
    optional={
        "minimum": st.integers(-3, 3), "maximum": st.integers(-3, 3), "exclusiveMinimum": st.integers(-3, 3),
        "minLength": st.integers(0, 3), "maxLength": st.integers(0, 3), "minItems": st.integers(0, 2),
        "maxItems": st.integers(0, 2), "enum": st.lists(scalars, min_size=1, max_size=3), "multipleOf": st.integers(1, 2),
        "type": st.sampled_from(TYPES) | st.lists(st.sampled_from(TYPES), min_size=1, max_size=3, unique=True),
        "const": scalars, "default": scalars, "uniqueItems": st.booleans(), "pattern": st.just("x"),
    },
)  # fmt: skip


def with_parts(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    parts = st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from(NAMES), inner, max_size=2),
            "required": st.lists(st.sampled_from(NAMES), unique=True, max_size=2),
            "additionalProperties": st.booleans() | inner,
            "items": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=2),
        },
    )
    return st.builds(lambda own, more: {**own, **more}, bounds, parts)


schemas = st.recursive(bounds, with_parts, max_leaves=4)


@settings(max_examples=examples(3000, few=60), deadline=None)
@given(schemas, schemas, json_values)
def test_what_fitted_still_fits_unless_a_change_is_breaking_or_not_compared(old, new, value):
    assume(fits(old, value, "old"))
    changes = schema_changes(old, new, "input")
    added = {change.path.rpartition(".")[2] for change in changes if change.text == "property added"}
    assume(not any(f'"{name}"' in json.dumps(value) for name in added))  # nobody sent what was not declared
    told = any(change.level == "breaking" for change in changes)
    narrower = any("refused now" in change.text or "not compared" in change.text for change in changes)
    assert told or narrower or fits(new, value, "new"), changes


@settings(max_examples=examples(400))
@given(schemas)
def test_a_schema_has_no_changes_against_itself(schema):
    assert schema_changes(schema, {**schema}, "input") == schema_changes(schema, schema, "output") == []
