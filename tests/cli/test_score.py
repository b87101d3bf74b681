"""`rightcall score`: rows for machines, a table for people, an exit code for CI."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from rightcall.cli.score import score
from tests.cli.conftest import asked, did, write_lines

METRICS = [
    "call_precision", "call_recall", "call_f1", "call_soft_f1", "tool_precision", "tool_recall", "tool_f1",
    "parameter_accuracy", "order", "content", "latency", "overall",
]  # fmt: skip


@pytest.fixture
def scored(rightcall, tmp_path):
    """Score goldens against trajectories given as plain objects."""

    def run(goldens, trajectories, *options):
        files = (
            write_lines(tmp_path / "goldens.jsonl", *goldens),
            write_lines(tmp_path / "done.jsonl", *trajectories),
        )
        return rightcall("score", *files, *options)

    return run


def test_each_case_is_one_json_row_with_exactly_the_documented_keys(scored):
    done = scored([asked("a"), asked("b")], [did("a", "Hanoi"), did("b", "Hue")], "--json")
    assert done.err == "" and done.code == 1
    right, wrong = done.rows
    for row in (right, wrong):
        assert list(row) == ["golden_id", "trial", "passed", "score", "metrics", "codes"]
        assert list(row["metrics"]) == METRICS
        assert all(list(score) == ["value", "passed", "reason"] for score in row["metrics"].values())
    assert (right["golden_id"], right["trial"], right["passed"], right["score"]) == ("a", 0, True, 1.0)
    assert right["codes"] == []
    assert not wrong["passed"] and wrong["score"] == pytest.approx(0.1)


def test_a_row_explains_a_failure_with_its_evidence(scored):
    row = scored([asked("b")], [did("b", "Hue")], "--json").rows[0]
    assert row["metrics"]["overall"]["reason"] == 'get_weather: city should be "Hanoi", was "Hue"'
    (code,) = row["codes"]
    assert code["code"] == "wrong_value" and (code["expected"], code["actual"]) == ("Hanoi", "Hue")
    assert (code["tool"], code["parameter"], code["call"], code["expected_call"]) == (
        "get_weather",
        "city",
        0,
        0,
    )


def test_the_table_shows_categories_failures_codes_and_what_to_type_next(scored):
    goldens = [asked("a"), asked("b"), {"id": "n", "input": "Hi", "category": "negative"}]
    done = scored(goldens, [did("a", "Hanoi"), did("b", "Hue"), did("n")])
    assert done.code == 1 and done.err == ""
    assert done.out.startswith("FAIL  2 of 3 goldens passed (66.7%); all wanted\n")
    assert re.search(r"failed  get_weather.city: wrong argument value +1 golden\n", done.out)
    lines = [line.split()[:3] for line in done.out.splitlines()]
    assert ["golden", "1/2", "50.0%"] in lines and ["negative", "1/1", "100.0%"] in lines
    assert ["all", "2/3", "66.7%"] in lines
    assert "\nnext: rightcall score" in done.out and done.out.endswith("done.jsonl --json\n")


def test_the_exit_code_says_whether_enough_cases_pass(scored):
    goldens = [asked("a"), asked("b")]
    half = [did("a", "Hanoi"), did("b", "Hue")]
    assert scored(goldens, [did("a", "Hanoi"), did("b", "Hanoi")]).code == 0
    assert scored(goldens, half).code == 1
    assert scored(goldens, half, "--min", "0.5").code == 0
    assert scored(goldens, half, "--min", "0.6").code == 1
    assert scored(goldens, half, "--min", "2").code == 2


def test_goldens_without_a_trajectory_are_left_out_only_when_that_is_said(scored):
    goldens = [asked("a"), asked("b")]
    first = [did("a", "Hanoi")]
    assert scored(goldens, first, "--json").code == 2
    partial = scored(goldens, first, "--json", "--partial")
    assert partial.code == 0 and [row["golden_id"] for row in partial.rows] == ["a"]


def test_trials_are_numbered_per_golden_in_file_order_unless_numbered(scored):
    counted = scored([asked("a")], [did("a", "Hanoi"), did("a", "Hue"), did("a")], "--json")
    assert [(row["trial"], row["passed"]) for row in counted.rows] == [(0, True), (1, False), (2, False)]
    named = scored([asked("a")], [did("a", "Hanoi", trial=7), did("a", trial=3)], "--json")
    assert [row["trial"] for row in named.rows] == [7, 3]


def test_shuffled_files_give_the_same_rows_in_another_order(scored):
    goldens = [asked(f"g{n}", f"city {n}") for n in range(30)]
    trajectories = [did(f"g{n}", f"city {n % 20}", trial=trial) for n in range(30) for trial in (0, 1)]
    straight = scored(goldens, trajectories, "--json").rows
    random.Random(3).shuffle(goldens)
    random.Random(4).shuffle(trajectories)
    shuffled = scored(goldens, trajectories, "--json").rows
    assert sorted(shuffled, key=_place) == sorted(straight, key=_place)
    assert [_place(row) for row in shuffled] == [(t["golden_id"], t["trial"]) for t in trajectories]


def test_a_metric_on_request_joins_the_dimensions(scored):
    twice = did("a", "Hanoi", "Hanoi")
    row = scored([asked("a", extra_calls="allow")], [twice], "--json", "--metric", "redundant_calls").rows[0]
    assert list(row["metrics"]) == [*METRICS, "redundant_calls"]
    assert row["metrics"]["redundant_calls"]["value"] == 0.5
    limited = scored([asked("a")], [twice], "--json", "--metric", "call_count(limit=4)").rows[0]
    assert limited["metrics"]["call_count"]["passed"]


def test_a_metric_of_ones_own_that_breaks_makes_its_case_an_error(scored, tmp_path, monkeypatch):
    (tmp_path / "mine_that_breaks.py").write_text(
        "import rightcall as rc\nclass Broken(rc.Metric):\n    def measure(self, case):\n        1 / 0\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    done = scored([asked("a")], [did("a", "Hanoi")], "--json", "--metric", "mine_that_breaks:Broken")
    broken = done.rows[0]["metrics"]["broken"]
    assert done.code == 4 and broken["error"] == "raised ZeroDivisionError: division by zero"
    assert "broken: raised" in done.rows[0]["error"] and not done.rows[0]["passed"]


def test_an_unknown_metric_is_refused_before_anything_is_read(rightcall):
    done = rightcall("score", "absent.jsonl", "absent.jsonl", "--metric", "tool_selecton")
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: unknown metric 'tool_selecton'; did you mean 'tool_selection'?\n"


def test_tools_bring_defaults_and_schemas_into_the_verdict(scored, tmp_path):
    tools = tmp_path / "tools.json"
    schema = {"type": "object", "properties": {"city": {"type": "string"}, "units": {"default": "C"}}}
    tools.write_text(json.dumps([{"name": "get_weather", "input_schema": schema}]))
    call = {"name": "get_weather", "arguments": {"city": "Hanoi", "units": "C"}}
    with_default = [{"golden_id": "a", "calls": [call]}]
    assert scored([asked("a")], with_default).code == 1
    assert scored([asked("a")], with_default, "--tools", tools).code == 0
    assert f"done.jsonl --tools {tools} --json" in " ".join(
        scored([asked("a")], with_default, "--tools", tools).out.split()
    )
    number = [{"golden_id": "a", "calls": [{"name": "get_weather", "arguments": {"city": 5}}]}]
    codes = [
        code["code"] for code in scored([asked("a")], number, "--tools", tools, "--json").rows[0]["codes"]
    ]
    assert codes == ["wrong_type", "schema_violation"]


def test_rules_by_score_forgive_an_extra_call(scored):
    many = {"id": "a", "input": "?", "expected_calls": [{"tool": f"t{n}", "args": {}} for n in range(9)]}
    calls = [{"name": f"t{n}", "arguments": {}} for n in range(9)] + [{"name": "more", "arguments": {}}]
    recorded = [{"golden_id": "a", "calls": calls}]
    assert scored([many], recorded).code == 1
    assert scored([many], recorded, "--rules", "seed").code == 0


def test_infrastructure_errors_are_neither_passed_nor_failed(scored):
    down = {"golden_id": "b", "calls": [], "stop_reason": "infra_error", "error": "rate limit"}
    done = scored([asked("a"), asked("b")], [did("a", "Hanoi"), down])
    assert "1/1 +1 errors" in done.out and "error   rate limit" in done.out
    assert done.code == 1 and "counted as failures, the pass rate is 50.0%" in " ".join(done.out.split())
    assert scored([asked("a"), asked("b")], [did("a", "Hanoi"), down], "--min", "0.5").code == 0
    rows = scored([asked("a"), asked("b")], [did("a", "Hanoi"), down], "--json").rows
    assert "error" not in rows[0] and rows[1]["error"] == "rate limit"


def test_text_from_models_cannot_draw_on_the_terminal(scored):
    done = scored([asked("a")], [did("a", "\x1b[2J[bold]Hue\u202e")])
    assert "\x1b" not in done.out and "\u202e" not in done.out and "[bold]Hue" in done.out


def test_failures_shown_are_bounded_and_the_rest_counted(scored):
    goldens = [asked(f"g{n}") for n in range(9)]
    recorded = [did(f"g{n}", "Hue") if n else did("g0") for n in range(9)]
    shown = scored(goldens, recorded, "--failures", "1").out
    assert "8 goldens\n" in shown and "and 1 more kind of failure: rightcall score" in shown
    assert "g0" in scored(goldens, recorded, "--failures", "2").out


def test_a_reader_that_goes_away_is_not_an_error(tmp_path):
    goldens = write_lines(tmp_path / "g.jsonl", *(asked(f"g{n}") for n in range(20_000)))
    done = write_lines(tmp_path / "t.jsonl", *(did(f"g{n}", "Hue") for n in range(20_000)))
    command = f"{sys.executable} -m rightcall.cli.main score {goldens} {done} --json"
    ended = subprocess.run(
        ["/bin/sh", "-c", f"{command} | head -n 1"],
        capture_output=True,
        text=True,
        env=os.environ,
        check=True,
    )
    assert json.loads(ended.stdout)["golden_id"] == "g0" and ended.stderr == ""


PROGRAM = [sys.executable, "-m", "rightcall.cli.main"]


@pytest.fixture(scope="module")
def project_with_a_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    subprocess.run([*PROGRAM, "init", "."], cwd=folder, check=True, capture_output=True)
    subprocess.run([*PROGRAM, "run", "suite.yaml"], cwd=folder, check=False, capture_output=True)
    return folder


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("run", "suite.yaml"), 1),
        (("run", "suite.yaml", "--json"), 130),
        (("lint", "tools.json"), 1),
        (("runs", "list"), 0),
        (("--help",), 130),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)
def test_an_exit_code_never_improves_because_the_reader_left(words, code, project_with_a_run):
    read, write = os.pipe()
    os.close(read)
    ended = subprocess.run(
        [*PROGRAM, *words], cwd=project_with_a_run, stdout=write, stderr=subprocess.PIPE, check=False
    )
    os.close(write)
    assert ended.returncode == code and b"sys.exit" not in ended.stderr


def _place(row):
    return row["golden_id"], row["trial"]


def test_the_exit_code_follows_the_rate_that_is_printed(scored):
    goldens = [asked("a"), asked("b")]
    done = [*(did("a", "Hanoi") for _ in range(9)), did("b", "Hue")]
    shown = scored(goldens, done, "--min", "0.8")
    assert "50.0%" in shown.out and shown.code == 1  # nine of ten trials, but one of two goldens
    assert scored(goldens, done, "--min", "0.5").code == 0


@pytest.mark.parametrize("least", ["nan", "inf", "2"])
def test_a_rate_that_is_none_is_refused(scored, least):
    done = scored([asked("a")], [did("a", "Hanoi")], "--min", least)
    assert done.code == 2 and "'--min'" in done.err


def test_partial_says_how_many_goldens_were_left_out(scored):
    goldens = [asked("a"), asked("b"), asked("c")]
    assert "2 goldens without a trajectory skipped" in scored(goldens, [did("a", "Hanoi")], "--partial").out
    told = scored(goldens, [did("a", "Hanoi")], "--partial", "--json")
    assert len(told.rows) == 1 and "2 goldens without a trajectory skipped" in told.err


OWN_METRICS = """
from dataclasses import dataclass
from rightcall import Metric, Score

@dataclass(frozen=True)
class Fails(Metric):
    def measure(self, case):
        return Score(0.25, False, "too long")

@dataclass(frozen=True)
class Leaves(Metric):
    def measure(self, case):
        raise SystemExit(0)

@dataclass(frozen=True)
class Seven(Metric):
    def measure(self, case):
        return Score(7.0, True)

class Plain:
    def measure(self, case):
        return Score(1.0, True)
"""


def test_metrics_of_a_module_in_this_folder_are_shown_in_the_table(scored, tmp_path):
    (tmp_path / "own_metrics.py").write_text(OWN_METRICS)
    names = [f"--metric=own_metrics:{name}" for name in ("Fails", "Leaves", "Seven")]
    shown = scored([asked("a")], [did("a", "Hanoi")], *names)
    assert shown.code == 4 and "0/0 +1 errors" in shown.out
    assert (
        "leaves: raised SystemExit: 0; seven: gave the value 7.0, which is not between 0 and 1" in shown.out
    )
    alone = scored([asked("a")], [did("a", "Hanoi")], names[0]).out
    assert "fails did not pass" in alone and "too long" in alone
    plain = scored([asked("a")], [did("a", "Hanoi")], "--metric=own_metrics:Plain")
    assert plain.code == 2 and "is not a subclass of rightcall.Metric" in plain.err


@pytest.mark.parametrize("options", [(), ("--metric=own_metrics:Fails",)])
def test_a_folder_cannot_put_its_modules_under_the_program(tmp_path, options):
    (tmp_path / "own_metrics.py").write_text(OWN_METRICS)
    (tmp_path / "rich.py").write_text("raise RuntimeError('taken over')")
    write_lines(tmp_path / "g.jsonl", asked("a"))
    write_lines(tmp_path / "d.jsonl", did("a", "Hanoi"))
    command = [Path(sys.executable).parent / "rightcall", "score", "g.jsonl", "d.jsonl", *options]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1 if options else 0, "")


def test_a_golden_that_cannot_be_judged_is_reported_with_its_file(scored):
    golden = asked("a") | {"expected_calls": [{"tool": "t", "args": {"x": {"regex": "("}}}]}
    done = scored([golden], [did("a", "Hanoi")])
    assert done.code == 2 and "goldens.jsonl: golden 'a': expected_calls[0]: " in done.err


def test_row_names_survive_a_narrow_terminal(scored, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    goldens = [asked("a", category="secondary"), asked("b")]
    shown = scored(goldens, [did("a", "Hue"), did("b", "Hanoi")]).out
    assert "secondary    0/1   0.0%" in shown and "…" not in shown.split("\n\n")[0]


@pytest.mark.parametrize("which", ["goldens", "trajectories"])
def test_one_of_the_files_may_come_from_standard_input(tmp_path, which):
    (tmp_path / "goldens").write_text('{"id": "a", "input": "hi", "no_calls": true}\n')
    (tmp_path / "trajectories").write_text('{"golden_id": "a", "calls": []}\n')
    piped = (tmp_path / which).read_text()
    for name in ("goldens", "trajectories"):
        (tmp_path / name).rename(tmp_path / f"{name}.jsonl")
    files = [
        "-" if name == which else str(tmp_path / f"{name}.jsonl") for name in ("goldens", "trajectories")
    ]
    result = CliRunner().invoke(score, [*files, "--json"], input=piped)
    assert result.exit_code == 0 and json.loads(result.stdout.splitlines()[0])["golden_id"] == "a"
    assert CliRunner().invoke(score, ["-", "-"], input="").exit_code == 2


def test_an_error_in_standard_input_says_so(tmp_path):
    write_lines(tmp_path / "goldens.jsonl", asked("hanoi"))
    done = CliRunner().invoke(
        score, [str(tmp_path / "goldens.jsonl"), "-"], input='{"golden_id": "hanoi", "calls": 5}'
    )
    assert str(done.exception).startswith("standard input:1: calls must be a list")


def test_scores_of_cases_without_any_answer_are_no_failure_of_the_agent(scored):
    down = {"stop_reason": "infra_error", "error": "the service is down"}
    lost = {"golden_id": "b", **down}
    assert scored([asked("a"), asked("b")], [{"golden_id": "a", **down}, lost]).code == 4
    assert scored([asked("a"), asked("b")], [did("a", "Hanoi"), lost]).code == 1


def test_trials_that_were_not_recorded_are_counted(scored):
    goldens = [asked("a"), asked("b")]
    recorded = [{**did(name, "Hanoi"), "trial": trial} for name in "ab" for trial in range(3)]
    assert "no trajectory" not in scored(goldens, recorded).err
    assert "1 of 6 trials have no trajectory" in scored(goldens, recorded[:-1]).err


@pytest.mark.parametrize("lost", [{}, {"stop_reason": "infra_error", "error": "the service is down"}])
def test_a_trial_that_was_not_recorded_counts_as_failed(scored, lost):
    goldens = [asked("a"), asked("b")]
    recorded = [{**did(name, "Hanoi"), "trial": trial} for name in "ab" for trial in range(3)]
    rows = [{**recorded[0], **lost}, *recorded[1:-1]]
    done = scored(goldens, rows)
    said = " ".join(done.out.split())
    assert done.code == 1 and "1 of 6 trials have no trajectory; counted as failures" in said
    assert scored(goldens, rows, "--min", "0.6").code == 0
    assert scored(goldens, recorded).code == 0
