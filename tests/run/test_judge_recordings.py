"""Judges in CI: recorded once, replayed by run, rescoring and check without a request; what is missing says what changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rightcall.recording.judged_trial import question_change
from tests.cli.conftest import rightcall  # noqa: F401  fixture
from tests.providers.loopback import json_server

pytestmark = pytest.mark.stories
AGENT = "def answer(golden):\n    return 'We will pay ' + golden.input\n"
METRIC = "rubric(model='openai:j', rubric='RULE', votes=2, base_url='URL', label='kind', cache='')"


def write_suite(url: str, *, rule: str = "It is kind.", model: str = "openai:j", trials: int = 1) -> None:
    metric = METRIC.replace("URL", url).replace("RULE", rule).replace("openai:j", model)
    Path("goldens.jsonl").write_text(
        "".join(json.dumps({"id": f"g{n}", "input": f"order {n}"}) + "\n" for n in range(3)), "utf-8"
    )
    Path("desk_of_judges.py").write_text(AGENT, "utf-8")
    Path("suite.yaml").write_text(
        f'dataset: goldens.jsonl\nagent: {{model: "desk_of_judges:answer"}}\nmetrics: ["{metric}"]\nrecord: auto\n',
        "utf-8",
    )


@pytest.fixture
def judge(tmp_path, monkeypatch, rightcall):  # noqa: F811
    """A judge on loopback: passes order 0, fails order 1, and answers order 2 with prose."""
    monkeypatch.setenv("OPENAI_API_KEY", "x" * 20)
    asked: list[str] = []

    def reply(body):
        question = body["messages"][-1]["content"]
        asked.append(question)
        message = {"role": "assistant", "content": "Well, it depends."}
        if "order 2" not in question:
            verdict = {"verdict": "pass" if "order 0" in question else "fail", "reason": "read"}
            call = {"id": "1", "type": "function"}
            call["function"] = {"name": "give_verdict", "arguments": json.dumps(verdict)}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
        return {"model": "j", "choices": [{"message": message, "finish_reason": "stop"}], "usage": {}}

    with json_server(reply) as server:
        write_suite(server.url)
        yield server, asked


def outcomes(rightcall, run: str = "last") -> dict[str, tuple[bool, str]]:  # noqa: F811
    rows = rightcall("runs", "export", run).rows
    return {row["golden_id"]: (row["passed"], row.get("error", "")[:60]) for row in rows}


def test_answers_are_recorded_and_replayed_by_every_door(judge, rightcall):  # noqa: F811
    server, asked = judge
    assert rightcall("run", "suite.yaml").code == 4  # one case in three has no verdict
    recorded = outcomes(rightcall)
    assert [passed for passed, _ in recorded.values()] == [True, False, False] and len(asked) == 6
    assert "judge_unparsed" in rightcall("runs", "show", "last", "g2").out
    rightcall("run", "suite.yaml")
    assert len(asked) == 6 and outcomes(rightcall) == recorded
    rightcall("run", "suite.yaml", "--record", "replay")
    assert len(asked) == 6 and outcomes(rightcall) == recorded
    metric = METRIC.replace("URL", server.url).replace("RULE", "It is kind.")
    rightcall("runs", "rescore", "last", "--metric", metric)
    assert len(asked) == 6 and outcomes(rightcall) == recorded
    rightcall("check", "suite.yaml", "--record", "replay")
    assert len(asked) == 6


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rule": "It is short."}, "the rubric changed since it was recorded"),
        ({"model": "openai:other"}, "the judge changed since it was recorded"),
    ],
)
def test_a_replay_without_the_answer_says_what_changed_and_asks_nobody(judge, rightcall, change, words):  # noqa: F811
    server, asked = judge
    rightcall("run", "suite.yaml")
    write_suite(server.url, **change)
    assert rightcall("run", "suite.yaml", "--record", "replay").code == 4
    assert words in rightcall("runs", "show", "last", "g0").out and len(asked) == 6


def test_scoring_by_another_rubric_keeps_what_was_recorded(judge, rightcall):  # noqa: F811
    server, asked = judge
    rightcall("run", "suite.yaml")
    other = METRIC.replace("URL", server.url).replace("RULE", "It is short.")
    rightcall("runs", "rescore", "last", "--metric", other)
    assert len(asked) == 12
    rightcall("runs", "rescore", "last", "--metric", other)
    rightcall("run", "suite.yaml", "--record", "replay")
    assert len(asked) == 12 and [passed for passed, _ in outcomes(rightcall).values()] == [True, False, False]


def test_the_nearest_recorded_question_says_what_changed():
    def ask(model="j", system="examine", rubric="kind", case='{"answer": "a"}'):
        mark = f"MATERIAL-{hash((rubric, case))}"
        content = f"Rubric:\n{rubric}\n\n<<<{mark}\n{case}\n{mark}>>>\n\nDoes the material meet the rubric?"
        return {"model": model, "system": system, "messages": [{"role": "user", "content": content}]}

    recorded = [ask(), ask(model="k", rubric="short")]
    assert question_change(ask(), []) == question_change(ask(), recorded) == ""
    for change, words in (
        ({"model": "m"}, "the judge"),
        ({"system": "x"}, "the prompt of the judge"),
        ({"rubric": "x"}, "the rubric"),
        ({"case": '{"answer": "b"}'}, "the case"),
    ):
        assert question_change(ask(**change), recorded) == f"{words} changed since it was recorded"
    both = question_change(ask(rubric="x", case="{}"), recorded)
    assert both == "the rubric changed and the case changed since it was recorded"
