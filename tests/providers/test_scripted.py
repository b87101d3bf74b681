"""Scripts: the same request always has the same answer."""

from __future__ import annotations

import asyncio

import pytest

from rightcall.core.errors import ConfigError, InputError, ProviderError
from rightcall.providers.base import ModelRequest
from rightcall.providers.resolver import resolve
from rightcall.providers.scripted import ScriptedProvider, scripted
from rightcall.records import Message, ToolCall, ToolResult

from .samples import PROMPT, a_request, ask

SCRIPT = """
format: rightcall/script/1
replies:
  - golden: hue
    trial: 1
    turns: [{text: on the second trial}]
  - golden: hue
    turns:
      - calls: [{name: get_weather, arguments: {city: Hue}}]
      - text: It is warm.
  - input: Hello!
    turns: [{text: Hi., stop: refused}]
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "answers.yaml"
    path.write_text(SCRIPT)
    return f"scripted:{path}"


def test_answers_are_found_by_golden_trial_turn_and_input(script):
    call = ToolCall("get_weather", {"city": "Hue"}, "call_0_0")
    first = ask(resolve(script), a_request(golden_id="hue"))
    said = (Message("user", "?"), first.message, Message("tool", results=(ToolResult("call_0_0", "31"),)))
    assert first.message.calls == (call,)
    assert ask(resolve(script), ModelRequest(PROMPT, said, "hue")).message.content == "It is warm."
    assert ask(resolve(script), a_request(golden_id="hue", trial=1)).message.content == "on the second trial"
    assert ask(resolve(script), a_request("Hello!")).stop == "refused"


def test_past_its_last_turn_a_script_ends_the_conversation(script):
    said = tuple(Message("assistant", str(i)) for i in range(5))
    assert ask(resolve(script), ModelRequest(PROMPT, said, "hue")).message == Message("assistant")


def test_a_request_without_an_answer_names_the_nearest(script):
    with pytest.raises(ProviderError, match="did you mean 'hue'"):
        ask(resolve(script), a_request(golden_id="huee"))


@pytest.mark.parametrize(
    "text", ["replies: [", "replies: 3", "format: other/1\nreplies: []", "replies: [{turn: []}]"]
)
def test_a_broken_script_is_named(tmp_path, text):
    path = tmp_path / "answers.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"answers\.yaml"):
        resolve(f"scripted:{path}")


def test_a_function_may_be_the_script_whether_async_or_not():
    async def later(request):
        await asyncio.sleep(0)
        return ToolCall("f", {"n": len(request.messages)})

    assert ask(ScriptedProvider(later)).message.calls == (ToolCall("f", {"n": 1}, "call_0_0"),)
    assert ask(ScriptedProvider(lambda request: request.messages[0].content)).message.content.startswith(
        "How warm"
    )


def test_answers_may_be_a_plain_mapping():
    provider = scripted({"hue": [[ToolCall("f"), ToolCall("g")], "done"], "Hi": "Hello."})
    assert [c.name for c in ask(provider, a_request(golden_id="hue")).message.calls] == ["f", "g"]
    assert ask(provider, a_request("Hi")).message.content == "Hello."


def test_a_script_with_an_invalid_answer_is_refused():
    with pytest.raises(ConfigError, match="text, calls or a Message"):
        ask(ScriptedProvider(lambda request: [1, 2]))
