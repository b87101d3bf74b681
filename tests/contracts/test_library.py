"""What the command line can do, a program can do with one call, typed, in a notebook too."""

from __future__ import annotations

import asyncio
import inspect
import json
import subprocess
import sys

import pytest

import rightcall as rc
from rightcall.api.decisions import sample_size
from rightcall.api.goldens import check_dataset
from rightcall.deepeval.dataset import EvaluationDataset

GOLDEN = {
    "id": "a",
    "input": "Weather in Hue?",
    "expected_calls": [{"tool": "weather", "args": {"city": "Hue"}}],
}
DONE = {"golden_id": "a", "calls": [{"name": "weather", "arguments": {"city": "Hue"}}]}
TOOL = {"name": "weather", "description": "x", "input_schema": {"type": "object", "properties": {}}}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.jsonl").write_text(json.dumps(GOLDEN) + "\n")
    (tmp_path / "t.jsonl").write_text(json.dumps(DONE) + "\n")
    (tmp_path / "tools.json").write_text(json.dumps([TOOL]))
    return tmp_path


def right(golden):
    return [rc.ToolCall("weather", {"city": "Hue"})]


def wrong(golden):
    return [rc.ToolCall("weather", {"city": "Hanoi"})]


def test_score_gives_results_and_their_summary(files):
    scores = rc.score("g.jsonl", "t.jsonl", metrics=["tool_selection"])
    assert [result.passed for result in scores] == [True]
    assert scores.summary.overall.pass_rate == 1.0 and scores.verdict(1.0).word == "PASS"


def test_a_stored_run_is_gated_and_compared(files):
    before = rc.evaluate(right, "g.jsonl")
    after = rc.evaluate(wrong, "g.jsonl")
    assert isinstance(before, rc.RunResult) and before.verdict.word == "PASS"
    assert rc.gate(before.id, {"min": 0.9, "rule": "point"}).word == "PASS"
    assert rc.gate(rules={"min": 0.9, "rule": "point"}).word == "FAIL"
    (found,) = rc.compare(before.id, after.id)
    assert found.comparison.difference == -1.0


def test_a_gate_that_asks_for_nothing_is_refused():
    with pytest.raises(rc.errors.ConfigError, match="has no requirements"):
        rc.gate(rules={"alpha": 0.1})


def test_plan_says_how_many_goldens(files):
    assert sample_size(0.8, 0.95).goldens > sample_size(0.8, 0.99).goldens


@pytest.mark.parametrize("sources", ["tools.json", ["tools.json"], [TOOL]], ids=["path", "paths", "tools"])
def test_lint_takes_paths_and_tools(files, sources):
    assert "TD" in " ".join(one.code for one in rc.lint(sources).diagnostics)


def test_check_dataset_names_the_place(files):
    found = check_dataset("g.jsonl", tools=[{**TOOL, "name": "other"}])
    assert found and found[0].where == "g.jsonl:1"
    assert check_dataset([rc.Golden("hi", no_calls=True)]) == []


def test_evaluate_works_inside_a_running_event_loop(files):
    async def cell():
        return rc.evaluate(right, "g.jsonl")

    assert asyncio.run(cell()).passed


def test_ready_cases_are_scored_by_one_call(files):
    golden = rc.Golden("hi", expected_calls=[rc.ExpectedCall("weather")])
    case = rc.TestCase(golden, rc.Trajectory(calls=[rc.ToolCall("weather", {})]))
    assert rc.score_cases([case], ["tool_selection"]).passed


@pytest.mark.parametrize("name", ["evaluate", "aevaluate", "score_cases", "score", "compare", "rescore"])
def test_no_function_hides_its_parameters(name):
    kinds = [
        one for one in inspect.signature(getattr(rc, name)).parameters.values() if one.kind is one.VAR_KEYWORD
    ]
    assert [one for one in kinds if one.annotation != "Never"] == []


def test_a_room_with_the_name_of_a_function_answers_calls(files):
    code = "import rightcall as rc, rightcall.decide, rightcall.lint.engine; print(len(rc.lint('tools.json').tools))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_the_package_runs_as_a_module(files):
    done = subprocess.run(
        [sys.executable, "-m", "rightcall", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("rightcall")


def test_a_suite_is_run_as_the_command_does(files):
    suite = {"dataset": "g.jsonl", "tools": "tools.json", "agent": {"model": "keyword:"}, "name": "weather"}
    (files / "suite.json").write_text(json.dumps(suite))
    done = rc.run_suite("suite.json", trials=2)
    assert [(result.golden_id, result.trial) for result in done.results] == [("a", 0), ("a", 1)]
    assert done.store.runs.get("last").run.name == "weather"


def test_a_definition_is_read_and_written_in_any_format():
    tool = rc.Tool.read(TOOL)
    assert tool.write("openai")["function"]["name"] == "weather" and rc.Tool.read(tool.write("mcp")) == tool
    with pytest.raises(rc.errors.ConfigError, match="unknown format of definitions 'opnai'; did you mean"):
        tool.write("opnai")


def test_a_draft_is_run_once_it_was_reviewed(files):
    draft = rc.Golden("Weather in Hue?", id="a", metadata={"review": {"state": "pending"}}, no_calls=True)
    dataset = EvaluationDataset([draft])
    with pytest.raises(rc.errors.RightCallError, match="1 golden is unreviewed"):
        rc.evaluate(right, dataset)
    dataset.review("a", author="Lan")
    assert not rc.evaluate(right, dataset).passed
    with pytest.raises(rc.errors.ConfigError, match="no golden 'b' in the dataset; known: a"):
        dataset.review("b")


def test_what_is_printed_is_what_a_person_reads(files):
    runs = [rc.evaluate(agent, "g.jsonl", group="nightly") for agent in (right, wrong)]
    assert repr(rc.Golden("Hi")) == "Golden(input='Hi')"
    assert str(EvaluationDataset([rc.Golden("Hi", id="a")])) == (
        "EvaluationDataset: 1 golden, single-turn\n  a  Hi"
    )
    for trend in (rc.trend("nightly"), rc.trend(runs)):
        assert [point.rate for point in trend] == [1.0, 0.0] and runs[0].id in str(trend)
    assert "broken" in str(rc.compare(*runs))
