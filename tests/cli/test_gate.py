"""`rightcall gate`, `gate --plan` and `compare` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from rightcall.cli.compare import compare
from rightcall.cli.gate import gate
from rightcall.core.errors import ConfigError
from rightcall.records import CaseResult, Run
from rightcall.store.address import open_store


def stored(path, run_id: str, counts: list[int], trials: int = 10, day: int = 1) -> None:
    """A finished run in which golden i passed counts[i] of its trials."""
    with open_store(path) as store:
        run = Run(run_id, "t", f"2026-01-0{day}T00:00:00Z", trials=trials, fingerprints={"metrics": "m"})
        store.runs.begin(run).add(
            [
                CaseResult(f"g{i}", t, t < c, float(t < c), {})
                for i, c in enumerate(counts)
                for t in range(trials)
            ]
        )
        store.runs.finish(run_id, None, "")


@pytest.fixture
def url(tmp_path) -> str:
    path = tmp_path / "results.db"
    stored(path, "before", [10] * 30, day=1)
    stored(path, "after", [10] * 29 + [0], day=2)
    return str(path)


@pytest.mark.parametrize(
    ("words", "exit_code", "said"),
    [
        (["--min", "0.9"], 3, "INCONCLUSIVE  290 of 300 trials of 30 goldens passed (96.7%, range 85–100%)"),
        (["--suite", "about.json"], 0, "of exactly these 30 goldens passed"),
        (["--suite", "point.json"], 0, "PASS  290 of 300 trials of 30 goldens passed (96.7%); 90% wanted"),
        (
            ["--suite", "point.json", "--min", "0.97"],
            1,
            "FAIL  290 of 300 trials of 30 goldens passed (96.7%); 97% wanted",
        ),
        (
            ["--baseline", "last~1", "--margin", "0.2"],
            0,
            "PASS  against last~1 the pass rate moved by -3.3 points",
        ),
        ([], 2, "nothing to decide"),
        (["--anyway"], 2, "require --baseline"),
    ],
)
def test_a_gate_reports_what_it_was_asked(url, words, exit_code, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    suite = {"dataset": "g.jsonl", "agent": {"model": "keyword:"}}
    for name, rule in {"about": {"about": "these_goldens"}, "point": {"rule": "point"}}.items():
        Path(f"{name}.json").write_text(
            json.dumps({**suite, "gate": {"min": 0.9}, "statistics": rule}), "utf-8"
        )
    found = CliRunner().invoke(gate, ["last", *words, "--store", url])
    assert (found.exit_code, said in found.output) == (exit_code, True), found.output


def test_a_run_against_itself_is_refused(url):
    found = CliRunner().invoke(gate, ["last", "--baseline", "last", "--store", url])
    assert isinstance(found.exception, ConfigError) and "`last~1`" in str(found.exception)


def test_compare_takes_the_names_that_gate_takes(url):
    found = CliRunner().invoke(compare, ["last~1", "last", "--store", url])
    assert found.output.startswith("INCONCLUSIVE  ")


def a_suite(tmp_path, goldens: int, gate=None, **statistics) -> str:
    lines = [json.dumps({"id": f"g{i}", "input": f"Do {i}", "no_calls": True}) for i in range(goldens)]
    (tmp_path / "g.jsonl").write_text("\n".join(lines))
    suite = {"dataset": "g.jsonl", "agent": {"model": "keyword:"}, "trials": 3, "gate": gate or {}}
    suite["statistics"] = statistics
    (tmp_path / "suite.json").write_text(json.dumps(suite))
    return str(tmp_path / "suite.json")


def test_a_plan_is_about_the_gate_of_its_suite(tmp_path):
    words = ["--plan", "--min", "0.8", "--json", "--suite"]
    file = a_suite(tmp_path, 40, {"min": 0.9}, target=0.95)
    cases = json.loads(CliRunner().invoke(gate, [*words, file]).output)
    assert (cases["icc"], cases["draws"], cases["trials"], cases["have"]) == (0.5, 2000, 3, 40)
    file = a_suite(tmp_path, 40, {"min": 0.9}, target=0.95, about="these_goldens")
    these = json.loads(CliRunner().invoke(gate, [*words, file]).output)
    assert these["goldens"] < cases["goldens"] and these["about"] == "these_goldens"


def test_plan_with_a_dataset_that_cannot_pass_promises_no_savings(tmp_path):
    words = ["--plan", "--min", "0.9", "--target", "0.95"]
    said = CliRunner().invoke(gate, [*words, "--suite", a_suite(tmp_path, 12)]).output
    assert "With 12 PASS is impossible" in said and "on average" not in said
    assert CliRunner().invoke(gate, words).exit_code == 0
    assert "requires --min RATE and --target RATE" in CliRunner().invoke(gate, words[:3]).output
