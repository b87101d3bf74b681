"""What a run stores of its agent is read again, and each difference is a change that `compare` shows."""

from __future__ import annotations

import json
import sys

import pytest

from rightcall.improve.changes import run_changes
from rightcall.improve.run_setup import run_record
from rightcall.store.address import open_store

SERVER = """
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    method, number = message.get("method"), message.get("id")
    result = {}
    if method == "initialize":
        info = {"name": "shop", "version": os.environ["VERSION"]}
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
    elif method == "tools/list":
        result = {"tools": [{"name": "pay", "description": "Pays.", "inputSchema": {"type": "object"}}]}
    elif method == "tools/call":
        result = {"content": [{"type": "text", "text": "paid"}]}
    if number is not None:
        print(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}), flush=True)
"""
TABLE = {
    # what differs: agent before, agent after, version before, version after, the changes
    "mcp_server": ({}, {}, "1.0", "2.0", [("mcp_server", "shop 1.0", "shop 2.0")]),
    "system prompt": ({"system": "Be brief."}, {"system": "Be kind."}, "1", "1", [("sentence changed", "Be brief", "Be kind")]),
    "strict": ({}, {"strict": False}, "1", "1", [("strict", False, "never")]),
    "strict, both": ({"strict": False}, {"strict": True}, "1", "1", [("strict", "never", True)]),
    "settings": ({"strict": False}, {"strict": False, "settings": {"top_p": 1}}, "1", "1", [("settings.top_p", None, 1)]),
    "nothing": ({"strict": False}, {"strict": False}, "1", "1", []),
}  # fmt: skip


@pytest.mark.parametrize("row", TABLE)
def test_a_difference_of_what_was_stored_is_shown(rightcall, tmp_path, row):
    before, after, first, second, changes = TABLE[row]
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "goldens.jsonl").write_text(
        json.dumps({"id": "g", "input": "pay", "expected_calls": [{"tool": "pay"}]})
    )
    replies = [{"turns": [{"calls": [{"name": "pay", "arguments": {}}]}, {"text": "done"}]}]
    (tmp_path / "script.json").write_text(json.dumps({"replies": replies}))
    for agent, version in ((before, first), (after, second)):
        mcp = {"command": [sys.executable, "-S", "server.py"], "env": {"VERSION": version}}
        stated = {"model": "scripted:script.json", "mode": "loop", "execute": "real", **agent}
        suite = {"tools": {"mcp": mcp}, "dataset": "goldens.jsonl", "agent": stated}
        (tmp_path / "suite.json").write_text(json.dumps(suite))
        done = rightcall("run", "suite.json")
        assert done.code == 0, done.err
    with open_store(tmp_path / ".rightcall" / "rightcall.db", must_exist=True) as store:
        new, old = (run_record(store, run) for run in store.runs.page())
        assert old.known and new.known
        found = [(item.what, item.before, item.after) for item in run_changes(old, new)]
    assert found == changes
    shown = rightcall("compare", "last~1", "last").out
    assert "was stored without its system prompt" not in shown
    for what, value, other in changes:
        assert what in shown and str(other) in shown, (value, shown)
