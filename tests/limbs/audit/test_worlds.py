"""Mutants in worlds: each is played in a fresh copy, whatever was played before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rightcall as rc
from rightcall.limbs.audit.suite_audit import AuditCall
from tests.limbs.audit.shop import judged_mutants

GOLDEN = {
    "id": "pay",
    "input": "Send 1000 cents from a1 to b1.",
    "expected_calls": [
        {"tool": "transfer", "args": {"source": "a1", "target": "b1", "cents": 1000}, "extra_args": "ignore"}
    ],
    "expected_state": {
        "bank": {
            "accounts": {"a1": {"balance": 8000}, "b1": {"balance": 1000}},
            "transfers": [{"source": "a1", "target": "b1", "cents": 1000}],
        }
    },
}
SUITE = {
    "dataset": "goldens.jsonl",
    "agent": {"model": "keyword:", "mode": "loop"},
    "worlds": {
        "bank": {"accounts": {"a1": {"owner": "An", "balance": 9000}, "b1": {"owner": "Bob", "balance": 0}}}
    },
}


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("goldens.jsonl").write_text(json.dumps(GOLDEN), encoding="utf-8")
    Path("suite.json").write_text(json.dumps(SUITE), encoding="utf-8")
    return "suite.json"


def test_a_transfer_with_a_key_has_its_effect_in_every_copy_of_the_world(suite: str) -> None:
    result = rc.audit(suite)
    assert (result.audited, result.doubts, result.survivors) == (1, (), ())
    balances = {
        mutant.operator: mutant.trajectory.state["bank"]["accounts"]["a1"]["balance"]
        for mutant, _ in judged_mutants(AuditCall(suite))
    }
    assert balances["off_by_one"] == 7999
    assert balances["drop_call"] == balances["world_not_reached"] == 9000
