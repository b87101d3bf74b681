"""Scripts written for Laminar's `evaluate` run with only their import changed; our goldens decide too."""

from __future__ import annotations

import asyncio
import re
import runpy

import pytest

from rightcall.laminar import evaluate

SCRIPT = """
from lmnr import evaluate

CAPITALS = {"France": "Paris", "Spain": "Madrid", "Peru": "Cusco"}


async def find_capital(data):
    return CAPITALS[data["country"]]


def is_correct(output, target):
    return int(output == target["capital"])


def shape(output, target):
    return {"capitalized": int(output[0].isupper()), "short": 1.0 if len(output) < 10 else 0.5}


run = evaluate(
    [
        {"data": {"country": "France"}, "target": {"capital": "Paris"}, "metadata": {"continent": "Europe"}},
        {"data": {"country": "Spain"}, "target": {"capital": "Madrid"}},
        {"data": {"country": "Peru"}, "target": {"capital": "Lima"}},
    ],
    find_capital,
    {"is_correct": is_correct, "shape": shape},
    group_name="capitals",
    project_api_key="lm-secret",
    concurrency_limit=2,
)
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_script_with_another_import_runs(tmp_path):
    path = tmp_path / "capitals.py"
    path.write_text(re.sub(r"from lmnr import", "from rightcall.laminar import", SCRIPT), "utf-8")
    run = runpy.run_path(str(path))["run"]
    found = {result.trajectory.output: result for result in run.results}
    assert {name: result.metrics["is_correct"].value for name, result in found.items()} == {
        "Paris": 1, "Madrid": 1, "Cusco": 0,
    }  # fmt: skip
    assert run.store.runs.get(run.id).run.group == "capitals" and not run.passed
    assert "lm-secret" not in str(run.store.runs.get(run.id).run)


def test_several_scores_count_by_the_lowest():
    run = evaluate(
        [{"data": "x", "target": "x"}], str.upper, {"shape": lambda output: {"upper": 1, "long": 0.25}}
    )
    score = run.results[0].metrics["shape"]
    assert (score.value, score.passed, score.reason) == (0.25, False, "long: 0.25, below 1")


def test_inside_an_event_loop_it_is_awaited():
    async def main():
        return await evaluate(
            [{"data": 1, "target": 1}], int, {"equal": lambda output, target: output == target}
        )

    assert asyncio.run(main()).passed


def test_the_calls_of_a_target_decide_whatever_the_evaluators_say():
    item = {"data": {"prompt": "Read it"}, "target": {"expectedTools": ["read"]}}
    run = evaluate([item], lambda data: {"toolNames": ["write"]}, {"fine": lambda output, target: 1})
    (result,) = run.results
    assert not run.passed and result.metrics["fine"].passed
    assert {code.code for code in result.codes} & {"wrong_tool", "missing_call", "no_call"}


def test_an_unknown_argument_is_refused():
    with pytest.raises(TypeError, match="human_evaluators"):
        evaluate([{"data": 1}], int, {"one": lambda output: 1}, human_evaluators=[])


def test_evaluate_takes_the_same_by_keyword():
    items = [{"data": 2, "target": 4}]
    run = evaluate(
        data=items, executor=lambda n: n * n, evaluators={"e": lambda output, target: output == target}
    )
    assert run.passed
