"""Files of `{data, target, metadata}` are goldens like any others."""

from __future__ import annotations

import json

import pytest

import rightcall as rc
from rightcall.datasets.targets import golden_of_datapoint

READ = {
    "data": {
        "prompt": "Read README.md",
        "systemPrompt": "Be brief.",
        "tools": ["readFile", "deleteFile"],
        "config": {"model": "openai:gpt-5-mini", "temperature": 0},
    },
    "target": {"expectedTools": ["readFile"], "category": "golden"},
    "metadata": {"description": "A direct request"},
}
FRANCE = {"data": {"prompt": "Capital of France?", "tools": ["readFile"]},
          "target": {"forbidden_tools": ["readFile"], "category": "negative"}}  # fmt: skip


@pytest.mark.parametrize("suffix", ["json", "jsonl", "yaml"])
def test_a_file_of_targets_is_known_by_its_fields(tmp_path, suffix):
    path = tmp_path / f"file-tools.{suffix}"
    lines = "\n".join(json.dumps(item) for item in (READ, FRANCE))
    path.write_text(lines if suffix == "jsonl" else json.dumps([READ, FRANCE]))
    read, france = rc.load_dataset(path)
    assert (read.input, read.system, read.tools) == (
        "Read README.md",
        "Be brief.",
        ("readFile", "deleteFile"),
    )
    assert (read.model, read.settings, read.name) == (
        "openai:gpt-5-mini",
        {"temperature": 0},
        "A direct request",
    )
    assert read.expected_calls == (rc.ExpectedCall("readFile"),)
    assert (france.category, france.forbidden_calls) == ("negative", ("readFile",))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"data": {"promt": "?"}}, r"a\.json:1: data: unknown field 'promt'; did you mean 'prompt'"),
        ({"data": {"tools": []}}, "missing required field 'prompt'"),
        ({"target": {"expectedTool": []}}, "unknown field 'expectedTool'; did you mean 'expected_tools'"),
        ({"target": {"category": "gold"}}, "category must be one of golden, secondary, negative, got 'gold'"),
        ({"target": "readFile"}, "target must be an object, got str"),
    ],
)
def test_what_is_wrong_with_an_item_is_reported_with_its_place(tmp_path, change, message):
    path = tmp_path / "a.json"
    path.write_text(json.dumps([READ | change]))
    with pytest.raises(rc.errors.InputError, match=message):
        rc.load_dataset(path)


def test_in_python_data_and_target_may_be_anything():
    golden = golden_of_datapoint({"data": {"question": "2+2?"}, "target": "4"}, "data[0]")
    assert golden.input == '{"question": "2+2?"}' and golden.extra_calls == "allow"
    assert (golden.metadata["data"], golden.metadata["target"]) == ({"question": "2+2?"}, "4")
