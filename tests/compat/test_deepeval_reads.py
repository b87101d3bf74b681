"""Files in the dialect `deepeval` are read by the real DeepEval to the same values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rightcall.datasets.goldens import load_goldens, save_goldens
from rightcall.records import ConversationalGolden, Expectations, ExpectedCall, Golden, ToolCall, Turn
from tests.compat.deepeval_environment import run_with_deepeval

pytestmark = pytest.mark.stories

HERE = Path(__file__).parent
FILES = HERE.parent / "datasets" / "data" / "deepeval"

SINGLE = [
    Golden("Thời tiết Hà Nội?", id="hanoi", expected_output="Nắng,\n\"31 °C\"", context=("một", "hai, ba"), tags=("a",),
           expected_calls=(ExpectedCall("weather", {"city": "Hà Nội", "where": {"exact": {"text": "x"}}}),),
           metadata={"n": 1, "ok": True, "none": None}, custom_columns={"team": "đỏ"}, comments="ghi chú; |"),
    Golden("007 and more", name="called", actual_output="done", source_file="a.md", token_cost=0.25,
           input_token_count=12.0,
           tools_called=(ToolCall("grep", {"a": [1, None]}, status="ok", output={"x": 1}, notes={"type": "MCP"}),),
           expectations=Expectations(must=("be kind",))),
    Golden("matchers", expected_calls=(ExpectedCall("f", {"x": {"regex": "a.*"}}, required=False),), no_calls=False),
]  # fmt: skip
ANSWER = Turn("assistant", "Dạ", tools_called=(ToolCall("find", {"pnr": "A|B"}),), metadata={"latency": 1.5})
MULTI = [
    ConversationalGolden("Đổi vé", expected_outcome="đổi xong", user_description="nóng tính", context=("a", "b"),
                         turns=(Turn("user", "Xin chào"), ANSWER), id="ticket", metadata={"k": [1, 2]}),
    ConversationalGolden("refund", persona={"name": "Lan", "characteristics": "calm"}, user_description="calm"),
]  # fmt: skip


def test_deepeval_reads_what_was_written(tmp_path):
    paths = []
    for name, goldens in (("single", SINGLE), ("multi", MULTI)):
        for file_type in ("json", "jsonl", "csv"):
            paths.append(tmp_path / f"{name}.{file_type}")
            save_goldens(goldens, paths[-1], dialect="deepeval")
    for name in ("single_goldens", "multi_goldens"):  # its own files, by way of ours
        paths.append(tmp_path / f"{name}.json")
        save_goldens(load_goldens(FILES / f"{name}.json"), paths[-1], dialect="deepeval")
    found = read_by_deepeval(paths)
    for path, rows in zip(paths, found, strict=True):
        goldens = list(load_goldens(path))
        assert [expected(golden, path.suffix) for golden in goldens] == [without_ours(row) for row in rows], (
            path.name
        )


def expected(golden, suffix: str) -> dict:
    """What DeepEval should say of a golden, said by us."""
    found = {
        "name": golden.name,
        "comments": golden.comments,
        "additional_metadata": golden.metadata,
        "custom_column_key_values": golden.custom_columns,
        "context": list(golden.context) if golden.context else None,
        "must": list(golden.expectations.must) if golden.expectations else None,
    }
    if isinstance(golden, ConversationalGolden):
        return found | {
            "scenario": golden.scenario,
            "expected_outcome": golden.expected_outcome,
            "user_description": golden.user_description,
            "persona_name": golden.persona.get("name") if golden.persona and suffix != ".csv" else None,
            "turns": [
                {
                    "role": turn.role,
                    "content": turn.content,
                    "user_id": turn.user_id,
                    "tools_called": [made(call) for call in turn.tools_called] if turn.tools_called else None,
                    "metadata": turn.metadata or None,
                }
                for turn in golden.turns
            ],
        }
    return found | {
        "input": golden.input,
        "actual_output": golden.actual_output,
        "expected_output": golden.expected_output or (None if suffix == ".csv" else golden.expected_output),
        "source_file": golden.source_file,
        "token_cost": golden.token_cost,
        "input_token_count": golden.input_token_count,
        "tools_called": [made(call) for call in golden.tools_called] if golden.tools_called else None,
        "expected_tools": [wanted(call) for call in golden.expected_calls] if golden.expected_calls else None,
    }


def made(call: ToolCall) -> dict:
    notes = {"type": "FUNCTION", "description": None, "reasoning": None, **call.notes}
    return {"name": call.name, "output": call.output, "input_parameters": call.arguments, **notes}


def wanted(call: ExpectedCall) -> dict:
    notes = {"type": "FUNCTION", "description": None, "reasoning": None, "output": None, **call.notes}
    args = call.args
    if args is not None and any(
        isinstance(spec, dict) and spec.keys() != {"exact"} for spec in args.values()
    ):
        args = None  # matchers are not written for DeepEval
    plain = args and {k: v["exact"] if isinstance(v, dict) else v for k, v in args.items()}
    return {"name": call.tool, "input_parameters": plain, **notes}


def without_ours(row: dict) -> dict:
    metadata = {key: value for key, value in (row["additional_metadata"] or {}).items() if key != "rightcall"}
    return {**row, "additional_metadata": metadata}


def read_by_deepeval(paths: list[Path]) -> list[list[dict]]:
    printed = run_with_deepeval(HERE / "deepeval_reader.py", *map(str, paths), folder=paths[0].parent)
    return [
        json.loads(line.removeprefix("FOUND ")) for line in printed.splitlines() if line.startswith("FOUND ")
    ]
