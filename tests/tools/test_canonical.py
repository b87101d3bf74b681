from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings, strategies as st

from rightcall.core.canonical_json import canonical
from rightcall.records import Tool
from rightcall.tools.runtime.json_values import fingerprint, normalise_arguments
from tests.support.examples import examples

ORDER = Tool(
    "order",
    input_schema={
        "type": "object",
        "properties": {
            "count": {"type": "integer"},
            "price": {"type": "number"},
            "unit": {"type": "string", "default": "piece"},
            "lines": {"type": "array", "items": {"properties": {"n": {"type": "integer"}}}},
        },
    },
)


def meaning(**arguments: object) -> str:
    return fingerprint("order", normalise_arguments(ORDER, arguments))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"count": 1, "price": 2}, {"price": 2, "count": 1}),
        ({"count": 1}, {"count": 1.0}),
        ({"price": 1}, {"price": 1.0}),
        ({"lines": [{"n": 1}]}, {"lines": [{"n": 1.0}]}),
        ({"unit": "caf\u00e9"}, {"unit": "cafe\u0301"}),
        ({}, {"unit": "piece"}),
    ],
)
def test_arguments_that_mean_the_same_have_one_fingerprint(one, other):
    assert meaning(**one) == meaning(**other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"x": 1}, {"x": "1"}),
        ({"x": 1}, {"x": True}),
        ({"x": None}, {}),
        ({"x": [1, 2]}, {"x": [2, 1]}),
        ({"x": 10**40}, {"x": 10**40 + 1}),
        ({"x": "a"}, {"x": "A"}),
    ],
)
def test_arguments_that_differ_have_two(one, other):
    assert meaning(**one) != meaning(**other)


def test_the_tool_is_part_of_the_fingerprint_and_left_out_parameters_are_not():
    assert fingerprint("a", {}) != fingerprint("b", {})
    assert fingerprint("a", {"x": 1, "trace": "t"}, without=["trace"]) == fingerprint("a", {"x": 1})


@pytest.mark.parametrize(
    ("value", "text"),
    [  # from the examples of RFC 8785 and its number table
        (333333333.33333329, "333333333.3333333"),
        (1e30, "1e+30"),
        (4.50, "4.5"),
        (2e-3, "0.002"),
        (0.000000000000000000000000001, "1e-27"),
        (-0.0, "0"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (9007199254740992.0, "9007199254740992"),
        (295147905179352830000.0, "295147905179352830000"),
        (1e21, "1e+21"),
        (9.999999999999997e22, "9.999999999999997e+22"),
        (1e-6, "0.000001"),
        (1.5e-7, "1.5e-7"),
        ({"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\x80": 6, "\u00f6": 7},
         '{"\\r":2,"1":4,"\x80":6,"ö":7,"€":1,"\U0001f600":5,"\ufb33":3}'),
        ("\u20ac$\x0f\nA'B\"\\\\\"/", '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'),
    ],
)  # fmt: skip
def test_the_spelling_is_that_of_rfc_8785(value, text):
    assert canonical(value).decode() == text


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: abs(x) < 2**53 or abs(x) >= 1e21)
    | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)


@given(json_values)
def test_canonical_json_reads_back_as_the_same_value_and_is_its_own_canonical_form(value):
    text = canonical(value)
    assert json.loads(text) == value
    assert canonical(json.loads(text)) == text


@settings(max_examples=examples(50))
@given(st.dictionaries(texts, st.integers(), max_size=6))
def test_the_order_of_names_does_not_matter(value):
    assert canonical(dict(reversed(value.items()))) == canonical(value)


def test_a_value_that_is_not_a_number_has_no_canonical_form():
    with pytest.raises(ValueError, match="number"):
        canonical(math.nan)
