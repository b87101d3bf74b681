"""A tool that failed in every call stands with the verdict, behind every door; a gate can forbid it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import rightcall as rc
from rightcall.decide.config import read_gate
from rightcall.decide.golden_outcomes import Outcome
from rightcall.decide.verdict import decide
from rightcall.run.decisions import gate_run
from rightcall.show.formats import writer_of
from rightcall.store.address import open_store

SAID = "search_web failed in 3 of 3 calls: TAVILY_API_KEY is not set"
AGENT = """
from rightcall import ToolCall
def agent(golden):
    return [ToolCall("search_web", {}, status="error", output="TAVILY_API_KEY is not set")]
"""
SUITE = """
name: news
dataset: goldens.jsonl
agent: {model: "news_agent:agent"}
tools: [{name: search_web, input_schema: {type: object}}]
trials: 3
"""


def write_suite(folder: Path, more: str = "") -> None:
    golden = {"id": "hue", "input": "what is new in Hue", "expected_calls": [{"tool": "search_web"}]}
    (folder / "goldens.jsonl").write_text(json.dumps(golden))
    (folder / "news_agent.py").write_text(AGENT)
    (folder / "suite.yaml").write_text(SUITE + more)


def below_the_verdict(screen: str) -> str:
    """The note below the verdict."""
    assert screen.startswith(("PASS", "FAIL"))
    (note,) = (line for line in screen.splitlines() if line.startswith("note: "))
    return note.removeprefix("note: ")


def test_it_stands_below_the_verdict_of_a_run_and_in_its_json(rightcall, tmp_path):
    write_suite(tmp_path)
    assert below_the_verdict(rightcall("run", "suite.yaml").out) == SAID
    assert below_the_verdict(rightcall("runs", "show", "last").out) == SAID
    last = json.loads(rightcall("run", "suite.yaml", "--json").out.splitlines()[-1])
    assert last["summary"]["warnings"] == [SAID]
    assert last["summary"]["failed_tools"] == [
        {"tool": "search_web", "calls": 3, "error": "TAVILY_API_KEY is not set"}
    ]


@pytest.mark.parametrize("kind", [pytest.param("html", marks=pytest.mark.stories), "markdown", "junit"])
def test_it_stands_in_every_report(rightcall, tmp_path, kind):
    write_suite(tmp_path)
    rightcall("run", "suite.yaml")
    report = io.BytesIO()
    with open_store(None) as store:
        writer_of(kind)(store, "last", report)
    assert SAID in report.getvalue().decode()


def test_a_gate_forbids_it_also_later(rightcall, tmp_path):
    write_suite(tmp_path, "gate: {forbid: [tool_error]}\n")
    done = rightcall("run", "suite.yaml")
    assert (
        done.code == 1 and "FAIL  search_web failed in every call" in done.out and done.out.count(SAID) == 1
    )
    gated = rightcall("gate", "last", "--forbid", "tool_error").out
    assert "FAIL  search_web failed in every call" in gated and gated.count(SAID) == 1
    assert SAID in rightcall("gate", "last", "--min", "0.1").out


def test_a_gate_decides_nothing_about_calls_that_it_does_not_know():
    gate = read_gate({"forbid": ["tool_error"]})
    outcomes = [Outcome("g", (1.0,))]
    assert decide(gate, outcomes).word == "INCONCLUSIVE"
    assert decide(gate, outcomes, failed_tools=()).word == "PASS"


def test_python_says_it_too(tmp_path):
    call = rc.ToolCall("search_web", {}, status="error", output="no network")
    golden = rc.Golden("news", id="g", expected_calls=[rc.ExpectedCall("search_web")])
    result = rc.evaluate(lambda golden: [call], [golden], store=tmp_path / "s.db")
    assert str(result.summary).splitlines()[1] == "search_web failed in 1 of 1 call: no network"
    with open_store(tmp_path / "s.db") as store:
        assert gate_run(store, "last", read_gate({"forbid": ["tool_error"]})).word == "FAIL"


def test_a_mocked_error_is_no_failure(rightcall, tmp_path):
    mock = "mocks: {search_web: {error: {error: upstream_error}}}\n"
    write_suite(tmp_path, mock)
    assert "failed in" not in rightcall("run", "suite.yaml").out
