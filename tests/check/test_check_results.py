"""`check` compares what tools return with the baseline, and says which tools failed in every call."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from rightcall.records import ToolCall
from rightcall.run.baseline_file import join_marks, load_baseline, result_marks
from tests.cli.conftest import rightcall

__all__ = ["rightcall"]

AGENT = """
import uuid
from pathlib import Path
from rightcall import ToolCall

def agent(golden):
    state = Path(__file__).with_name("state.txt").read_bytes().decode()
    result = {"order": golden.input, "status": state, "confirmation_id": str(uuid.uuid4())}
    return [ToolCall("cancel_order", {"order": golden.input}, status=STATUS, output=result)]
"""
SUITE = """
name: NAME
dataset: goldens.jsonl
agent: {model: "NAME:agent"}
tools: [{name: cancel_order, input_schema: {type: object}}]
trials: 2
"""


def write_suite(folder: Path, name: str, status: str = "ok", more: str = "") -> None:
    goldens = [
        {"id": f"g{n}", "input": f"B{n}", "expected_calls": [{"tool": "cancel_order"}]} for n in range(3)
    ]
    (folder / "goldens.jsonl").write_text("\n".join(map(json.dumps, goldens)))
    (folder / f"{name}.py").write_text(AGENT.replace("STATUS", repr(status)))
    (folder / "state.txt").write_text("cancelled")
    (folder / "suite.yaml").write_text(SUITE.replace("NAME", name) + more)


@pytest.fixture(autouse=True)
def _own_path(monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])


CHECK = ("check", "suite.yaml", "--full", "--again", "--baseline", "main.jsonl", "--json")


@pytest.mark.stories
def test_a_result_that_changed_is_a_note_with_both(rightcall, tmp_path):
    write_suite(tmp_path, "result_agent")
    rightcall("run", "suite.yaml", "--save-baseline", "main.jsonl")
    assert not [note for note in json.loads(rightcall(*CHECK).out)["notes"] if "the result of" in note]
    (tmp_path / "state.txt").write_text("open")
    (note,) = [note for note in json.loads(rightcall(*CHECK).out)["notes"] if "the result of" in note]
    assert note.startswith("the result of cancel_order differs in 6 of 6 calls: ")
    assert '"status":"cancelled"' in note and '"status":"open"' in note


@pytest.mark.stories
def test_a_tool_that_fails_in_every_call_is_said_and_forbidden(rightcall, tmp_path):
    write_suite(tmp_path, "failing_agent", "error", "gate: {forbid: [tool_error]}\ncheck: {drop: 0.8}\n")
    rightcall("run", "suite.yaml", "--save-baseline", "main.jsonl")
    result = json.loads(rightcall(*CHECK).out)
    assert result["verdict"] == "INCONCLUSIVE"
    assert any(warning.startswith("cancel_order failed in 6 of 6 calls") for warning in result["warnings"])


def test_a_baseline_keeps_little_of_a_result(rightcall, tmp_path):
    write_suite(tmp_path, "small_agent")
    rightcall("run", "suite.yaml", "--save-baseline", "main.jsonl")
    line = load_baseline(tmp_path / "main.jsonl").lines[0]
    ((key, mark),) = line.results.items()
    assert key.startswith("cancel_order ") and len(key) + len(mark) < 110


def mark(output: object, **arguments: object) -> str:
    (only,) = result_marks([ToolCall("cancel", arguments, status="ok", output=output)]).values()
    return only


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ({"status": "cancelled"}, {"status": "open"}),
        ({"refund": 37.77}, {"refund": 0}),
        ("cancelled B1", "nothing to do"),
        ({"items": ["a"]}, {"items": []}),
        ("x" * 100 + "a", "x" * 100 + "b"),
    ],
)
def test_another_result_has_another_mark(before, now):
    assert mark(before) != mark(now)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ({"ticket_id": 17, "status": "ok"}, {"status": "ok", "ticket_id": 18}),
        ({"createdAt": "2026-11-18T10:00:00Z"}, {"createdAt": "2026-11-19T11:00:00Z"}),
        ("Ticket TCK-48213 created at 10:12", "Ticket TCK-50007 created at 11:40"),
        ('{"id": "3f0c2a7e-0b1c-4d0e-9f7a-1b2c3d4e5f60"}', {"id": "9a0c2a7e-0b1c-4d0e-9f7a-1b2c3d4e5f61"}),
    ],
)
def test_ids_and_times_make_no_other_mark(before, now):
    assert mark(before) == mark(now)


def test_an_id_that_the_call_named_is_compared():
    assert mark("Order ORD-1001 is open", order="ORD-1001") != mark(
        "Order ORD-2002 is open", order="ORD-1001"
    )


def test_calls_with_other_arguments_are_not_compared():
    calls = [ToolCall("get", {"id": text}, status="ok", output=text) for text in ("ORD-1001", "ORD-2002")]
    assert list(result_marks(calls).values()) == ["ORD-1001", "ORD-2002"]


def test_a_call_that_is_repeated_is_compared_with_the_same_repetition():
    calls = [ToolCall("poll", {}, status="ok", output=output) for output in ("pending", "done")]
    assert list(result_marks(calls).values()) == ["pending", "done"]
    assert result_marks([ToolCall("poll", {})]) == {}


def test_a_result_that_varies_in_the_baseline_is_not_compared():
    assert join_marks([{"now": "21"}, {"now": "22"}, {"now": "21"}]) == {"now": ""}
