"""A suite whose tools live on a real MCP server."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from rightcall.agents.agent import Agent
from rightcall.core.errors import ConfigError
from rightcall.improve.variant import redefine_agent
from rightcall.records.tool import Tool
from rightcall.tools.mcp.address import read_address

pytestmark = pytest.mark.stories

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


def test_a_guard_stops_calls_of_a_servers_tools(tmp_path):
    suite = {
        "tools": {"mcp": {"command": [sys.executable, "-m", "mcp_server_time", "--local-timezone", "UTC"]}},
        "dataset": "goldens.jsonl",
        "agent": {"model": "scripted:script.json", "mode": "loop", "execute": "real"},
        "guard": "guard.yaml",
    }
    (tmp_path / "guard.yaml").write_text("rules: [{tool: convert_time, deny: always}]")
    (tmp_path / "goldens.jsonl").write_text('{"id": "tokyo", "input": "12:00 UTC in Tokyo?", "max_calls": 3}')
    (tmp_path / "script.json").write_text(
        json.dumps({"replies": [{"turns": [{"calls": [CALL]}, {"text": "No."}]}]})
    )
    (tmp_path / "suite.json").write_text(json.dumps(suite))
    command = [sys.executable, "-m", "rightcall.cli.main"]
    subprocess.run([*command, "run", "suite.json"], cwd=tmp_path, capture_output=True, check=False)
    shown = subprocess.run(
        [*command, "runs", "export", "last"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert "permission_denied" in shown and "+09:00" not in shown


DYING = """
import json, os, sys
def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    method, number = message.get("method"), message.get("id")
    if method == "initialize":
        info = {"name": "s", "version": "1"}
        send({"id": number, "result": {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": info}})
    elif method == "tools/list":
        send({"id": number, "result": {"tools": [{"name": "pay", "inputSchema": {"type": "object"}}]}})
    elif method == "tools/call":
        with open("world", "a") as lines:
            lines.write(message["params"]["arguments"]["to"] + "\\n")
        if not os.path.exists("mended"):
            os._exit(3)
        send({"id": number, "result": {"content": [{"type": "text", "text": "paid"}]}})
"""


def test_a_server_that_stays_dead_ends_the_run_and_a_resumed_run_pays_nothing_twice(tmp_path):
    goldens = [{"id": f"g{n}", "input": "pay", "expected_calls": [{"tool": "pay"}]} for n in range(8)]
    replies = [
        {
            "golden": f"g{n}",
            "turns": [{"calls": [{"name": "pay", "arguments": {"to": f"g{n}"}}]}, {"text": "done"}],
        }
        for n in range(8)
    ]
    suite = {
        "tools": {"mcp": {"command": [sys.executable, "-S", "server.py"]}},
        "dataset": "goldens.jsonl",
        "concurrency": 1,
        "agent": {"model": "scripted:script.json", "mode": "loop", "execute": "real"},
    }
    (tmp_path / "server.py").write_text(DYING)
    (tmp_path / "goldens.jsonl").write_text("\n".join(map(json.dumps, goldens)))
    (tmp_path / "script.json").write_text(json.dumps({"replies": replies}))
    (tmp_path / "suite.json").write_text(json.dumps(suite))

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "rightcall.cli.main", "run", "suite.json", *options]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    dead = run()
    assert dead.returncode == 4, dead.stdout + dead.stderr
    assert "exited in 5 calls in a row and answered none" in dead.stderr
    assert "5 of 8 cases stored; resume with:" in dead.stderr and "--resume" in dead.stderr
    (tmp_path / "mended").touch()
    resumed = run("--resume", "last")
    assert resumed.returncode == 4, resumed.stdout + resumed.stderr
    assert "5 of 8 goldens got no answer" in resumed.stdout
    assert "5 calls: outcome unknown" in resumed.stdout
    paid = (tmp_path / "world").read_text().split()
    assert sorted(paid) == [f"g{n}" for n in range(8)]  # each once
    (tmp_path / "world").unlink()
    fresh = run()
    assert fresh.returncode == 0, fresh.stdout + fresh.stderr


def test_definitions_of_a_server_that_runs_tools_for_real_are_not_pretended_to_be_changed():
    """The session offers what the server lists: improve, bisect and perturb would compare an agent with itself."""
    address = read_address({"command": ["server"]}, "tools.mcp")
    agent = Agent("keyword:", tools=[Tool("t", "Old.")], mode="loop", execute="real", mcp=address)
    with pytest.raises(ConfigError, match="execute: mock"):
        redefine_agent(agent, [Tool("t", "New.")])
    mocked = redefine_agent(replace(agent, execute="mock"), [Tool("t", "New.")])
    assert mocked.tools == [Tool("t", "New.")]
