"""A secondary golden passes by one rule: every grade without its own threshold passes from the golden's.

The table has ways to name a metric, each of which grades the same case 0.667, and the doors a case can come through.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import rightcall as rc
from rightcall.cli.run import run
from rightcall.cli.score import score
from rightcall.datasets.goldens import save_goldens
from rightcall.datasets.trajectories import save_trajectories
from rightcall.laminar import evaluate
from rightcall.metrics.builtin.calls import ToolSelection
from rightcall.metrics.matching.verdict import ScoringRules
from rightcall.records import RecordedTrajectory
from tests.support.own_metrics import TwoThirds, two_thirds

OWN = "tests.support.own_metrics:two_thirds"
BY_GOLDEN = {"golden": False, "secondary": True, "lenient": True, "severe": False}
"""Whether 0.667 passes: golden needs 1, secondary 0.5, lenient 0.6, severe 0.7."""

IN_TEXT = {
    "tool_selection": BY_GOLDEN,
    "tool_f1": BY_GOLDEN,
    "call_f1": BY_GOLDEN,
    OWN: BY_GOLDEN,
    # A threshold that is written with the metric is the metric's; the calls still pass by the golden's.
    "tool_selection(threshold=0.6)": BY_GOLDEN,
    "tool_selection(threshold=0.9)": dict.fromkeys(BY_GOLDEN, False),
    f"{OWN}(threshold=0.9)": dict.fromkeys(BY_GOLDEN, False),
}
IN_CODE = {
    "instance": (ToolSelection(), BY_GOLDEN),
    "instance with a threshold": (ToolSelection(threshold=0.9), dict.fromkeys(BY_GOLDEN, False)),
    "function": (two_thirds, BY_GOLDEN),
    "lambda": (lambda output, calls: 2 / 3, BY_GOLDEN),
    "metric of DeepEval's form": (TwoThirds(), BY_GOLDEN),
    "metric of DeepEval's form with a threshold": (TwoThirds(0.9), dict.fromkeys(BY_GOLDEN, False)),
}
WAYS = {**{text: (text, passes) for text, passes in IN_TEXT.items()}, **IN_CODE}


def golden(name):
    thresholds = {"lenient": 0.6, "severe": 0.7}
    return rc.Golden(
        f"What is in the {name} folder?",
        id=name,
        category="golden" if name == "golden" else "secondary",
        threshold=thresholds.get(name),
        expected_calls=[rc.ExpectedCall("list_files")],
    )


def trajectory(golden):
    return rc.Trajectory(calls=(rc.ToolCall("list_files", {}), rc.ToolCall("read_file", {})), output="a file")


GOLDENS = [golden(name) for name in BY_GOLDEN]
CASES = [rc.TestCase(golden, trajectory(golden)) for golden in GOLDENS]


def passes(results):
    assert not any(result.error for result in results), [result.error for result in results]
    return {result.golden_id: result.passed for result in results}


def by_evaluate_agent(folder, metric):
    return passes(rc.evaluate(trajectory, GOLDENS, metrics=[metric], store=folder / "s.db").results)


def by_evaluate_cases(folder, metric):
    return passes(rc.score_cases(CASES, [metric], store=folder / "s.db").results)


def by_rescoring(folder, metric):
    first = rc.score_cases(CASES, store=folder / "s.db")
    return passes(rc.rescore(first.id, [metric], store=folder / "s.db").results)


def by_assert_test(folder, metric):
    return passes([asserted(case, metric) for case in CASES])


def asserted(case, metric):
    try:
        return rc.assert_test(case, metrics=[metric])
    except rc.errors.CheckFailed as failed:
        return failed.result


def by_run(folder, metric):
    save_goldens(GOLDENS, folder / "goldens.jsonl")
    suite = {"dataset": "goldens.jsonl", "agent": {"model": f"{__name__}:trajectory"}, "metrics": [metric]}
    (folder / "suite.json").write_text(json.dumps(suite))
    with contextlib.chdir(folder):
        lines = CliRunner().invoke(run, ["suite.json", "--json"]).stdout.splitlines()
    return {row["golden_id"]: row["passed"] for row in map(json.loads, lines) if "golden_id" in row}


def by_score(folder, metric):
    save_goldens(GOLDENS, folder / "goldens.jsonl")
    done = [RecordedTrajectory(golden.id, trajectory(golden)) for golden in GOLDENS]
    save_trajectories(done, folder / "done.jsonl")
    files = [str(folder / name) for name in ("goldens.jsonl", "done.jsonl")]
    lines = CliRunner().invoke(score, [*files, "--metric", metric, "--json"]).stdout.splitlines()
    return {row["golden_id"]: row["passed"] for row in map(json.loads, lines)}


IN_PROCESS = (by_evaluate_agent, by_evaluate_cases, by_rescoring, by_assert_test)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("door", [*IN_PROCESS, by_run, by_score], ids=lambda door: door.__name__)
def test_every_grade_passes_by_the_same_rule_through_every_door(door, way, tmp_path):
    metric, expected = WAYS[way]
    if door in IN_PROCESS or isinstance(metric, str):  # a file names metrics in text
        assert door(tmp_path, metric) == expected


@pytest.mark.stories
def test_pytest_passes_the_same_goldens(tmp_path):
    """One session for every way."""
    (tmp_path / "test_agent.py").write_text(
        "import pytest\n"
        f"from {__name__} import GOLDENS, WAYS, trajectory\n"
        "@pytest.mark.parametrize('way', WAYS)\n"
        "@pytest.mark.goldens(GOLDENS)\n"
        "def test_agent(golden, check, way):\n"
        "    check(trajectory, golden, metrics=[WAYS[way][0]])\n"
    )
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_agent.py"]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    failed = sum(not passed for _, expected in WAYS.values() for passed in expected.values())
    assert f"{failed} failed, {len(WAYS) * len(GOLDENS) - failed} passed" in done.stdout, done.stdout


@pytest.mark.parametrize("metric", ["tool_selection", two_thirds])
@pytest.mark.parametrize(("limit", "passed"), [(0.6, True), (0.7, False)])
def test_the_threshold_of_the_rules_is_that_of_named_grades_too(metric, limit, passed, tmp_path):
    rules = ScoringRules(secondary_threshold=limit)
    case = CASES[list(BY_GOLDEN).index("secondary")]
    alone = rc.score_cases([case], rules=rules, store=tmp_path / "s.db")
    named = rc.score_cases([case], [metric], rules=rules, store=tmp_path / "s.db")
    assert alone.passed is named.passed is passed


@pytest.mark.parametrize(("category", "passed"), [("golden", False), ("secondary", True)])
def test_evaluators_of_data_grade_by_the_category_of_the_target(category, passed, tmp_path):
    item = {"data": {"prompt": "?"}, "target": {"expectedTools": ["a"], "category": category}}
    run = evaluate(
        data=[item],
        executor=lambda data: {"toolNames": ["a"]},
        evaluators={"grade": lambda output, target: 2 / 3},
        store=tmp_path / "s.db",
    )
    assert run.passed is passed


def test_what_must_hold_is_no_grade():
    """Content, order and latency are requirements of every golden."""
    golden = rc.Golden("?", category="secondary", output_contains=["a", "b"])
    case = rc.TestCase(golden, rc.Trajectory(output="a"))
    with pytest.raises(rc.errors.CheckFailed) as failed:
        rc.assert_test(case, metrics=["content"])
    assert not failed.value.result.metrics["content"].passed
