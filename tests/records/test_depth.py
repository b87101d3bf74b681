"""Nesting has one limit, and nothing that is deeper stops anything but itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from rightcall.core import codec
from rightcall.core.depth import MAX_DEPTH, is_too_deep, shallow, too_deep
from rightcall.core.errors import InputError
from rightcall.datasets.goldens import load_goldens
from rightcall.datasets.trajectories import load_trajectories
from rightcall.records.call import ToolCall
from rightcall.records.dialects.wire import parse_call
from rightcall.records.trajectory import Trajectory, limit_trajectory_depth

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.sampled_from('[]{}"\\ab')),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("[{}]x", max_size=3), inner, max_size=3)
    ),
    max_leaves=20,
)


def nested(levels: int) -> Any:
    value: Any = 1
    for level in range(levels):
        value = {"a": value} if level % 2 else [value, "]}"]
    return value


@given(JSON, st.integers(0, 6))
def test_text_and_value_agree_on_how_deep_they_are(value: Any, limit: int):
    assert too_deep(msgspec.json.encode(value) + b" " * 20, limit) == is_too_deep(value, limit)


@given(JSON, st.integers(1, 5))
def test_shallow_text_is_readable_and_changes_nothing_that_is_not_too_deep(value: Any, limit: int):
    data = msgspec.json.encode(value)
    kept = msgspec.json.decode(shallow(data, limit))
    assert not is_too_deep(kept, limit)
    assert kept == value or is_too_deep(value, limit)


@pytest.mark.parametrize("levels", [MAX_DEPTH, MAX_DEPTH + 1, 700, 5000])
def test_a_document_is_read_up_to_the_limit_and_refused_beyond(levels: int):
    data = b"[" * levels + b"]" * levels
    if levels <= MAX_DEPTH:
        assert codec.decode(data, list, "x") is not None
        return
    with pytest.raises(InputError, match=f"nested too deeply; the limit is {MAX_DEPTH} levels"):
        codec.decode(data, list, "x")


@pytest.mark.parametrize("levels", [MAX_DEPTH + 1, 700, 20_000])
def test_deep_arguments_of_a_reply_are_bad_json(levels: int):
    call = parse_call("f", '{"a":' + "[" * levels + "]" * levels + "}", "1")
    assert call.arguments is None
    assert call.raw is not None


@pytest.mark.parametrize("levels", [MAX_DEPTH + 1, 700, 5000])
def test_one_deep_trajectory_leaves_the_others_of_a_file_alone(tmp_path: Path, levels: int):
    deep = '{"golden_id": "a", "calls": [{"name": "f", "arguments": {"x": %s}}]}' % (
        "[" * levels + "]" * levels
    )
    file = tmp_path / "t.jsonl"
    file.write_text(deep + '\n{"golden_id": "b", "calls": []}\n')
    first, second = load_trajectories(file)
    assert (first.golden_id, first.trajectory.calls[0].arguments) == ("a", None)
    assert second.golden_id == "b"


def test_a_deep_golden_is_refused_with_its_line(tmp_path: Path):
    file = tmp_path / "g.jsonl"
    file.write_text('{"input": "ok"}\n{"input": "a", "metadata": {"x": %s}}\n' % ("[" * 150 + "]" * 150))
    with pytest.raises(InputError, match=r"g\.jsonl:2: JSON is nested too deeply"):
        list(load_goldens(file))


def test_a_value_that_holds_itself_is_too_deep_and_bounded():
    endless: dict[str, Any] = {}
    endless["x"] = endless
    call = limit_trajectory_depth(Trajectory(calls=(ToolCall("f", endless, output=nested(300)),))).calls[0]
    assert call.arguments is None
    assert isinstance(call.output, str)
