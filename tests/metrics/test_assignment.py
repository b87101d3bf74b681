"""The quick ways to align give what the general ones give."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given, strategies as st

from rightcall.metrics.case_result import score_trajectory
from rightcall.metrics.matching.assignment import best_assignment
from tests.metrics.builders import a_golden, a_trajectory

matrices = st.tuples(st.integers(1, 4), st.integers(1, 4)).flatmap(
    lambda size: st.lists(
        st.lists(st.sampled_from([0.0, 0.5, 1.0, 7.0]), min_size=size[1], max_size=size[1]),
        min_size=size[0],
        max_size=size[0],
    )
)


@given(matrices)
def test_an_assignment_is_worth_what_trying_all_finds(weights):
    pairs = best_assignment(weights)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    assert all(weights[i][j] > 0 for i, j in pairs)
    rows = len(weights)
    columns = len(weights[0])
    padded = [[*row, *[0.0] * rows] for row in weights]
    best = max(
        sum(padded[i][j] for i, j in enumerate(order)) for order in permutations(range(columns + rows), rows)
    )
    assert sum(weights[i][j] for i, j in pairs) == best


calls = st.lists(st.sampled_from("abc"), max_size=5)
wanted = st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=5)


@given(wanted, calls)
def test_plain_names_are_counted_as_the_general_way_counts_them(wanted, called):
    plain = [{"tool": name, "required": required, "args": {}} for name, required in wanted]
    listed = [{**call, "tool": [call["tool"], "never called"]} for call in plain]
    trajectory = a_trajectory(*called)
    assert (
        score_trajectory(a_golden(*plain), trajectory).numbers
        == score_trajectory(a_golden(*listed), trajectory).numbers
    )
