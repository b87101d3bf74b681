"""A setup error is one line, however many parts of a command it stops."""

from pathlib import Path

import pytest


@pytest.fixture
def suite(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    Path("goldens.jsonl").write_text('{"id": "hi", "input": "Hi", "no_calls": true}', "utf-8")
    Path("suite.yaml").write_text(
        "dataset: goldens.jsonl\nagent: {model: openai:gpt-5}\n"
        "metrics: [answer_relevancy]\nmodels: {default_judge: openai:gpt-5}\n",
        "utf-8",
    )


@pytest.mark.parametrize(
    "more", [(), ("--perturb", "order,names"), ("--model", "openai:gpt-5", "--model", "openai:gpt-5")]
)
def test_a_model_without_a_key_is_one_error(rightcall, suite, more):
    done = rightcall("run", "suite.yaml", *more)
    assert done.code == 2
    assert [line for line in done.err.splitlines() if line.startswith("error: ")] == [
        "error: openai:gpt-5 needs a key; set the environment variable OPENAI_API_KEY"
    ]
