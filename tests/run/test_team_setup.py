"""Suites that name agents where nobody can say which agent made a call: a broken setup, never a pass."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import rightcall as rc
from rightcall.cli.score import score
from rightcall.core.errors import ConfigError
from rightcall.records import ExpectedCall, Golden, Tool, ToolCall, Trajectory
from rightcall.run.golden_check import notes_of

BY = (ExpectedCall("refund", by="billing"),)


def test_one_model_that_works_alone_is_refused_before_it_is_asked(tmp_path: Path):
    agent = rc.Agent("keyword:", tools=[Tool("refund")])
    with pytest.raises(ConfigError, match=r"agents cannot be checked: .* one model that works alone"):
        rc.evaluate(agent, [Golden("Refund", id="g", expected_calls=BY)], store=tmp_path / "s.db")


@pytest.mark.parametrize(("agent", "word"), [("billing", "PASS"), (None, "ERROR")])
def test_a_suite_in_which_no_agent_is_known_shows_nothing(agent: str | None, word: str, tmp_path: Path):
    def team(golden: Golden) -> Trajectory:
        return Trajectory(calls=(ToolCall("refund", agent=agent),))

    made = rc.evaluate(team, [Golden("Refund", id="g", expected_calls=BY)], store=tmp_path / "s.db")
    assert made.verdict.word == word
    assert made.results[0].passed  # what is not known fails no case
    if word == "ERROR":
        assert "no call says which agent made it" in made.verdict.sentence


def test_scores_of_recorded_calls_without_agents_end_as_a_usage_error(tmp_path: Path):
    goldens = tmp_path / "g.jsonl"
    recorded = tmp_path / "t.jsonl"
    goldens.write_text(
        json.dumps({"id": "g", "input": "?", "expected_calls": [{"tool": "a", "by": "billing"}]})
    )
    for agent, status in (({"agent": "billing"}, 0), ({}, 2)):
        recorded.write_text(json.dumps({"golden_id": "g", "calls": [{"name": "a", **agent}]}))
        done = CliRunner().invoke(score, [str(goldens), str(recorded)])
        code = done.exit_code if not isinstance(done.exception, ConfigError) else 2
        assert code == status, done.output


TOOLS = {"refund": Tool("refund"), "billing": Tool("billing", kind="agent")}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"expected_calls": (ExpectedCall(handoff="biling"),)}, "no such agent 'biling'"),
        ({"expected_calls": (ExpectedCall("refund", by={"nott": "x"}),)}, "by must be a name or a matcher"),
        ({"forbidden_calls": ({"tol": "refund"},)}, "a forbidden call has no field 'tol'"),
        ({"forbidden_calls": ({"tool": "refund", "handoff": "x"},)}, "one of tool, handoff and delegate"),
        (
            {"expected_calls": BY, "forbidden_calls": ({"tool": "refund", "by": "billing"},)},
            "expected and forbidden",
        ),
        ({"expected_calls": (ExpectedCall(handoff="billing"),), "max_handoffs": 0}, "max_handoffs is 0"),
        ({"expected_calls": (ExpectedCall("refund", by="a/billing"),), "max_depth": 0}, "max_depth is 0"),
        ({"answered_by": "billin"}, "no such agent 'billin'"),
    ],
)
def test_what_a_golden_says_about_agents_is_checked(fields, message):
    errors = [note for note in notes_of(Golden("?", "g", **fields), TOOLS) if note[0] == "error"]
    assert any(message in note[2] for note in errors), errors


def test_a_golden_about_a_team_is_fine():
    golden = Golden(
        "?", "g", expected_calls=(ExpectedCall(handoff="billing"), *BY), answered_by="billing",
        forbidden_calls=({"tool": "refund", "by": {"not": "billing"}},),
    )  # fmt: skip
    assert list(notes_of(golden, TOOLS)) == []
