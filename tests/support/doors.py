"""The doors through which a case can be scored, each from rows of `scored_cases` to what it says of them.

A door takes a folder and rows, scores them with `METRIC`, and gives (outcome, score, codes) by golden id.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import rightcall as rc
from rightcall.cli.run import run
from rightcall.cli.score import score
from rightcall.datasets.goldens import save_goldens
from rightcall.datasets.trajectories import save_trajectories
from rightcall.records import CaseResult, Golden, RecordedTrajectory
from rightcall.store.address import open_store
from tests.support.scored_cases import Scored, agent

METRIC = "tests.support.own_metrics:moody"
HERE = Path(__file__).parents[2]

Said = dict[str, tuple[str, float, tuple[str, ...]]]


def said(results: Iterable[CaseResult]) -> Said:
    return {r.golden_id: _said(r.passed, r.error, r.score, [f.code for f in r.codes]) for r in results}


def _said(passed: bool, error: str, value: float, codes: Sequence[str]) -> Any:
    assert not (passed and error)
    return "error" if error else "passed" if passed else "failed", round(value, 9), tuple(sorted(set(codes)))


def by_run(folder: Path, rows: Sequence[Scored]) -> Said:
    for kind, of_kind in kinds(rows).items():
        save_goldens([row.golden for row in of_kind], folder / f"{kind}.jsonl")
        model = "tests.support.scored_cases:agent"
        suite = {"dataset": f"{kind}.jsonl", "agent": {"model": model}, "metrics": [METRIC]}
        (folder / f"{kind}.json").write_text(json.dumps(suite))
        with contextlib.chdir(folder):
            done = CliRunner().invoke(run, [f"{kind}.json", "--json"])
        assert done.exit_code == 4, done.output
    return _stored(folder / ".rightcall/rightcall.db")


def kinds(rows: Sequence[Scored]) -> dict[str, list[Scored]]:
    """A file holds goldens of one kind."""
    single = [row for row in rows if isinstance(row.golden, Golden)]
    return {"single": single, "talks": [row for row in rows if row not in single]}


def by_evaluate_agent(folder: Path, rows: Sequence[Scored]) -> Said:
    goldens = [row.golden for row in rows]
    made = rc.evaluate(agent, goldens, metrics=[METRIC], store=folder / "s.db")
    assert not made.passed
    return said(made.results)


def by_evaluate_cases(folder: Path, rows: Sequence[Scored]) -> Said:
    made = rc.score_cases([row.case for row in rows], metrics=[METRIC], store=folder / "s.db")
    assert not made.passed
    return said(made.results)


def by_score(folder: Path, rows: Sequence[Scored]) -> Said:
    return {
        golden_id: found
        for kind, of_kind in kinds(rows).items()
        for golden_id, found in _score(folder, kind, of_kind).items()
    }


def _score(folder: Path, kind: str, rows: Sequence[Scored]) -> Said:
    save_goldens([row.golden for row in rows], folder / f"{kind}.jsonl")
    done = [RecordedTrajectory(row.golden.id, row.trajectory) for row in rows]
    save_trajectories(done, folder / f"{kind}.done.jsonl")
    files = [str(folder / f"{kind}.jsonl"), str(folder / f"{kind}.done.jsonl")]
    scored = CliRunner().invoke(score, [*files, "--metric", METRIC, "--json"])
    assert scored.exit_code == 1, scored.output
    lines = map(json.loads, scored.stdout.splitlines())
    return {
        x["golden_id"]: _said(x["passed"], x.get("error", ""), x["score"], [c["code"] for c in x["codes"]])
        for x in lines
    }


def by_assert_test(folder: Path, rows: Sequence[Scored]) -> Said:
    return said(asserted(row) for row in rows)


def asserted(row: Scored) -> CaseResult:
    try:
        return rc.assert_test(row.case, metrics=[METRIC])
    except (rc.errors.CheckFailed, rc.errors.CheckError) as failed:
        assert isinstance(failed.result, CaseResult)
        assert isinstance(failed, rc.errors.CheckError) == bool(failed.result.error)
        return failed.result


TEST = f"""
import pytest
from tests.support.scored_cases import agent

@pytest.mark.goldens("single.jsonl")
def test_agent(golden, check):
    check(agent, golden, metrics=["{METRIC}"])

@pytest.mark.goldens("talks.jsonl")
def test_talks(golden, check):
    check(agent, golden, metrics=["{METRIC}"])
"""


def by_check(folder: Path, rows: Sequence[Scored]) -> Said:
    return _tested(folder, rows, sys.executable, "-m", "pytest", "-q")


def by_rightcall_test(folder: Path, rows: Sequence[Scored]) -> Said:
    return _tested(folder, rows, str(Path(sys.executable).parent / "rightcall"), "test")


def _tested(folder: Path, rows: Sequence[Scored], *command: str) -> Said:
    for kind, of_kind in kinds(rows).items():
        save_goldens([row.golden for row in of_kind], folder / f"{kind}.jsonl")
    (folder / "test_agent.py").write_text(TEST)
    line = [*command, "test_agent.py", "-p", "no:cacheprovider", "--rootdir", "."]
    env = {**os.environ, "PYTHONPATH": str(HERE)}
    done = subprocess.run(line, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    return _stored(folder / ".rightcall/rightcall.db")


def by_rescoring(folder: Path, rows: Sequence[Scored]) -> Said:
    store = folder / "s.db"
    first = rc.score_cases([row.case for row in rows], store=store)
    again = rc.rescore(first.id, metrics=[METRIC], store=store)
    assert again.id != first.id and not again.passed
    return said(again.results)


def by_score_trajectory(folder: Path, rows: Sequence[Scored]) -> Said:
    return {row.golden.id: _by_verdict(row) for row in rows}


def _by_verdict(row: Scored) -> Any:
    verdict = rc.score_trajectory(row.golden, row.trajectory)
    codes = [failure.code for failure in verdict.failures]
    return _said(verdict.passed, verdict.error, verdict.score, codes)


WITHOUT_METRICS = ("score_trajectory",)
"""Doors that score by the golden alone."""

DOORS: dict[str, Callable[[Path, Sequence[Scored]], Said]] = {
    "run": by_run,
    "evaluate(agent)": by_evaluate_agent,
    "evaluate(cases)": by_evaluate_cases,
    "score": by_score,
    "score_trajectory": by_score_trajectory,
    "assert_test": by_assert_test,
    "check": by_check,
    "rightcall test": by_rightcall_test,
    "rescore": by_rescoring,
}


def _stored(path: Path) -> Said:
    with open_store(path) as store:
        return said(result for stored in store.runs.page() for result in store.runs.results(stored.id))
