"""A changed file of an agent is a change between two runs, as a changed prompt is."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import rightcall as rc

AGENT = """
from rightcall import ToolCall

def answer(golden):
    return [ToolCall("search", {{"query": {query!r}}})]
"""


@pytest.mark.stories
def test_compare_names_the_file_that_changed(tmp_path):
    goldens = [{"id": "a", "input": "x", "expected_calls": [{"tool": "search", "args": {"query": "right"}}]}]
    (tmp_path / "goldens.jsonl").write_text("\n".join(map(json.dumps, goldens)))
    (tmp_path / "suite.yaml").write_text("dataset: goldens.jsonl\nagent: {model: 'shop:answer'}\n")
    for query in ("wrong", "right"):
        (tmp_path / "shop.py").write_text(AGENT.format(query=query))
        subprocess.run(
            [sys.executable, "-m", "rightcall", "run", "suite.yaml"],
            check=False,
            cwd=tmp_path,
            capture_output=True,
        )
    said = subprocess.run(
        [sys.executable, "-m", "rightcall", "compare", "last~1", "last"],
        check=False, cwd=tmp_path, capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert "shop.py changed" in said and "noise" not in said


def test_compare_and_gate_take_what_evaluate_returned(tmp_path):
    golden = rc.Golden("x", id="a", expected_calls=[rc.ExpectedCall("search")])
    store = tmp_path / "results.db"
    before = rc.evaluate(lambda golden: [], [golden], store=store)
    after = rc.evaluate(lambda golden: [rc.ToolCall("search")], [golden], store=store)
    assert rc.compare(before, after, store=store)[0].comparison.fixed == ("a",)
    assert rc.gate(after, min=0.5, rule="point", store=store).word == "PASS"
