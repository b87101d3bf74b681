"""Text that looks like a call stays text, and a run says so once."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from click.testing import CliRunner

import rightcall as rc
from rightcall.cli.score import score
from rightcall.records.dialects.call_text import call_text_in

CALLS = [
    '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
    '{"name": "get_weather", "arguments": {"city": "Hue"}}',
    'Sure: {"arguments": {"city": "Hue"}, "name": "get_weather"}',
    '{"type": "function", "function": {"name": "f", "parameters": {}}}',
    "<function=get_weather>{}</function>",
    '[TOOL_CALLS][{"name": "f"}]',
    "```tool_code\nget_weather()\n```",
    '[get_weather(city="Hue"), get_time()]',
    '<|python_tag|>{"name": "f"}',
    '<invoke name="f">',
]
TEXTS = ["", "It is 31 °C.", "See [the docs](https://x.y).", '{"city": "Hue"}', "Use f(x) < g(x) [1].", "My name: Lan, args: none",
         "[see below]", "```python\nprint(1)\n```", '{"name": "Lan", "age": 3}']  # fmt: skip


@pytest.mark.parametrize("text", CALLS)
def test_what_models_write_instead_of_a_call_is_recognized(text: str) -> None:
    assert call_text_in(text)


@pytest.mark.parametrize("text", TEXTS)
def test_ordinary_answers_are_not(text: str) -> None:
    assert not call_text_in(text)


def test_a_run_warns_once_and_the_text_stays_text(tmp_path: Path) -> None:
    goldens = [rc.Golden("Hi", id=f"g{n}", no_calls=True) for n in range(3)]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        run = rc.evaluate(lambda golden: CALLS[0], goldens, store=tmp_path / "s.db")
    assert len([w for w in seen if "looks like a tool call" in str(w.message)]) == 1
    assert all(result.passed and not result.trajectory.calls for result in run.results)


def test_score_warns_once(tmp_path: Path) -> None:
    (tmp_path / "g.jsonl").write_text('{"id": "a", "input": "Hi"}\n{"id": "b", "input": "Hi"}\n')
    line = '{"golden_id": "%s", "calls": [], "output": "<tool_call>{}</tool_call>"}\n'
    (tmp_path / "t.jsonl").write_text(line % "a" + line % "b")
    done = CliRunner().invoke(score, [str(tmp_path / "g.jsonl"), str(tmp_path / "t.jsonl"), "--json"])
    assert done.stderr.count("looks like a tool call") == 1 and "--enable-auto-tool-choice" in done.stderr


def test_score_warns_of_text_after_calls(tmp_path: Path) -> None:
    (tmp_path / "g.jsonl").write_text('{"id": "a", "input": "Hi"}\n')
    messages = [
        {"role": "assistant", "calls": [{"name": "f"}]},
        {"role": "assistant", "content": "<tool_call>{}</tool_call>"},
    ]
    (tmp_path / "t.jsonl").write_text(json.dumps({"golden_id": "a", "messages": messages}) + "\n")
    scores = rc.score(tmp_path / "g.jsonl", tmp_path / "t.jsonl")
    assert len(list(scores)) == 1 and "looks like a tool call" in scores.notices[0]
