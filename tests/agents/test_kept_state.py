"""An agent that carries one trial into the next is noticed by its first requests."""

from __future__ import annotations

import json
import sys

import pytest

from rightcall.agents.kept_state import KEEPS_STATE, StateWatch
from rightcall.records import Golden
from tests.cli.conftest import rightcall
from tests.limbs.adapters.model_server import model_server
from tests.limbs.adapters.script import Journal

__all__ = ["rightcall"]

CITIES = ("Hanoi", "Hue", "Sapa", "Dalat", "Vinh")
GOLDENS = [Golden(f"weather in {city} please", id=city) for city in CITIES]


def asked(*texts: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text} for text in texts]


def sentence(requests: list[tuple[Golden, list[dict[str, str]]]]) -> str:
    watch = StateWatch()
    for golden, messages in requests:
        watch.look(golden, messages)
    return watch.sentence


SHOTS = asked("weather in Hue please", "It is 21 degrees in Hue.")
INNOCENT = {
    "only the own input": [(golden, asked(golden.input)) for golden in GOLDENS * 3],
    "examples in the prompt": [(golden, SHOTS + asked(golden.input)) for golden in GOLDENS * 3],
    "inputs that contain each other": [
        (Golden(text, id=text), asked(text)) for text in ("cancel order 12", "cancel order 123")
    ],
    "another number of messages by golden": [
        (golden, asked(golden.input) * (n % 5 + 1)) for n, golden in enumerate(GOLDENS * 3)
    ],
}


@pytest.mark.parametrize("why", INNOCENT)
def test_an_agent_without_state_is_not_suspected(why):
    assert sentence(INNOCENT[why]) == ""


def test_the_input_of_another_golden_is_named():
    one, other = GOLDENS[:2]
    words = sentence([(one, asked(one.input)), (other, asked(one.input, other.input))])
    assert words == f"{KEEPS_STATE} (the first request of Hue contains the input of Hanoi)"


def test_trials_at_once_are_heard_in_any_order():
    requests = [(golden, asked(*(g.input for g in GOLDENS[: n + 1]))) for n, golden in enumerate(GOLDENS)]
    assert sentence(requests[::-1]).startswith(KEEPS_STATE)


AGENT = """
from openai import OpenAI
CLIENT = OpenAI(base_url="ADDRESS/v1", api_key="k")
TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}

def agent(text, memory=[]):
    memory.append({"role": "user", "content": text})
    return CLIENT.chat.completions.create(model="m", messages=[*memory], tools=[TOOL])
"""
SUITE = """
name: forgetful
dataset: goldens.jsonl
agent: {model: "forgetful_agent:agent"}
tools: [{name: get_weather, input_schema: {type: object}}]
trials: 2
"""


@pytest.mark.stories
def test_a_run_says_it_below_its_verdict_and_a_check_of_its_baseline_does(rightcall, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    goldens = [{"id": g.id, "input": g.input, "expected_calls": [{"tool": "get_weather"}]} for g in GOLDENS]
    (tmp_path / "goldens.jsonl").write_text("\n".join(map(json.dumps, goldens)))
    (tmp_path / "suite.yaml").write_text(SUITE)
    with model_server(Journal()) as address:
        (tmp_path / "forgetful_agent.py").write_text(AGENT.replace("ADDRESS", address))
        lines = rightcall("run", "suite.yaml", "--save-baseline", "main.jsonl").out.splitlines()
        assert lines[0].startswith("PASS")
        assert any(line.startswith(f"note: {KEEPS_STATE[:40]}") for line in lines)
        checked = rightcall("check", "suite.yaml", "--baseline", "main.jsonl", "--plan", "--json").out
    warnings = json.loads(checked)["warnings"]
    assert warnings[0].startswith(f"in the baseline, {KEEPS_STATE}")
    assert warnings[1].startswith(KEEPS_STATE)
