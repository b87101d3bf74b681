"""`metrics: [{measure: …}]`: a metric that breaks decides nothing, but every verdict names it."""

from __future__ import annotations

import json

import pytest

import rightcall as rc

OWN = """
from rightcall import Metric, Score

class Raises(Metric):
    def measure(self, case):
        raise KeyError("profile")

class Works(Metric):
    def measure(self, case):
        return Score(1.0, True)
"""


@pytest.mark.parametrize("gate", [{}, {"gate": {"min": 0.1}}])
def test_a_measure_that_breaks_is_a_note_of_the_verdict(gate, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "broken_measures.py").write_text(OWN, "utf-8")
    goldens = [{"id": str(n), "input": "Hello", "no_calls": True} for n in range(40)]
    (tmp_path / "goldens.jsonl").write_text("\n".join(map(json.dumps, goldens)), "utf-8")
    replies = [{"golden": golden["id"], "turns": [{"text": "Hi"}]} for golden in goldens]
    (tmp_path / "script.json").write_text(json.dumps({"replies": replies}), "utf-8")
    suite = {
        "name": "hello",
        "tools": [],
        "dataset": "goldens.jsonl",
        "agent": {"model": "scripted:script.json"},
        "metrics": [{"measure": "broken_measures:Raises"}, {"measure": "broken_measures:Works"}],
        **gate,
    }
    (tmp_path / "suite.json").write_text(json.dumps(suite), "utf-8")
    run = rc.run_suite(tmp_path / "suite.json")
    assert run.verdict.word == "PASS"
    (note,) = (note for note in run.verdict.notes if note.code == "broken_metric")
    assert note.text.startswith("raises could not be computed in 40 cases: raised KeyError")
    assert note.text in run.summary.warnings
