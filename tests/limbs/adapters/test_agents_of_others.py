"""Agents as other people write them, through the command line: a run shows what a model was asked and what it answered."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cli.conftest import rightcall
from tests.limbs.adapters.kits.desks import BALANCE, FREEZE, SHAPES, Shape, answer, heard
from tests.providers.loopback import Seen, json_server

pytestmark = pytest.mark.stories
MODULES = (
    "assistant",
    "assistant.graph",
    "assistant.tools",
    "bank_tools",
    "desk",
    "setup_bank",
    "setup_client",
)
ASKED = {
    "b1": ("Balance of A1?", "get_balance"),
    "b2": ("And the balance of A2?", "get_balance"),
    "f3": ("Freeze my card, A3!", "freeze_card"),
    "f4": ("A4: freeze it", "freeze_card"),
    "thanks": ("Thanks.", ""),
}
TRIALS = 3
__all__ = ["rightcall"]


@pytest.fixture
def model() -> Iterator[Seen]:
    with json_server(answer) as seen:
        yield seen


@pytest.fixture
def project(tmp_path, monkeypatch, model):
    """Writes an agent and its suite; the descriptions of its tools may be exchanged."""
    for module in MODULES:
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path / "src")
    monkeypatch.setenv("MODEL_URL", model.url)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", model.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)  # with it, OpenAI Agents sends traces

    def write(shape: Shape, values: dict[str, Any], *, exchange: bool = False) -> None:
        for name, source in shape.files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(exchanged(source) if exchange else source, "utf-8")
        goldens = [json.dumps(golden(id, shape)) for id in ASKED]
        (tmp_path / "goldens.jsonl").write_text("\n".join(goldens), "utf-8")
        agent = {"model": shape.agent, "observe": "auto", "with": values}
        suite = {"dataset": "goldens.jsonl", "trials": TRIALS, "agent": agent}
        (tmp_path / "suite.json").write_text(json.dumps(suite), "utf-8")

    return write


def exchanged(source: str) -> str:
    return source.replace(BALANCE, "§").replace(FREEZE, BALANCE).replace("§", FREEZE)


def golden(id: str, shape: Shape) -> dict[str, Any]:
    text, tool = ASKED[id]
    handoff = [{"tool": shape.handoffs[tool]}] if tool in shape.handoffs else []
    calls = [*handoff, {"tool": tool, "args": {"account": f"A{id[1]}"}}] if tool else []
    return {"id": id, "input": text, "expected_calls": calls}


@pytest.mark.parametrize("name", SHAPES)
def test_what_is_stored_of_an_agent_is_what_its_model_answered_and_was_sent(name, project, model, rightcall):
    project(SHAPES[name], SHAPES[name].values)
    done = rightcall("run", "suite.json")
    assert done.code == 0, done.err
    cases = [json.loads(line) for line in rightcall("runs", "export", "last").out.splitlines()]
    for id, (text, _) in ASKED.items():
        told = [exchange for exchange in map(exchange_of, model.bodies) if exchange[0] == text]
        trials = [case["trajectory"] for case in cases if case["golden_id"] == id]
        calls = [call for trial in trials for call in trial.get("calls", ())]
        made = Counter((call["name"], json.dumps(call.get("arguments", {}))) for call in calls)
        assert made == Counter(call for _, answered, _, _ in told for call in answered)
        assert {call["output"] for call in calls} == {
            result for _, _, results, _ in told for result in results
        }
        assert sorted(trial["output"] for trial in trials) == sorted(said for *_, said in told if said)
        assert len(trials) == TRIALS


def exchange_of(body: dict[str, Any]) -> tuple[str, list[tuple[str, str]], list[str], str]:
    """Of one request: the user's words, the calls that were answered, the results that were sent, the last text."""
    said, _, results = heard(body)
    calls, text = answered(answer(body))
    structured = [compact(json.loads(arguments)) for name, arguments in calls if name == "final_result"]
    own = [call for call in calls if call[0] != "final_result"]
    return said, own, results, "".join(structured) or text


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def answered(whole: dict[str, Any]) -> tuple[list[tuple[str, str]], str]:
    if "content" in whole:
        part = whole["content"][0]
        return ([(part["name"], json.dumps(part["input"]))], "") if "name" in part else ([], part["text"])
    message = whole["choices"][0]["message"]
    functions = [call["function"] for call in message.get("tool_calls", ())]
    return [(function["name"], function["arguments"]) for function in functions], message["content"] or ""


@pytest.mark.parametrize("name", SHAPES)
def test_exchanged_descriptions_of_an_agent_fail_what_needs_them(name, project, rightcall):
    project(SHAPES[name], SHAPES[name].values, exchange=True)
    assert rightcall("run", "suite.json", "--trials", "1").code == 1
    cases = [json.loads(line) for line in rightcall("runs", "export", "last").out.splitlines()]
    assert {case["golden_id"] for case in cases if case["passed"]} == {"thanks"}


@pytest.mark.parametrize("name", [name for name, shape in SHAPES.items() if shape.missing])
def test_an_agent_without_what_it_needs_is_refused_before_its_model_is_asked(name, project, model, rightcall):
    project(SHAPES[name], {})
    done = rightcall("run", "suite.json")
    assert (done.code, done.out, model.bodies) == (2, "", [])
    assert f"error: {SHAPES[name].missing}" in done.err


def test_what_an_agent_keeps_of_one_trial_in_the_next_is_said(project, rightcall):
    project(SHAPES["kept list"], {})
    assert "it keeps state" in rightcall("run", "suite.json").out
