"""A golden without a check is in no rate, in no interval and in no verdict, through every door; alone, nothing passes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st

import rightcall as rc
from rightcall.cli.main import cli
from rightcall.datasets.goldens import save_goldens
from rightcall.datasets.trajectories import save_trajectories
from rightcall.decide.config import Gate
from rightcall.decide.golden_outcomes import outcomes_of
from rightcall.decide.verdict import decide
from rightcall.metrics.tally import Tally
from rightcall.records import Failure, RecordedTrajectory
from rightcall.records.run import CaseResult
from rightcall.run.gate_evidence import GateEvidence
from rightcall.show.view.case import reason_of
from rightcall.store.address import open_store

PROMPTS = [rc.Golden(f"Say {n}", id=f"p{n}") for n in range(3)]
CALL = rc.ToolCall("look", {"q": "x"})


def agent(golden: rc.Golden) -> rc.Trajectory:
    return rc.Trajectory(calls=(CALL,), output="Done")


def typed(folder: Path, *words: str) -> Any:
    with contextlib.chdir(folder):
        return CliRunner().invoke(cli, list(words))


def a_suite(folder: Path, goldens: list[rc.Golden], **fields: Any) -> None:
    save_goldens(goldens, folder / "goldens.jsonl")
    model = "tests.run.test_unchecked:agent"
    suite = {"name": "s", "dataset": "goldens.jsonl", "agent": {"model": model}, **fields}
    (folder / "suite.json").write_text(json.dumps(suite))


def by_run(folder: Path) -> int:
    a_suite(folder, PROMPTS)
    done = typed(folder, "run", "suite.json")
    assert "nothing was checked: 3 cases ran" in done.output and 'called look({"q":"x"})' in done.output
    return done.exit_code


def by_run_with_a_gate_that_lets_undecided_runs_pass(folder: Path) -> int:
    a_suite(folder, PROMPTS, gate={"min": 0.5, "on_inconclusive": "pass"})
    return typed(folder, "run", "suite.json").exit_code


def by_gate(folder: Path) -> int:
    by_run(folder)
    done = typed(folder, "gate", "last", "--min", "0.1")
    assert "nothing was checked" in done.output
    return done.exit_code


def by_rescoring(folder: Path) -> int:
    by_run(folder)
    return typed(folder, "runs", "rescore", "last").exit_code


def by_score(folder: Path) -> int:
    save_goldens(PROMPTS, folder / "g.jsonl")
    done = [RecordedTrajectory(golden.id, agent(golden)) for golden in PROMPTS]
    save_trajectories(done, folder / "t.jsonl")
    scored = typed(folder, "score", "g.jsonl", "t.jsonl", "--min", "0")
    assert "nothing was checked" in scored.output
    return scored.exit_code


def by_evaluate(folder: Path) -> int:
    made = rc.evaluate(agent, PROMPTS, store=folder / "s.db")
    assert not made.passed and "nothing was checked" in str(made.verdict)
    return made.verdict.exit_code


def by_evaluate_of_cases(folder: Path) -> int:
    cases = [rc.TestCase(golden, agent(golden)) for golden in PROMPTS]
    return rc.score_cases(cases, store=folder / "s.db").verdict.exit_code


def by_check_command(folder: Path) -> int:
    a_suite(folder, [*PROMPTS, rc.Golden("Look", id="c", expected_calls=(rc.ExpectedCall("look"),))])
    assert typed(folder, "run", "suite.json").exit_code == 0
    a_suite(folder, PROMPTS)
    done = typed(folder, "check", "suite.json", "--baseline", "last")
    assert "nothing was checked" in done.output, done.output
    return done.exit_code


DOORS: list[Callable[[Path], int]] = [
    by_run,
    by_run_with_a_gate_that_lets_undecided_runs_pass,
    by_gate,
    by_rescoring,
    by_score,
    by_evaluate,
    by_evaluate_of_cases,
    by_check_command,
]


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_nothing_but_unchecked_goldens_ends_inconclusive(tmp_path, door):
    assert door(tmp_path) == 3


def test_assert_test_skips_what_it_cannot_check():
    with pytest.raises(unittest.SkipTest, match="golden 'p0': nothing was checked"):
        rc.assert_test(golden=PROMPTS[0], agent=agent)
    with pytest.raises(unittest.SkipTest):
        rc.assert_test(rc.TestCase(PROMPTS[0], agent(PROMPTS[0])))
    assert rc.assert_test(golden=PROMPTS[0], agent=agent, metrics=[lambda case: True]).passed


@pytest.mark.stories
def test_pytest_skips_unchecked_goldens_and_is_not_green_with_them_alone(tmp_path):
    save_goldens(PROMPTS, tmp_path / "goldens.jsonl")
    (tmp_path / "test_agent.py").write_text(
        "import pytest\nimport rightcall as rc\n"
        "def agent(golden): return rc.Trajectory(calls=(rc.ToolCall('look', {}),), output='Done')\n"
        "@pytest.mark.goldens('goldens.jsonl')\ndef test_agent(golden, check):\n    check(agent, golden)\n"
    )
    line = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        str(tmp_path),
    ]
    done = subprocess.run(line, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED, done.stdout + done.stderr
    assert "3 skipped" in done.stdout and "nothing was checked" in done.stdout


@pytest.mark.stories
def test_the_test_command_tells_unchecked_goldens_from_no_tests(tmp_path):
    (tmp_path / "test_agent.py").write_text(
        "import rightcall as rc\n"
        "def test_agent(check): check(lambda golden: 'Hello', rc.Golden('Say 1', id='p'))\n"
    )
    (tmp_path / "none").mkdir()
    line = [sys.executable, "-m", "rightcall", "test", "-p", "no:cacheprovider", "--rootdir", "."]
    done, empty = (
        subprocess.run([*line, place], cwd=tmp_path, capture_output=True, text=True, check=False)
        for place in (".", "none")
    )
    assert done.returncode == 3 and "nothing was checked" in done.stdout and not done.stderr
    assert empty.returncode == 2 and "no tests found" in empty.stderr


def test_an_unchecked_case_whose_agent_broke_says_so(tmp_path):
    def breaking(golden: rc.Golden) -> str:
        if golden.id == PROMPTS[0].id:
            return "Done."
        raise ValueError("no such order")

    done = rc.evaluate(breaking, [*PROMPTS], store=tmp_path / "s.db")
    shown = [reason_of(result) for result in done.results if result.golden_id != PROMPTS[0].id]
    assert all("no calls; agent_error: ValueError: no such order" in text for text in shown)


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        ("xml", '<skipped message="unchecked: called look('),
        ("md", "3 unchecked"),
        ("html", "3 cases unchecked"),
        ("json", '"passed":null,"score":null,"metrics":{},"codes":[],"checked":false'),
    ],
)
def test_reports_show_unchecked_cases(tmp_path, suffix, text):
    by_run(tmp_path)
    typed(tmp_path, "runs", "report", "last", "-o", f"r.{suffix}")
    assert text in (tmp_path / f"r.{suffix}").read_text()


def test_the_rate_of_no_cases_is_no_number(tmp_path):
    a_suite(tmp_path, PROMPTS)
    told = json.loads(typed(tmp_path, "run", "suite.json", "--json").stdout.splitlines()[-1])
    [row] = told["summary"]["rows"]
    assert (row["cases"], row["pass_rate"]) == (0, None)


def test_expectations_that_are_added_later_check_the_stored_run(tmp_path):
    first = rc.evaluate(agent, PROMPTS, store=tmp_path / "s.db")
    stated = [
        msgspec.structs.replace(golden, expected_calls=(rc.ExpectedCall("look"),)) for golden in PROMPTS
    ]
    again = rc.rescore(first.id, goldens=stated, store=tmp_path / "s.db")
    assert again.passed and again.summary.unchecked == 0
    by_metric = rc.rescore(first.id, metrics=[lambda case: False], store=tmp_path / "s.db")
    assert by_metric.verdict.word == "FAIL" and by_metric.summary.overall.cases == 3


results = st.lists(
    st.builds(
        CaseResult,
        golden_id=st.sampled_from(["a", "b", "c", "d"]),
        trial=st.integers(0, 2),
        passed=st.booleans(),
        score=st.floats(0, 1),
        metrics=st.just({}),
        error=st.sampled_from(["", "", "", "down"]),
        cluster=st.none() | st.sampled_from(["x", "y"]),
        category=st.sampled_from(["golden", "negative"]),
    ).map(lambda r: msgspec.structs.replace(r, passed=r.passed and not r.error)),
    min_size=1,
    max_size=12,
    unique_by=lambda r: (r.golden_id, r.trial),
)
unchecked = st.lists(
    st.tuples(st.sampled_from(["u", "v", "w"]), st.integers(0, 2), st.sampled_from(["", "down"])),
    max_size=6,
    unique_by=lambda key: key[:2],
)
GATES = [
    None,
    Gate(min=0.5),
    Gate(min=0.5, rule="point", forbid=("wrong_tool",)),
    Gate(by={"categories": {"negative": 0.5}}),
]


@given(results, unchecked, st.sampled_from(GATES))
def test_unchecked_cases_change_no_rate_no_interval_and_no_verdict(checked, more, gate):
    added = [
        CaseResult(golden, trial, False, 0.0, {}, error=error, codes=(Failure("wrong_tool"),), checked=False)
        for golden, trial, error in more
    ]
    plain = Tally()
    mixed = Tally()
    for result in checked:
        plain.add(result)
    for result in [*added, *checked]:
        mixed.add(result)
    without = msgspec.structs.replace(mixed.summary(), unchecked=0, unchecked_errors=0)
    assert without == plain.summary() and mixed.summary().unchecked == len(added)
    if gate is not None:
        assert _gated(checked, gate) == _gated([*checked, *added], gate)


def _gated(found: list[CaseResult], gate: Gate) -> tuple[Any, ...]:
    """The verdict by what a gate keeps of a run in progress, and by what it reads from a store."""
    evidence = GateEvidence(gate)
    for result in found:
        evidence.add(result)
    verdicts = decide(gate, evidence.outcomes()), decide(gate, outcomes_of(found))
    return tuple((verdict.word, verdict.checks, verdict.trials, verdict.unscored) for verdict in verdicts)


def test_a_run_without_an_answer_is_an_error_even_if_nothing_was_to_be_checked(tmp_path):
    def down(golden: rc.Golden) -> rc.Trajectory:
        return rc.Trajectory(stop_reason="infra_error", error="the provider is down")

    made = rc.evaluate(down, PROMPTS, store=tmp_path / "s.db")
    assert made.verdict.exit_code == 4 and made.summary.unchecked_errors == 3
    with open_store(str(tmp_path / "s.db")) as store:
        assert list(store.runs.result_keys(made.id, errors=False)) == []


def test_a_metric_alone_decides_a_golden_that_states_nothing():
    case = rc.TestCase(PROMPTS[0], agent(PROMPTS[0]))
    assert asyncio.run(_outcome(case, lambda case: True)) == "passed"
    assert asyncio.run(_outcome(case, lambda case: False)) == "failed"
    assert asyncio.run(_outcome(case, "tool_selection")) == "failed"


async def _outcome(case: rc.TestCase, metric: Any) -> str:
    from rightcall.metrics.resolve import as_metrics
    from rightcall.metrics.score_case import Scorer

    return (await Scorer(as_metrics([metric])).result(case.golden, 0, case.trajectory, {})).outcome
