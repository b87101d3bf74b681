"""A gate that forbids what no golden can show decides nothing: an error behind every door."""

from __future__ import annotations

import pytest

import rightcall as rc
from rightcall.core.errors import ConfigError

PAY = rc.Tool("pay", "Pays a bill.", {"type": "object", "properties": {}})
PLAIN = rc.Golden("Pay", "plain", expected_calls=[rc.ExpectedCall("pay")])
FORBIDS = rc.Golden("Look", "forbids", forbidden_calls=["pay"])
STATES = rc.Golden("Look", "states", expected_state={"bank": {}})


def pays(text: str) -> list[rc.ToolCall]:
    return [rc.ToolCall("pay", {})] if text == "Pay" else []


@pytest.mark.parametrize(
    ("code", "goldens", "field"),
    [
        ("forbidden_call", [PLAIN], "forbidden_calls"),
        ("wrong_state", [PLAIN, FORBIDS], "expected_state"),
        ("forbidden_call", [PLAIN, STATES], "forbidden_calls"),
    ],
)
def test_a_run_is_refused_and_so_is_a_gate_on_a_stored_run(code, goldens, field, tmp_path):
    says = f"gate: forbid: {code} can never occur, because no golden has {field}"
    with pytest.raises(ConfigError, match=says):
        rc.evaluate(pays, goldens, gate={"forbid": [code]}, store=tmp_path / "s.db")
    run = rc.evaluate(pays, [PLAIN], store=tmp_path / "s.db")
    with pytest.raises(ConfigError, match=says):
        rc.gate(run, {"forbid": [code]}, store=tmp_path / "s.db")


def test_one_golden_that_can_show_it_is_enough(tmp_path):
    goldens = [PLAIN, FORBIDS]
    run = rc.evaluate(pays, goldens, gate={"forbid": ["forbidden_call"]}, store=tmp_path / "s.db")
    assert (run.verdict.word, rc.gate(run, {"forbid": ["forbidden_call"]}, store=tmp_path / "s.db").word) == (
        "PASS",
        "PASS",
    )
    only = rc.evaluate(
        pays, goldens, only=["plain"], gate={"forbid": ["forbidden_call"]}, store=tmp_path / "s.db"
    )
    assert only.verdict.word == "PASS"
