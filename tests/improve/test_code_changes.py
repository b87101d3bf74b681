"""A changed file of an agent is a change between two runs, as a changed prompt is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

import rightcall as rc

AGENT = """
import os
from pathlib import Path
from rightcall import ToolCall

QUERY = {query!r}

def answer(golden):
    query = os.environ.get("QUERY") or Path(__file__).with_name("query.txt").read_text() or QUERY
    return [ToolCall("search", {{"query": query}})]
"""
RIGHT = {
    "shop.py: changed": {"code": "right"},
    "query.txt: changed": {"file": "right"},
    "code: environment variable QUERY set": {"variable": "right"},
}


@pytest.mark.stories
@pytest.mark.parametrize("said_of_it", RIGHT)
def test_compare_names_the_file_or_variable_that_changed(tmp_path, said_of_it):
    goldens = [{"id": "a", "input": "x", "expected_calls": [{"tool": "search", "args": {"query": "right"}}]}]
    (tmp_path / "goldens.jsonl").write_text("\n".join(map(json.dumps, goldens)))
    (tmp_path / "suite.yaml").write_text("dataset: goldens.jsonl\nagent: {model: 'shop:answer'}\n")
    for right in ({}, RIGHT[said_of_it]):
        (tmp_path / "shop.py").write_text(AGENT.format(query=right.get("code", "wrong")))
        (tmp_path / "query.txt").write_text(right.get("file", ""))
        subprocess.run(
            [sys.executable, "-m", "rightcall", "run", "suite.yaml"],
            check=False,
            cwd=tmp_path,
            env={**os.environ, **({"QUERY": right["variable"]} if "variable" in right else {})},
            capture_output=True,
        )
    said = subprocess.run(
        [sys.executable, "-m", "rightcall", "compare", "last~1", "last"],
        check=False, cwd=tmp_path, capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert f"changed   {said_of_it}" in said


def test_compare_and_gate_take_what_evaluate_returned(tmp_path):
    golden = rc.Golden("x", id="a", expected_calls=[rc.ExpectedCall("search")])
    store = tmp_path / "results.db"
    before = rc.evaluate(lambda golden: [], [golden], store=store)
    after = rc.evaluate(lambda golden: [rc.ToolCall("search")], [golden], store=store)
    assert rc.compare(before, after, store=store)[0].comparison.fixed == ("a",)
    assert rc.gate(after, {"min": 0.5, "rule": "point"}, store=store).word == "PASS"


@pytest.mark.parametrize(
    ("before", "after", "differ"),
    [(("a", "b"), ("b",), False), (("a",), ("b", "c"), True), (("",), ("b",), None), ((), (), None)],
)
def test_first_requests_differ_when_no_trial_of_both_runs_began_alike(before, after, differ):
    from rightcall.improve.attribution import _first_requests_differ

    sides = [
        SimpleNamespace(results=[SimpleNamespace(first_request=d) for d in side]) for side in (before, after)
    ]
    assert _first_requests_differ(tuple(sides)) is differ


@pytest.mark.stories
def test_two_agents_of_a_module_are_two_in_the_store(tmp_path):
    (tmp_path / "goldens.jsonl").write_text(json.dumps({"id": "a", "input": "x", "expected_calls": []}))
    (tmp_path / "suite.yaml").write_text("dataset: goldens.jsonl\nagent: {model: 'shop:answer'}\n")
    (tmp_path / "shop.py").write_text("def make():\n    def answer(golden):\n        return []\n    return answer\n\n"
                                      "answer, other = make(), make()\n")  # fmt: skip
    for words in ((), ("--model", "shop:other")):
        subprocess.run([sys.executable, "-m", "rightcall", "run", "suite.yaml", *words], cwd=tmp_path,
                       capture_output=True, check=False)  # fmt: skip
    listed = subprocess.run([sys.executable, "-m", "rightcall", "runs", "list", "--json"], cwd=tmp_path,
                            capture_output=True, text=True, check=True).stdout  # fmt: skip
    assert "shop:answer" in listed and "shop:other" in listed
