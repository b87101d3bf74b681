"""A call whose name the model left empty is the model's mistake: its case fails, and the file is read."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import rightcall as rc
from rightcall.cli.main import cli

EMPTY = {"name": "", "arguments": {"city": "Hue"}}
MESSAGES = {
    "calls": {"calls": [EMPTY]},
    "openai": {"messages": [{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "", "arguments": "{}"}}]}]},
    "anthropic": {"messages": [{"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "", "input": {}}]}]},
    "native": {"messages": [{"role": "assistant", "content": "", "calls": [EMPTY]}]},
}  # fmt: skip


@pytest.mark.parametrize("spelling", MESSAGES)
@pytest.mark.parametrize(
    "fields",
    [
        {"category": "negative"},
        {"expected_calls": [{"tool": "get_weather"}]},
        {"expected_calls": [{"tool": "get_weather", "args": {}}], "extra_calls": "allow"},
    ],
)
def test_the_case_fails_with_a_code_of_its_own(spelling, fields, tmp_path):
    goldens = [{"id": "g", "input": "?", **fields}, {"id": "h", "input": "?", "category": "negative"}]
    recorded = [{"golden_id": "g", **MESSAGES[spelling]}, {"golden_id": "h", "output": "Hello."}]
    (tmp_path / "goldens.jsonl").write_text("\n".join(map(json.dumps, goldens)))
    (tmp_path / "done.jsonl").write_text("\n".join(map(json.dumps, recorded)))
    results = {r.golden_id: r for r in rc.score(tmp_path / "goldens.jsonl", tmp_path / "done.jsonl")}
    assert [code.code for code in results["g"].codes] == ["unnamed_call"]
    assert (results["g"].passed, results["h"].passed) == (False, True)


def test_an_agent_that_returns_one_fails_and_a_model_is_told(tmp_path):
    golden = rc.Golden("Weather?", "g", expected_calls=[rc.ExpectedCall("get_weather", {"city": "Hue"})])
    (result,) = rc.evaluate(lambda text: [rc.ToolCall("", {})], [golden], store=tmp_path / "s.db").results
    assert (result.passed, result.error, [code.code for code in result.codes]) == (
        False,
        "",
        ["unnamed_call"],
    )


def test_a_call_without_the_field_cannot_be_read(tmp_path):
    (tmp_path / "goldens.jsonl").write_text(json.dumps({"id": "g", "input": "?", "no_calls": True}))
    (tmp_path / "done.jsonl").write_text(json.dumps({"golden_id": "g", "calls": [{"arguments": {}}]}))
    done = CliRunner().invoke(cli, ["score", str(tmp_path / "goldens.jsonl"), str(tmp_path / "done.jsonl")])
    assert "missing required field 'name' in calls[0]" in str(done.exception)
