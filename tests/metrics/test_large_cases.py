"""One reply cannot keep scoring busy: work grows with the calls, not with their square, and has a limit."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import linear_sum_assignment

from rightcall.metrics import result_of
from rightcall.metrics.matching.assignment import MANY_COLUMNS, best_assignment
from rightcall.metrics.matching.equality import equality_key, same
from rightcall.model.call import ToolCall
from rightcall.model.golden import ExpectedCall, Golden
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory

MANY = 10_000
SCALARS = st.sampled_from([None, True, False, 0, 1, 1.0, 2, "1", "é", "é", "a"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
)


@given(VALUES, VALUES)
def test_values_have_one_key_exactly_when_they_are_the_same(left: Any, right: Any):
    assert (equality_key(left) == equality_key(right)) == same(left, right)


@pytest.mark.parametrize("seed", range(20))
def test_leaving_out_columns_that_cannot_matter_loses_no_worth(seed: int):
    random = Random(seed)
    weights = [
        [float(random.random() < 0.01) * random.randint(1, 4) for _ in range(MANY_COLUMNS + 50)]
        for _ in range(6)
    ]
    chosen = best_assignment(weights)
    assert len({j for _, j in chosen}) == len(chosen)
    rows, columns = linear_sum_assignment(weights, maximize=True)
    assert sum(weights[i][j] for i, j in chosen) == sum(
        weights[i][j] for i, j in zip(rows, columns, strict=True)
    )


@pytest.mark.parametrize("order", ["any", "strict"])
def test_ten_thousand_calls_are_all_explained(order: str):
    expected = tuple(ExpectedCall("f", {"x": i}) for i in range(5))
    golden = Golden("q", id="g", expected_calls=expected, order=order)  # type: ignore[arg-type]
    calls = tuple(ToolCall("f", {"x": i % 5000}, step=0) for i in range(MANY))
    result = result_of(golden, 0, Trajectory(calls=calls), {})
    codes = [failure.code for failure in result.codes]
    assert codes == ["duplicate_call"] * (MANY - 5)
    assert len(result.metrics["overall"].reason) < 10_000


def test_schema_violations_of_ten_thousand_calls_are_not_all_listed():
    tool = Tool("f", input_schema={"type": "object", "properties": {"x": {"type": "string"}}})
    golden = Golden("q", id="g", expected_calls=(ExpectedCall("f", {"x": "a"}),))
    calls = tuple(ToolCall("f", {"x": i}) for i in range(MANY))
    result = result_of(golden, 0, Trajectory(calls=calls), {"f": tool})
    assert sum(failure.code == "schema_violation" for failure in result.codes) == 1000


def test_calls_that_cannot_be_aligned_in_time_are_over_calling():
    free = tuple(ExpectedCall("f", id=f"c{i}", after=("c0",) if i == 1 else ()) for i in range(16))
    golden = Golden("q", id="g", expected_calls=free)
    result = result_of(golden, 0, Trajectory(calls=(ToolCall("f"),) * MANY), {})
    assert not result.passed
    assert result.metrics["overall"].reason == "10000 calls, too many to compare with 16 expected calls"


def test_deep_arguments_that_python_code_made_are_bad_json():
    deep: Any = 1
    for _ in range(900):
        deep = {"a": [deep]}
    golden = Golden("q", id="g", expected_calls=(ExpectedCall("f", {"x": {"a": [1]}}), ExpectedCall("g")))
    result = result_of(golden, 0, Trajectory(calls=(ToolCall("f", {"x": deep}),) * 2), {})
    assert "bad_json" in {failure.code for failure in result.codes}
    assert msgspec.json.encode(result.codes)
