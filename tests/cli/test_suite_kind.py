"""`kind` through every door: run, runs show, reports, dashboard, check and Python say the same, and decide nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import rightcall as rc
from rightcall.core.errors import ConfigError
from rightcall.show.dashboard.server import make_app
from rightcall.store.address import open_store
from tests.cli.conftest import write_lines

WARNING = (
    "warning: this capability suite can no longer show progress: everything passed in the last 3 runs, 6 of 6"
)
NEVER = "warning: 1 golden of this regression suite never passed in 3 runs"


def write_suite(kind: str, tool: str = "get_weather") -> None:
    definition = {
        "name": "get_weather",
        "description": "Weather of a city.",
        "input_schema": {"type": "object"},
    }
    write_lines(
        "goldens.jsonl",
        {"id": "a<b>", "input": "get weather", "expected_calls": [{"tool": tool}]},
        {"id": "none", "input": "xyzzy", "no_calls": True},
    )
    suite = {"name": "tiny", "kind": kind, "dataset": "goldens.jsonl", "tools": [definition]}
    Path("suite.yaml").write_text(json.dumps({**suite, "agent": {"model": "keyword:"}}), "utf-8")


@pytest.mark.parametrize(
    ("kind", "forbidden", "note", "code"),
    [("capability", (), WARNING, 0), ("regression", ("get_weather",), NEVER, 1)],
)
def test_every_door_says_what_runs_show_about_the_suite(rightcall, kind, forbidden, note, code):
    write_suite(kind)
    if forbidden:
        first = {
            "id": "a<b>",
            "input": "get weather",
            "forbidden_calls": list(forbidden),
            "category": "negative",
        }
        write_lines("goldens.jsonl", first, {"id": "none", "input": "xyzzy", "no_calls": True})
    for _ in range(2):
        done = rightcall("run", "suite.yaml")
        assert f"tiny ({kind} suite) on" in done.out and "warning:" not in done.out and done.code == code
    done = rightcall("run", "suite.yaml")
    assert note in done.out and done.code == code
    assert note in rightcall("runs", "show").out
    shown = rightcall("runs", "show", "--json").rows[0]["suite"]
    assert shown["kind"] == kind and (shown["saturated"] or shown["never_passed"])["runs"] == 3
    for suffix in ("html", "md", "json"):
        rightcall("runs", "report", "-o", f"report.{suffix}")
        text = Path(f"report.{suffix}").read_text("utf-8")
        assert note in text if suffix != "json" else json.loads(text)["view"]["suite"] == shown
    assert note in rightcall("check", "suite.yaml", "--baseline", "last").out
    with open_store() as store:
        assert note in TestClient(make_app(store), base_url="http://127.0.0.1").get("/runs/last").text


def test_a_wrong_kind_is_refused_in_files_and_in_python(rightcall):
    write_suite("smoke")
    done = rightcall("run", "suite.yaml")
    assert done.code == 2 and "kind" in done.err
    with pytest.raises(ConfigError, match="regression or capability"):
        rc.evaluate("keyword:", [rc.Golden("x", no_calls=True)], kind="smoke")


def test_a_filtered_run_says_nothing_and_changing_the_kind_does_not_end_a_run(rightcall):
    write_suite("capability")
    for _ in range(3):
        rightcall("run", "suite.yaml")
    assert "progress" not in rightcall("run", "suite.yaml", "--only", "none").out
    write_suite("regression")
    done = rightcall("run", "suite.yaml")
    assert "(regression suite)" in done.out and "progress" not in done.out


def test_python_states_a_kind_and_asks_for_any_number_of_runs(tmp_path):
    goldens = [rc.Golden("hello", id="a", no_calls=True)]
    for _ in range(2):
        run = rc.evaluate("keyword:", goldens, name="tiny", kind="capability", store=tmp_path / "r.db")
    assert run.suite_history().saturated is None
    assert run.suite_history(least=2).saturated.runs == 2 and run.suite_history().kind == "capability"
