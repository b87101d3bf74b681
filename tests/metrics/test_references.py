"""`ref` reads the result of the call that is aligned with the expected one, in whatever format it came."""

from __future__ import annotations

import json
from itertools import combinations, permutations
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from rightcall.metrics.case_result import score_trajectory
from rightcall.metrics.matching.base import MISSING
from rightcall.metrics.matching.matchers.references import value_at
from rightcall.metrics.matching.reasons import reason
from rightcall.records import Golden, Trajectory
from tests.metrics.brute_force import closure, legal, objective
from tests.metrics.builders import a_golden, a_trajectory, codes, judged
from tests.metrics.test_alignment_laws import objective as objective_of
from tests.support.examples import examples

FIND = {"id": "find", "tool": "find_orders", "args": {"customer": "Ann"}}
BOOK = {"tool": "book", "args": {"order": {"ref": {"call": "find", "path": "orders.0.id"}}}}


def found(customer: str, output: Any) -> dict[str, Any]:
    return {"name": "find_orders", "arguments": {"customer": customer}, "status": "ok", "output": output}


def booked(order: Any) -> dict[str, Any]:
    return {"name": "book", "arguments": {"order": order}}


ANN = {"orders": [{"id": 7}]}
BOB = {"orders": [{"id": 8}]}


@pytest.mark.parametrize(
    "output",
    [
        ANN,
        json.dumps(ANN),
        [{"type": "text", "text": json.dumps(ANN)}],
        {"content": [{"type": "text", "text": json.dumps(ANN)}], "isError": False},
        {"content": [{"type": "text", "text": "1 order"}], "structuredContent": ANN},
        {"orders": json.dumps(ANN["orders"])},
    ],
)
def test_a_result_is_read_as_an_object_as_text_and_as_parts(output: Any) -> None:
    assert judged([FIND, BOOK], [found("Ann", output), booked(7)]).passed
    assert codes(judged([FIND, BOOK], [found("Ann", output), booked(8)])) == ["hallucinated_ref"]


def test_a_whole_result_is_a_value_as_text_and_as_what_the_text_says() -> None:
    book = {"tool": "book", "args": {"order": {"ref": "find"}}}
    for order in ("12", 12):
        assert judged([FIND, book], [found("Ann", "12"), booked(order)]).passed


def test_the_value_must_come_from_the_call_that_was_meant() -> None:
    wanted = [FIND, {**FIND, "id": "other", "args": {"customer": "Bob"}}, BOOK]
    both = [found("Ann", ANN), found("Bob", BOB)]
    assert judged(wanted, [*both, booked(7)]).passed
    verdict = judged(wanted, [*both, booked(8)])
    assert not verdict.passed and codes(verdict) == ["hallucinated_ref"]
    assert "the value orders.0.id of find's result, not of another call's, was 8" in reason(verdict.failures)


def test_a_reference_to_another_customers_order_fails() -> None:
    assert not judged([FIND, BOOK], [found("Bob", BOB), booked(8)]).passed
    allowing = judged([FIND, BOOK], [found("Ann", ANN), found("Bob", BOB), booked(8)], extra_calls="allow")
    assert not allowing.passed


def test_a_call_tried_again_brings_the_value_of_the_attempt_that_went_well() -> None:
    failed = {**found("Ann", "timeout"), "status": "error"}
    verdict = judged([FIND, BOOK], [failed, found("Ann", json.dumps(ANN)), booked(7)], extra_calls="allow")
    assert verdict.passed


def test_a_reference_in_a_content_check_reads_the_aligned_call() -> None:
    golden = a_golden(FIND, output_contains=[{"ref": {"call": "find", "path": "name"}}])
    done = a_trajectory(found("Ann", '{"name": "Ann Lee"}'), output="Ann Lee")
    assert score_trajectory(golden, done).numbers.content == 1.0


ids = st.integers(0, 1)
results = st.sampled_from([{"id": 0}, {"id": 1}, '{"id": 0}', '{"id": 1}', None])


@st.composite
def chained(draw: st.DrawFn) -> tuple[list[Any], list[Any]]:
    """Expected calls of which some refer to others, and calls whose results are few enough to collide."""
    size = draw(st.integers(1, 4))
    expected = []
    for i in range(size):
        args = {}
        for name in draw(st.sets(st.sampled_from("pq"))):
            other = draw(st.integers(0, size - 1))
            ref = {"ref": {"call": f"e{other}", "path": "id"}}
            plain = draw(ids)
            args[name] = draw(st.sampled_from([plain, plain, ref, {"not": ref}, {"one_of": [ref, 5]}]))
        after = [f"e{k}" for k in draw(st.sets(st.integers(0, i - 1)))] if i and draw(st.booleans()) else []
        expected.append(
            {"id": f"e{i}", "tool": draw(st.sampled_from("ab")), "args": args, "after": after,
             "required": draw(st.sampled_from([True, True, False]))}
        )  # fmt: skip
    called = []
    step = 0
    for _ in range(draw(st.integers(0, 4))):
        step += draw(st.integers(0, 1))
        arguments = draw(st.dictionaries(st.sampled_from("pq"), ids))
        called.append(
            {
                "name": draw(st.sampled_from("ab")),
                "arguments": arguments,
                "step": step,
                "output": draw(results),
            }
        )
    return expected, called


@settings(max_examples=examples(150), deadline=None)
@given(chained(), st.sampled_from(["any", "strict"]))
def test_the_best_alignment_with_references_is_what_trying_everything_finds(
    made: tuple[list[Any], list[Any]], order: str
) -> None:
    golden = a_golden(*made[0], order=order)
    done = a_trajectory(*made[1])
    verdict = score_trajectory(golden, done)
    assert objective_of(verdict, golden, done) == tried(golden, done)


@settings(max_examples=examples(60), deadline=None)
@given(chained(), st.randoms(use_true_random=False))
def test_the_order_of_expected_calls_does_not_matter_to_references(
    made: tuple[list[Any], list[Any]], shuffler: Any
) -> None:
    expected, called = made
    again = shuffler.sample(expected, len(expected))
    once = judged(expected, called)
    twice = judged(again, called)
    assert (once.passed, once.numbers.tp, once.numbers.absorbed) == (
        twice.passed,
        twice.numbers.tp,
        twice.numbers.absorbed,
    )
    assert abs(once.numbers.call_soft_f1 - twice.numbers.call_soft_f1) < 1e-9


def tried(golden: Golden, done: Trajectory) -> tuple[int, int, float]:
    """Every partial map, its references replaced by the values that the map itself says they have."""
    from rightcall.metrics.matching.alignment import CallComparison, steps_of
    from rightcall.metrics.matching.base import Scope
    from rightcall.metrics.matching.expectation import make_slots

    calls = done.calls
    expected = golden.expected_calls
    steps = steps_of(calls)
    before = closure(golden)
    best = (0, 0, 0.0)
    for size in range(min(len(expected), len(calls)) + 1):
        for rows in combinations(range(len(expected)), size):
            for columns in permutations(range(len(calls)), size):
                chosen = dict(zip(rows, columns, strict=True))
                if not legal(list(chosen.items()), steps, before, golden.order == "strict"):
                    continue
                bound = a_golden(
                    *(
                        {
                            "tool": e.tool,
                            "required": e.required,
                            "args": _bound(e.args, chosen.get(i), chosen, done),
                        }
                        for i, e in enumerate(expected)
                    )
                )
                slots = make_slots(bound, bound.expected_calls, calls, {}, Scope(calls=calls))
                table = CallComparison(slots, calls)
                if all(table.weights[i][j] for i, j in chosen.items()):
                    best = max(best, objective(list(chosen.items()), slots, table))
    return best


def _bound(spec: Any, at: int | None, chosen: dict[int, int], done: Trajectory) -> Any:
    if not isinstance(spec, dict):
        return [_bound(item, at, chosen, done) for item in spec] if isinstance(spec, list) else spec
    if "ref" not in spec:
        return {key: _bound(value, at, chosen, done) for key, value in spec.items()}
    source = chosen.get(int(spec["ref"]["call"][1:]))
    nothing = {"not": {"any": True}}
    if at is None or source is None or not (source < at and done.calls[source].step < done.calls[at].step):
        return nothing
    value = value_at(done.calls[source].output, "id")
    return nothing if value is MISSING else {"exact": value}
