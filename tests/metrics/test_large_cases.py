"""One reply cannot keep scoring busy: work grows with the calls, not with their square, and has a limit."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import linear_sum_assignment

from rightcall.metrics.case_result import result_of
from rightcall.metrics.matching import assignment
from rightcall.metrics.matching.assignment import (
    MANY_COLUMNS,
    TooManyCalls,
    best_assignment,
    limit_effort,
    spend,
)
from rightcall.metrics.matching.base import equality_key, same
from rightcall.records.call import ToolCall
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import Golden
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory

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


def test_references_to_thousands_of_results_are_followed():
    sources = tuple(ToolCall("find", {"q": i}, output={"id": i}, step=0) for i in range(MANY))
    expected = (ExpectedCall("find", {"q": 7}, id="seven"), ExpectedCall("find", {"q": 8}, id="eight"))
    used = tuple(ExpectedCall("use", {"id": {"ref": {"call": c, "path": "id"}}}) for c in ("eight", "seven"))
    golden = Golden("q", id="g", expected_calls=(*expected, *used), extra_calls="allow")
    uses = tuple(ToolCall("use", {"id": i}, step=1) for i in range(MANY))
    assert result_of(golden, 0, Trajectory(calls=(*sources, *uses)), {}).passed
    early = tuple(ToolCall("use", {"id": i}, step=0) for i in range(MANY))  # in one reply with their source
    assert not result_of(golden, 0, Trajectory(calls=(*sources, *early)), {}).passed


def _crowded(kind: str) -> tuple[Golden, Trajectory]:
    """Cases whose alignment costs far more than their size."""
    if kind == "list":
        wanted = {"x": {"multiset": [{"number": i} for i in range(100)]}}
        golden = Golden("q", id="g", expected_calls=(ExpectedCall("f", wanted),))
        return golden, Trajectory(calls=(ToolCall("f", {"x": [i + 0.5 for i in range(MANY)]}),))
    expected = [ExpectedCall("f", {"x": i % 9, "y": i % 7}, id=f"e{i}") for i in range(60)]
    if kind == "ref":
        expected = expected[:30] + [
            ExpectedCall("use", {"id": {"ref": {"call": f"e{i}", "path": "id"}}}) for i in range(30)
        ]
    calls = [ToolCall("f", {"x": i % 11, "y": i % 5}, output={"id": i % 3}, step=i % 20) for i in range(2000)]
    calls += [ToolCall("use", {"id": i % 4}, step=30) for i in range(500)]
    golden = Golden("q", id="g", expected_calls=expected, order="strict" if kind == "strict" else "any")  # type: ignore[arg-type]
    return golden, Trajectory(calls=calls)


@pytest.mark.parametrize("kind", ["list", "ref", "strict"])
def test_a_case_that_costs_too_much_to_align_fails_instead_of_keeping_scoring_busy(
    kind: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(assignment, "MOST_STEPS", 1_000_000)
    golden, trajectory = _crowded(kind)
    (failure,) = result_of(golden, 0, trajectory, {}).codes
    assert failure.code == "over_calling"
    assert failure.detail.startswith("too many to compare")


def test_effort_is_counted_over_everything_inside():
    with limit_effort(10):
        spend(6)
        with pytest.raises(TooManyCalls):
            spend(5)
    spend(10**12)  # no limit is set here


def test_schema_violations_of_ten_thousand_calls_are_not_all_listed():
    tool = Tool("f", input_schema={"type": "object", "properties": {"x": {"type": "string"}}})
    golden = Golden("q", id="g", expected_calls=(ExpectedCall("f", {"x": "a"}),))
    calls = tuple(ToolCall("f", {"x": i}) for i in range(MANY))
    result = result_of(golden, 0, Trajectory(calls=calls), {"f": tool})
    assert sum(failure.code == "schema_violation" for failure in result.codes) == 1000


@pytest.mark.parametrize("steps", [1_000_000, pytest.param(assignment.MOST_STEPS, marks=pytest.mark.nightly)])
def test_calls_that_cannot_be_aligned_in_time_are_over_calling(steps: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(assignment, "MOST_STEPS", steps)
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
