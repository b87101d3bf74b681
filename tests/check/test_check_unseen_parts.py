"""What decides a verdict besides the agent: tools that run for real, an MCP server, metrics, the goldens themselves."""

from __future__ import annotations

import sys

import pytest

from tests.support.changed_agents import GOOD, ChangedAgent, Shop, run_commands

pytestmark = pytest.mark.stories

SERVER = """
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = {}
    if message["method"] == "initialize":
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "shop", "version": "1"}}
    elif message["method"] == "tools/list":
        result = {"tools": [{"name": n, "inputSchema": {"type": "object"}} for n in ("find_account", "delete_account")]}
    elif message["method"] == "tools/call":
        result = {"content": [{"type": "text", "text": os.environ.get("WORD", "") + sys.argv[-1]}]}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""
TOOLS = """
from NAME_words import WORD
def find_account() -> str:
    return WORD
def delete_account() -> str:
    return ""
tools = [find_account, delete_account]
"""
METRIC = """
from pathlib import Path
def known(calls):
    return (Path(__file__).parent / "NAME.txt").read_text() == "find_account"
"""
LOOP = {"model": "keyword:", "mode": "loop"}
REAL = {**LOOP, "execute": "real"}
COMMAND = [sys.executable, "server.py"]

PARTS = {
    "tool that a mock runs": ChangedAgent(
        "keyword:", {"NAME_tools.py": TOOLS, "NAME_words.py": f"WORD = '{GOOD}'\n"}, "NAME_words.py",
        suite={"agent": LOOP, "tools": "NAME_tools:tools", "mocks": {GOOD: {"real": True}}},
    ),
    "argument of a server": ChangedAgent(
        "keyword:", {"server.py": SERVER}, "suite.yaml",
        suite={"agent": REAL, "tools": {"mcp": {"command": [*COMMAND, GOOD]}}},
    ),
    "variable of a server": ChangedAgent(
        "keyword:", {"server.py": SERVER}, "suite.yaml",
        suite={"agent": REAL, "tools": {"mcp": {"command": COMMAND, "env": {"WORD": GOOD}}}},
    ),
    "file of a metric": ChangedAgent(
        "keyword:", {"NAME_metric.py": METRIC, "NAME.txt": GOOD}, "NAME.txt",
        suite={"metrics": ["NAME_metric:known"]},
    ),
    "every golden": ChangedAgent("keyword:", {"README.md": ""}, "README.md"),
}  # fmt: skip
PROGRAMS = ("argument of a server", "variable of a server")
"""Parts that run another program, whose files cannot be seen: a sample is tried even without a change."""
FOUND = {
    "tool that a mock runs": "_words.py changed",
    "argument of a server": "command of the MCP server",
    "variable of a server": "command of the MCP server",
    "file of a metric": "40 trials of the baseline were scored again: 100.0% → 0.0% passed",
    "every golden": "nothing to compare with",
}


@pytest.fixture(scope="module")
def checks(tmp_path_factory):
    """Each part: a check without a change, and one after it."""
    shops = {
        name: Shop(tmp_path_factory.mktemp("part") / "shop", part, f"part_{number}", None).write()
        for number, (name, part) in enumerate(PARTS.items())
    }
    for shop in shops.values():
        text = (shop.folder / "suite.yaml").read_text()
        (shop.folder / "suite.yaml").write_text(text.replace("NAME", shop.name))
    run_commands([shop.command("run", "suite.yaml") for shop in shops.values()])
    before = run_commands([shop.check() for shop in shops.values()])
    for shop in shops.values():
        shop.break_it()
    goldens = shops["every golden"].folder / "goldens.jsonl"
    goldens.write_text(goldens.read_text().replace('"id": "g', '"id": "renamed-'))
    after = run_commands([shop.check() for shop in shops.values()])
    return {name: found for name, *found in zip(shops, before, after, strict=True)}


@pytest.mark.parametrize("part", PARTS)
def test_a_change_is_found_and_run(part, checks):
    before, after = checks[part]
    assert before["check"], before["said"]
    assert (before["check"]["verdict"], before["check"]["calls"]["spent"] > 0) == (
        "PASS" if part in PROGRAMS else "SAME",
        part in PROGRAMS,
    )
    assert ("is a program, whose files cannot be seen" in before["check"]["unknown"]) is (part in PROGRAMS)
    assert ("agent: {code: [" in before["check"]["unknown"]) is (part in PROGRAMS)
    assert after["check"], after["said"]
    assert FOUND[part] in " ".join(after["said"].split())
    assert after["check"]["calls"]["spent"] > 0 or "scored again" in " ".join(after["said"].split())


def test_a_baseline_without_a_golden_in_common_decides_nothing(checks):
    check = checks["every golden"][1]["check"]
    assert (check["verdict"], check["cause"]) == ("INCONCLUSIVE", "new"), check["reason"]
    assert "on the main branch" in check["hint"]
