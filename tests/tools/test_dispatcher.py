"""A program's own dispatcher, `execute_tool(name, args)`, runs the tools of a tested agent unchanged."""

from __future__ import annotations

import json

import pytest

import rightcall as rc
from rightcall.core.errors import ConfigError

USERS = {"usr_001": {"id": "usr_001", "name": "Alice"}}
TOOLS = [
    {
        "name": "get_user",
        "description": "Look up a user by id.",
        "input_schema": {
            "type": "object",
            "properties": {"user_id": {"type": "string"}},
            "required": ["user_id"],
        },
    },
    {
        "name": "log_out",
        "description": "Log a user out.",
        "input_schema": {"type": "object", "properties": {}},
    },
]
ran = []


def execute_tool(name, args):
    """As in an agent's own loop: one function for all tools, errors as JSON."""
    ran.append(name)
    if name == "get_user":
        user = USERS.get(args["user_id"])
        return json.dumps(user or {"error": "User not found", "hint": "Use an id such as usr_001."})
    return json.dumps({"success": True})


def asking(user_id):
    return rc.scripted({"Who is it?": [rc.ToolCall("get_user", {"user_id": user_id}), "Done."]})


GOLDEN = rc.Golden("Who is it?", id="who", expected_calls=[rc.ExpectedCall("get_user")])


def calls_of(agent):
    run = rc.evaluate(agent, [GOLDEN])
    return run, run.results[0].trajectory.calls


@pytest.mark.parametrize(
    "how", [{"execute": execute_tool}, {"mocks": {"*": execute_tool}}], ids=["execute", "mocks"]
)
def test_the_function_answers_every_tool(how, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    agent = rc.Agent(asking("usr_001"), tools=TOOLS, **how)
    run, (call,) = calls_of(agent)
    assert agent.mode == "loop" and run.passed and json.loads(call.output)["name"] == "Alice"


def test_an_error_in_its_json_is_an_error_of_the_tool(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, (call,) = calls_of(rc.Agent(asking("nobody"), tools=TOOLS, execute=execute_tool))
    assert call.status == "error" and call.output["detail"] == "User not found"
    assert call.output["hint"] == "Use an id such as usr_001."


def test_arguments_that_do_not_fit_never_reach_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran.clear()
    _, (call,) = calls_of(rc.Agent(asking(17), tools=TOOLS, execute=execute_tool))
    assert ran == [] and call.output["error"] == "invalid_args"


def test_a_tool_may_have_another_mock(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    agent = rc.Agent(
        asking("usr_001"), tools=TOOLS, execute=execute_tool, mocks={"get_user": {"result": {"name": "Bob"}}}
    )
    assert calls_of(agent)[1][0].output == {"name": "Bob"}


def test_what_cannot_take_a_name_and_arguments_is_refused_before_the_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="must take a tool's name and its arguments"):
        calls_of(rc.Agent(asking("usr_001"), tools=TOOLS, execute=lambda name: name))


@pytest.mark.parametrize("where", ["execute", "mocks"])
def test_a_suite_names_it(where, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "old_agent.py").write_text("def execute_tool(name, args):\n    return f'{name} done'\n")
    (tmp_path / "goldens.jsonl").write_text(
        '{"id": "a", "input": "log out", "expected_calls": [{"tool": "log_out"}]}'
    )
    script = {"replies": [{"turns": [{"calls": [{"name": "log_out", "arguments": {}}]}, {"text": "Bye"}]}]}
    (tmp_path / "script.json").write_text(json.dumps(script))
    named = "old_agent:execute_tool"
    agent = {"model": "scripted:script.json"} | ({"execute": named} if where == "execute" else {})
    suite = {"dataset": "goldens.jsonl", "agent": agent, "tools": TOOLS}
    suite |= {"mocks": {"*": named}} if where == "mocks" else {}
    (tmp_path / "suite.json").write_text(json.dumps(suite))
    run = rc.run_suite("suite.json", trust=True)
    assert run.passed and run.results[0].trajectory.calls[0].output == "log_out done"
