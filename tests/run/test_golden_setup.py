"""A golden may choose its set of tools, its model and its settings; every scorer sees the same."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import rightcall as rc
from rightcall.cli.run import run
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import Message

TOOLS = [{"name": name, "description": name, "input_schema": {"type": "object", "properties": {}}}
         for name in ("read_file", "list_files", "search_web")]  # fmt: skip
SETS = {"files": ["read_file", "list_files"], "web": ["search_web"]}


def echoed(request):
    """Call every tool that is offered, and say the settings."""
    settings = request.prompt.settings
    calls = tuple(rc.ToolCall(tool.name) for tool in request.prompt.tools)
    return Message("assistant", f"{settings.temperature} {settings.max_tokens}", calls)


ECHO = ScriptedProvider(echoed)


def ran(tmp_path, agent, *goldens):
    return list(rc.evaluate(agent, goldens, store=tmp_path / "runs.db").results)


@pytest.mark.parametrize("name", SETS)
def test_a_golden_is_offered_the_tools_of_its_set_alone(tmp_path, name):
    golden = rc.Golden("?", tool_set=name, expected_calls=tuple(map(rc.ExpectedCall, SETS[name])))
    (result,) = ran(tmp_path, rc.Agent(ECHO, tools=TOOLS, tool_sets=SETS), golden)
    assert result.passed and {call.name for call in result.trajectory.calls} == set(SETS[name])


@pytest.mark.parametrize(
    ("golden", "sets", "message"),
    [
        (rc.Golden("?", id="g", tool_set="file"), SETS, "no such tool set 'file'; did you mean 'files'"),
        (rc.Golden("?", id="g", tool_set="web", tools=("read_file",)), SETS, "both tools and tool_set"),
        (rc.Golden("?", id="g"), {"files": ["red_file"]}, "tool_sets.files: no such tool 'red_file'; did you mean"),
        (rc.Golden("?", id="g", settings={"temprature": 1}), {}, "unknown field 'temprature'"),
    ],
)  # fmt: skip
def test_a_wrong_name_is_reported_before_anything_is_asked(tmp_path, golden, sets, message):
    with pytest.raises(rc.errors.ConfigError, match=message):
        ran(tmp_path, rc.Agent(ECHO, tools=TOOLS, tool_sets=sets), golden)


def test_settings_of_a_golden_lie_over_those_of_the_agent(tmp_path):
    agent = rc.Agent(ECHO, settings={"temperature": 0, "max_tokens": 9})
    warm, plain = ran(
        tmp_path, agent, rc.Golden("a", id="a", settings={"temperature": 1}), rc.Golden("b", id="b")
    )
    assert (warm.trajectory.output, plain.trajectory.output) == ("1.0 9", "0.0 9")


def test_a_golden_that_names_a_model_is_answered_by_it(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.yaml").write_text(f"replies: [{{turns: [{{text: {name}}}]}}]")
    agent = rc.Agent(f"scripted:{tmp_path / 'one.yaml'}")
    other = rc.Golden("b", id="b", model=f"scripted:{tmp_path / 'two.yaml'}")
    results = ran(tmp_path, agent, rc.Golden("a", id="a"), other)
    assert [result.trajectory.output for result in results] == ["one", "two"]


def test_a_model_that_does_not_exist_is_reported_before_anything_is_asked(tmp_path):
    with pytest.raises(rc.errors.ConfigError, match="opnai"):
        ran(tmp_path, rc.Agent("keyword:", tools=TOOLS), rc.Golden("?", model="opnai:gpt-5"))


def test_a_suite_has_sets_of_tools_and_a_named_weighting(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expected = [{"tool": "read_file", "args": {"path": "a.md"}}]
    (tmp_path / "goldens.jsonl").write_text(
        json.dumps({"id": "g", "input": "Read a.md", "tool_set": "files", "expected_calls": expected})
    )
    (tmp_path / "said.yaml").write_text(
        "replies: [{turns: [{calls: [{name: read_file, arguments: {path: b.md}}]}]}]"
    )
    suite = {
        "dataset": "goldens.jsonl", "agent": {"model": "scripted:said.yaml"}, "tools": TOOLS, "tool_sets": SETS,
        "rules": "seed",
    }  # fmt: skip
    (tmp_path / "suite.json").write_text(json.dumps(suite))
    done = CliRunner().invoke(run, ["suite.json", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout.splitlines()[0])["score"] == 0.85
