"""Extended thinking: the API wants a model's thinking blocks back with the results of its calls."""

from __future__ import annotations

import json

from rightcall.core.codec import decode, encode
from rightcall.providers.anthropic import AnthropicProvider
from rightcall.providers.base import ModelRequest, Prompt
from rightcall.records.message import Message

THOUGHT = {"type": "thinking", "thinking": "It wants the weather.", "signature": "c2lnbmVk"}
HIDDEN = {"type": "redacted_thinking", "data": "ZW5jcnlwdGVk"}
CALL = {"type": "tool_use", "id": "t1", "name": "get_weather", "input": {"city": "Hue"}}


def test_thinking_goes_back_first_and_unchanged():
    reply = AnthropicProvider.read({"content": [THOUGHT, HIDDEN, CALL], "stop_reason": "tool_use"}, "reply")
    asked = Message("user", "Weather in Hue?")
    sent = AnthropicProvider.request_fields(ModelRequest(Prompt(), (asked, reply.message)))["messages"]
    assert sent[1]["content"] == [THOUGHT, HIDDEN, CALL]


def test_thinking_survives_the_store():
    message = AnthropicProvider.read({"content": [THOUGHT, CALL]}, "reply").message
    assert decode(encode(message), Message, "stored") == message
    assert json.loads(encode(message))["thinking"] == [THOUGHT]
