"""Random expected and actual calls, small enough to collide often."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

TOOLS = st.sampled_from("abc")
VALUES = st.sampled_from([0, 1, 1.0, True, False, "x", "y", None, [1], [True], {"k": 1}])
ARGUMENTS = st.dictionaries(st.sampled_from("pqr"), VALUES, max_size=3)
PLAIN = st.dictionaries(st.sampled_from("pqr"), st.sampled_from([0, 1, 2, "x", "y", True]), max_size=3)


def calls(
    arguments: st.SearchStrategy[Any] = PLAIN, max_size: int = 4
) -> st.SearchStrategy[list[dict[str, Any]]]:
    call = st.fixed_dictionaries({"name": TOOLS, "arguments": arguments})
    return st.lists(call, max_size=max_size)


def expected_calls(
    arguments: st.SearchStrategy[Any] = PLAIN, max_size: int = 4
) -> st.SearchStrategy[list[dict[str, Any]]]:
    call = st.fixed_dictionaries(
        {"tool": TOOLS, "args": arguments},
        optional={"required": st.booleans(), "extra_args": st.just("ignore")},
    )
    return st.lists(call, max_size=max_size)


@st.composite
def with_steps(draw: st.DrawFn, made: st.SearchStrategy[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Calls in steps that never go down, several of them often in one step."""
    drawn = []
    step = 0
    for call in draw(made):
        step += draw(st.integers(0, 1))
        drawn.append({**call, "step": step})
    return drawn


@st.composite
def graphs(draw: st.DrawFn, max_size: int = 4) -> list[dict[str, Any]]:
    """Expected calls with `after` edges from later to earlier ones, so never in a circle."""
    drawn = draw(expected_calls(max_size=max_size))
    return [
        {**call, "id": f"e{i}", "after": [f"e{k}" for k in draw(st.sets(st.integers(0, i - 1)))] if i else []}
        for i, call in enumerate(drawn)
    ]
