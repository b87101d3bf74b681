"""A suite whose tools live on a real MCP server."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from rightcall.errors import ConfigError
from rightcall.executor import Agent
from rightcall.model.tool import Tool
from rightcall.suite.redefinition import redefined_agent
from rightcall.tools.mcp import read_address

CALL = {
    "name": "convert_time",
    "arguments": {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"},
}


def test_tools_of_a_server_are_listed_offered_and_called(tmp_path):
    script = {"replies": [{"turns": [{"calls": [CALL]}, {"text": "It is 21:00 in Tokyo."}]}]}
    golden = {
        "id": "tokyo",
        "input": "What is 12:00 UTC in Tokyo?",
        "expected_calls": [{"tool": "convert_time", "args": CALL["arguments"]}],
        "output_contains": ["21:00"],
    }
    suite = {
        "tools": {"mcp": {"command": [sys.executable, "-m", "mcp_server_time", "--local-timezone", "UTC"]}},
        "dataset": "goldens.jsonl",
        "agent": {"model": "scripted:script.json", "mode": "loop", "execute": "real"},
    }
    (tmp_path / "goldens.jsonl").write_text(json.dumps(golden))
    (tmp_path / "script.json").write_text(json.dumps(script))
    (tmp_path / "suite.json").write_text(json.dumps(suite))
    command = [sys.executable, "-m", "rightcall.cli.main"]
    done = subprocess.run(
        [*command, "run", "suite.json"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    shown = subprocess.run(
        [*command, "runs", "export", "last"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert "21:00:00+09:00" in shown  # the server's own answer


def test_definitions_of_a_server_that_runs_tools_for_real_are_not_pretended_to_be_changed():
    """The session offers what the server lists: improve, bisect and perturb would compare an agent with itself."""
    address = read_address({"command": ["server"]}, "tools.mcp")
    agent = Agent("keyword:", tools=[Tool("t", "Old.")], mode="loop", execute="real", mcp=address)
    with pytest.raises(ConfigError, match="execute: mock"):
        redefined_agent(agent, [Tool("t", "New.")])
    mocked = redefined_agent(replace(agent, execute="mock"), [Tool("t", "New.")])
    assert mocked.tools == [Tool("t", "New.")]
