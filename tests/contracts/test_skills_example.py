"""examples/skills: its page says what the commands print, and the skills are clean."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rightcall as rc
from rightcall.lint.engine import lint
from rightcall.lint.source.tools import read_skill_set
from rightcall.run.suite import load_suite
from rightcall.run.suite_plan import plan_suite
from rightcall.schema.skill_definition import load_skills

EXAMPLE = Path(__file__).parents[2] / "examples" / "skills"


def test_the_skills_are_clean():
    assert lint([read_skill_set(EXAMPLE / "skills")]).diagnostics == ()


def test_the_suite_offers_the_skills_by_one_tool():
    plan = plan_suite(load_suite(EXAMPLE / "suite.yaml"), EXAMPLE)
    assert [skill.name for skill in plan.agent.skills] == ["invoices", "minutes", "travel"]
    assert {tool.kind for tool in plan.definitions} == {"skill"}


@pytest.mark.stories
def test_the_run_misses_one_trigger(tmp_path, monkeypatch):
    monkeypatch.chdir(EXAMPLE)
    run = rc.run_suite(EXAMPLE / "suite.yaml", store=f"sqlite:///{tmp_path}/r.db")
    failed = [result for result in run.results if not result.passed]
    assert [(result.golden_id, result.codes[0].code) for result in failed] == [("invoices-3", "no_call")]


def test_recorded_loads_are_scored_as_the_page_says():
    scores = rc.score(
        EXAMPLE / "following.jsonl", EXAMPLE / "trajectories.jsonl", tools=f"skills:{EXAMPLE / 'skills'}"
    )
    outcomes = {result.golden_id: result.outcome for result in scores}
    assert outcomes == {
        "invoice-done": "passed", "invoice-guessed": "failed", "minutes-read": "passed", "trip-preloaded": "error",
    }  # fmt: skip
    page = (EXAMPLE / "README.md").read_text("utf-8")
    assert all(case in page for case in outcomes)


def test_the_same_through_metrics():
    skills = load_skills([EXAMPLE / "skills"])
    lines = [json.loads(line) for line in (EXAMPLE / "trajectories.jsonl").read_text("utf-8").splitlines()]
    scores = rc.score(
        EXAMPLE / "following.jsonl", EXAMPLE / "trajectories.jsonl", tools=skills,
        measure=["trigger_recall", "trigger_precision"],
    )  # fmt: skip
    values = {result.golden_id: result.metrics["trigger_recall"] for result in scores if not result.error}
    assert len(lines) == 4 and all(score.value == 1.0 for score in values.values())
