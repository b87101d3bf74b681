"""Which call answers which expectation: laws that hold for any golden and any behaviour."""

from __future__ import annotations

from collections import Counter

import msgspec
from hypothesis import assume, given, strategies as st

from rightcall.metrics.case_result import result_of
from rightcall.metrics.matching.judge_case import places_that_count
from rightcall.records import CaseResult, ExpectedCall, Golden, Tool, ToolCall, Trajectory
from rightcall.show.view.call_pairs import pairing_of
from rightcall.show.view.tools import ToolTally

TOOLS = {name: Tool(name) for name in "fgh"}
args = st.dictionaries(st.sampled_from("ab"), st.integers(0, 1), max_size=2)
wanted = st.builds(
    ExpectedCall,
    st.sampled_from("fg") | st.just(("f", "g")),
    st.none() | args,
    required=st.booleans(),
    min=st.integers(1, 2),
    forbidden_args=st.sampled_from([(), ("b",)]),
)
goldens = st.builds(
    Golden,
    st.just("?"),
    st.just("id"),
    expected_calls=st.lists(wanted, max_size=3).map(tuple),
    any_of=st.lists(st.lists(wanted, min_size=1, max_size=2).map(tuple), max_size=2).map(tuple),
    order=st.sampled_from(["any", "strict"]),
    extra_calls=st.sampled_from(["forbid", "allow"]),
    forbidden_calls=st.sampled_from([(), ("h",)]),
    count_failed=st.sampled_from(["all", "successful", "final"]),
)
calls = st.builds(
    ToolCall,
    st.sampled_from(["f", "g", "h", "invented"]),
    st.none() | args,
    status=st.sampled_from(["ok", "error"]),
)


@st.composite
def judged(draw: st.DrawFn) -> tuple[Golden, CaseResult]:
    golden = draw(goldens)
    trajectory = Trajectory(calls=tuple(draw(st.lists(calls, max_size=4))))
    result = result_of(golden, 0, trajectory, TOOLS)
    return golden, msgspec.structs.replace(result, trajectory=trajectory)


@given(judged())
def test_every_call_that_counts_or_is_forbidden_is_shown_exactly_once(
    case: tuple[Golden, CaseResult],
) -> None:
    golden, result = case
    pairing = pairing_of(golden, result, TOOLS)
    shown = Counter(pair.call for pair in pairing.pairs if pair.call is not None)
    counted = set(places_that_count(result.trajectory.calls, golden.count_failed))
    forbidden = {failure.call for failure in result.codes if failure.code == "forbidden_call"}
    assert shown == Counter(counted | forbidden)


@given(judged())
def test_every_required_call_is_shown_as_often_as_it_is_required(case: tuple[Golden, CaseResult]) -> None:
    pairing = pairing_of(*case, TOOLS)
    shown = Counter(pair.expected for pair in pairing.pairs)
    for index, expected in enumerate(pairing.expected):
        assert shown[index] >= (expected.min if expected.required else 0)


@given(judged())
def test_what_is_right_in_the_view_is_what_was_scored_as_right(case: tuple[Golden, CaseResult]) -> None:
    golden, result = case
    pairing = pairing_of(golden, result, TOOLS)
    flawless = all(pair.kind in ("right", "allowed") for pair in pairing.pairs)
    if result.passed and golden.extra_calls == "forbid":
        assert flawless
    if flawless and not result.codes and not result.error:
        assert result.metrics["call_recall"].value == 1.0


@given(judged())
def test_the_tallies_of_tools_add_up(case: tuple[Golden, CaseResult]) -> None:
    assume(not case[1].error)  # what cannot be judged says nothing of tools
    tally = ToolTally()
    pairing = pairing_of(*case, TOOLS)
    tally.add(pairing, case[1])
    rows = tally.rows()
    assert sum(row.called for row in rows) + sum(tally.invented.values()) == sum(
        pair.call is not None for pair in pairing.pairs
    )
    assert all(row.expected == row.right + row.wrong_arguments + row.missed for row in rows)
    assert sum(cell.count for cell in tally.cells()) == max(1, len(pairing.pairs))
