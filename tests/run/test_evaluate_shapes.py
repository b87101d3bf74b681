"""The shapes of `evaluate`: an agent on goldens, ready test cases, a function on data with evaluators."""

from __future__ import annotations

import json

import pytest

import rightcall as rc
from rightcall.deepeval import evaluate as score_test_cases
from rightcall.deepeval.dataset import EvaluationDataset
from rightcall.deepeval.metrics import ToolCorrectnessMetric
from rightcall.deepeval.test_case import LLMTestCase
from rightcall.laminar import evaluate
from rightcall.metrics.base import Metric

FILES = ["readFile", "writeFile", "listFiles", "deleteFile"]
ITEMS = [
    {"data": {"prompt": "Read README.md", "tools": FILES},
     "target": {"expectedTools": ["readFile"], "category": "golden"}},
    {"data": {"prompt": "What is in the project?", "tools": FILES},
     "target": {"expectedTools": ["listFiles"], "category": "secondary"}},
    {"data": {"prompt": "Tell me a joke", "tools": FILES}, "target": {"forbiddenTools": FILES, "category": "negative"}},
]  # fmt: skip
ASKED = {
    "Read README.md": ["readFile"],
    "What is in the project?": ["listFiles", "readFile"],
    "Tell me a joke": [],
}


def executor(data):
    names = ASKED[data["prompt"]]
    return {"toolCalls": [{"toolName": name, "args": {}} for name in names], "toolNames": names}


def selection_score(output, target):
    expected = set(target.get("expectedTools", ()))
    selected = set(output["toolNames"])
    return 2 * len(expected & selected) / (len(expected) + len(selected)) if expected else 1


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("shape", ["list", "file", "lines"])
def test_evaluators_see_what_the_executor_returned_and_the_target(shape, tmp_path):
    data = {"list": ITEMS, "file": tmp_path / "a.json", "lines": str(tmp_path / "a.jsonl")}[shape]
    if shape != "list":
        lines = "\n".join(map(json.dumps, ITEMS)) if shape == "lines" else json.dumps(ITEMS)
        (tmp_path / f"a.{'jsonl' if shape == 'lines' else 'json'}").write_text(lines)
    run = evaluate(
        data=data, executor=executor, evaluators={"selection": selection_score}, group_name="files"
    )
    found = {result.category: result for result in run.results}
    assert {name: round(result.metrics["selection"].value, 2) for name, result in found.items()} == {
        "golden": 1, "secondary": 0.67, "negative": 1,
    }  # fmt: skip
    assert run.passed and run.store.runs.get(run.id).run.group == "files"


def test_an_evaluator_that_fails_fails_its_case():
    run = evaluate(
        data=ITEMS, executor=executor, evaluators={"none": lambda output, target: not output["toolNames"]}
    )
    assert [result.passed for result in run.results].count(True) == 1 and not run.passed


def test_data_and_target_may_be_anything_and_the_executor_async():
    async def add(data):
        return sum(data)

    items = [{"data": [1, 2], "target": 3}, {"data": [2, 2], "target": 5}]
    run = evaluate(data=items, executor=add, evaluators={"equal": lambda output, target: output == target})
    assert sorted(result.metrics["equal"].value for result in run.results) == [0, 1]


def test_the_same_data_twice_are_two_cases():
    run = evaluate(
        data=[{"data": "x", "target": "x"}] * 2, executor=str.upper, evaluators={"e": lambda output: 1}
    )
    assert run.summary.overall.cases == 2


@pytest.mark.parametrize("wrapped", [list, tuple, iter, lambda cases: EvaluationDataset((), cases)])
def test_test_cases_may_come_in_any_collection(wrapped):
    assert rc.score_cases(wrapped(cases(2, 0))).passed


def test_an_evaluator_never_sees_the_output_of_another_case():
    def fragile(data):
        if data == "bad":
            raise RuntimeError("broken")
        return data

    seen = []
    items = [{"data": text, "target": text} for text in ("good", "bad", "fine")]
    evaluate(
        data=items,
        executor=fragile,
        evaluators={"e": lambda output, target: seen.append((output, target)) or True},
        concurrency=1,
    )
    assert {target: output for output, target in seen if isinstance(output, str)} == {
        "good": "good",
        "fine": "fine",
    }


@pytest.mark.parametrize(("case", "metrics"), [
    (
        LLMTestCase(input="Hi", actual_output="Hello", expected_tools=["greet"], tools_called=[rc.ToolCall("greet")]),
        [ToolCorrectnessMetric()],
    ),
    (rc.ConversationalTestCase(scenario="Hi", turns=[rc.Turn("user", "Hi"), rc.Turn("assistant", "Hello")]), [lambda case: True]),
])  # fmt: skip
def test_test_cases_are_scored_by_keyword_as_deepeval_has_it(case, metrics):
    run = score_test_cases(
        test_cases=[case],
        metrics=metrics,
        hyperparameters={"model": "gpt-5"},
        identifier="mine",
        display_config=object(),
    )
    stored = run.store.runs.get(run.id).run
    assert run.passed and (stored.name, stored.settings) == ("mine", {"model": "gpt-5"})


def cases(passing: int, failing: int):
    made = [
        LLMTestCase(input=f"{i}", expected_tools=["a"], tools_called=[rc.ToolCall("a")])
        for i in range(passing)
    ]
    return made + [LLMTestCase(input=f"no {i}", expected_tools=["a"]) for i in range(failing)]


@pytest.mark.parametrize(
    ("gate", "word"),
    [
        ({"min": 0.6, "rule": "point"}, "PASS"),
        ({"min": 0.7, "rule": "point"}, "FAIL"),
        (0.2, "PASS"),
        (0.65, "INCONCLUSIVE"),
        (None, "FAIL"),
    ],
)
def test_a_gate_decides_about_test_cases_as_about_agents(gate, word):
    ready = cases(20, 10)
    scored = rc.score_cases(ready, gate=gate, group="nightly")
    calls = {case.golden.input: list(case.trajectory.calls) for case in ready}
    ran = rc.evaluate(
        lambda golden: calls[golden.input], [case.golden for case in ready], gate=gate, group="nightly"
    )
    assert scored.verdict.word == ran.verdict.word == word
    assert {run.store.runs.get(run.id).run.group for run in (scored, ran)} == {"nightly"}


def test_results_come_with_their_trajectories():
    (result,) = rc.score_cases(cases(1, 0)).results
    assert [call.name for call in result.trajectory.calls] == ["a"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, TypeError, "missing a required argument: 'agent'"),
        ({"data": ITEMS}, TypeError, "executor is missing"),
        ({"executor": executor}, TypeError, "data is missing"),
        ({"test_cases": [], "data": ITEMS}, TypeError, "unexpected argument 'data'"),
        ({"agent": executor, "data": ITEMS, "executor": executor}, TypeError, "multiple values for argument 'agent'"),
        ({"agent": executor, "dataset": ITEMS}, rc.errors.ConfigError, "golden 0: expected a Golden, got dict"),
        ({"agent": executor, "dataset": cases(1, 0)}, TypeError, "test cases need no agent"),
        ({"agent": executor, "dataset": [rc.Golden("?")], "metric": []}, TypeError, "did you mean 'metrics'"),
        ({"test_cases": [rc.Golden("?")]}, rc.errors.ConfigError, "is a golden, which has nothing to score"),
        ({"test_cases": cases(1, 0), "mcp_servers": []}, TypeError, "unexpected argument 'mcp_servers'; known: "),
        ({"test_cases": cases(1, 0), "metric": []}, TypeError, "did you mean 'metrics'"),
        ({"test_cases": cases(1, 0), "gate": {"mini": 1}}, rc.errors.InputError, "did you mean 'min'"),
        ({"data": [{"target": 1}], "executor": executor}, rc.errors.InputError, r"data\[0\]: missing required field 'data'"),
        ({"data": [{"data": object()}], "executor": executor}, rc.errors.InputError, "cannot be stored"),
        ({"data": ITEMS, "executor": executor, "evaluators": [len]}, TypeError, "must map a name to a function"),
        ({"data": ITEMS, "executor": 7}, rc.errors.ConfigError, "executor must be a function"),
        ({"data": ITEMS, "executor": executor, "evaluators": {"e": lambda: 1}}, rc.errors.ConfigError, "evaluator 'e' must take"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_says_what_to_write(options, error, message):
    forms = {"test_cases": score_test_cases, "data": evaluate, "executor": evaluate}
    function = next((forms[word] for word in forms if word in options), rc.evaluate)
    with pytest.raises(error, match=message):
        function(**options)


def test_every_public_metric_of_deepevals_names_is_a_metric():
    assert isinstance(ToolCorrectnessMetric(should_exact_match=True, should_consider_ordering=True), Metric)
