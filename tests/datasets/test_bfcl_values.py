"""The matcher for one BFCL argument, compared with the official checker on random parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given, settings, strategies as st

from rightcall.core.errors import InputError
from rightcall.datasets.importers.bfcl import PYTHON_TYPES, bfcl_matcher
from rightcall.metrics.case_result import score_trajectory
from rightcall.records import ExpectedCall, Golden, ToolCall, Trajectory
from tests.datasets.bfcl_official import Item, OfficialChecker, official_checker, the_wheel, unpacked
from tests.support.examples import examples

TEXTS = st.sampled_from(["", " ", "a", "A.", "a-b", "ab", "1", "é", "a!", "'a'", '"a"'])
SCALARS = TEXTS | st.sampled_from([0, 1, 1.0, 2, 0.5, True, False, None, 2**53 + 1])
OBJECTS = st.dictionaries(st.sampled_from("xyz"), SCALARS, max_size=2)
VALUES = SCALARS | st.lists(SCALARS | OBJECTS, max_size=2) | OBJECTS
OPTIONS = st.dictionaries(st.sampled_from("xyz"), st.lists(SCALARS, max_size=3), max_size=2)
ANSWERS = st.lists(SCALARS | st.lists(SCALARS | OPTIONS, max_size=2) | OPTIONS, max_size=3)
LIKE = {"string": TEXTS, "dict": OPTIONS, "array": st.lists(SCALARS, max_size=2)}


@pytest.fixture(scope="module")
def official(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OfficialChecker]:
    with official_checker(unpacked(the_wheel(), tmp_path_factory.mktemp("bfcl"))) as checker:
        yield checker


@settings(max_examples=examples(1000), deadline=None)
@given(data=st.data(), declared=st.sampled_from(sorted(PYTHON_TYPES)), required=st.booleans())
def test_any_value_is_judged_as_the_official_checker_does(
    official: OfficialChecker, data: st.DataObject, declared: str, required: bool
) -> None:
    is_list = PYTHON_TYPES[declared] is list
    items = data.draw(st.sampled_from(sorted(PYTHON_TYPES))) if is_list else None
    alike = st.lists(LIKE.get(declared, SCALARS) | st.just(""), max_size=3)
    answers = data.draw(ANSWERS | alike)
    value = data.draw(VALUES)
    schema = {"type": declared} | ({"items": {"type": items}} if items else {})
    parameters = {"type": "dict", "properties": {"p": schema}, "required": ["p"] if required else []}
    item = Item(
        "simple_python_0", "simple_python", [{"name": "f", "parameters": parameters}], [{"f": {"p": answers}}]
    )
    matcher = bfcl_matcher({"type": declared, "values": answers, "items": items}, {}, None)
    verdict = official.verdict(item, [("f", {"p": value})])
    assume(verdict is not None)
    assert bool(matcher.score(value, 0)) == verdict


def test_a_value_that_is_not_passed_is_not_accepted() -> None:
    assert bfcl_matcher({"type": "string", "values": ["", "a"]}, {}, None).score(msgspec.UNSET, 0) == 0.0


def test_a_refused_value_is_explained_with_the_answers() -> None:
    spec = {"bfcl": {"type": "string", "values": ["Hanoi", "Ha Noi, VN"]}}
    golden = Golden("Weather?", expected_calls=(ExpectedCall("weather", {"city": spec}),))
    verdict = score_trajectory(golden, Trajectory(calls=(ToolCall("weather", {"city": "Hue"}),)))
    assert verdict.failures[0].detail == '"Hanoi" or "Ha Noi, VN" by BFCL\'s rules for string'


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("a", "matcher 'bfcl': the value must be an object, got a string"),
        ({"type": "string"}, "matcher 'bfcl': missing required field 'values'"),
        ({"type": "text", "values": []}, "type must be one of"),
        ({"type": "string", "value": []}, "unknown field 'value'"),
    ],
)
def test_a_broken_matcher_says_what_it_needs(spec: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        bfcl_matcher(spec, {}, None)
