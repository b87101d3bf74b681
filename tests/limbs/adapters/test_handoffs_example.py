"""examples/handoffs: one file of goldens, two frameworks, the same verdicts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.limbs.adapters.test_examples import ROOT, rightcall

pytestmark = pytest.mark.stories

CODES = {
    "refund": [], "where": [], "what": [], "thanks": [], "hurry": ["wrong_agent"],
    "hurry-forbidden": ["forbidden_call", "missing_call"], "complaint": ["wrong_tool"], "responsible": ["handoff_loop"],
    "budget": ["loop_limit"],
}  # fmt: skip


def test_a_team_in_two_frameworks_gets_the_same_verdicts(tmp_path: Path):
    folder = tmp_path / "handoffs"
    shutil.copytree(ROOT / "examples" / "handoffs", folder)
    told = []
    for framework in ("openai", "langgraph"):
        ran = rightcall(folder, "run", f"suite_{framework}.yaml", "--json")
        assert ran.returncode == 1, ran.stderr
        *rows, last = [json.loads(line) for line in ran.stdout.splitlines()]
        assert {row["golden_id"]: [failure["code"] for failure in row["codes"]] for row in rows} == CODES
        told.append(
            (sorted((row["golden_id"], row["passed"], row["score"]) for row in rows), last["verdict"])
        )
    assert told[0] == told[1]
    shown = rightcall(folder, "runs", "show", "last", "what").stdout
    assert "  lookup: find_order" in shown and "by triage/lookup" in shown
    assert "triage" in rightcall(folder, "runs", "show", "last").stdout
