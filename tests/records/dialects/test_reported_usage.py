"""Tokens as each format reports them, whole and streamed: cached ones are part of the input, none at all is unknown."""

from __future__ import annotations

from typing import Any

import pytest

from rightcall.records import Usage
from rightcall.records.dialects.reported_usage import anthropic_usage, chat_usage, responses_usage
from rightcall.records.dialects.streams import stream_of
from rightcall.records.trajectory import UNKNOWN_USAGE
from tests.limbs.adapters.model_server import anthropic_reply, chat_reply, responses_reply
from tests.limbs.adapters.script import Answer

FORMATS = [
    pytest.param(chat_reply, chat_usage, id="chat"),
    pytest.param(lambda answer: responses_reply(answer, 1), responses_usage, id="responses"),
    pytest.param(lambda answer: anthropic_reply(answer, 1), anthropic_usage, id="anthropic"),
]


@pytest.mark.parametrize(("reply", "read"), FORMATS)
def test_cached_tokens_are_part_of_the_input_whole_or_streamed(reply: Any, read: Any):
    whole, events = reply(Answer("Hello", usage=(120, 12), cached=80))
    assert read(whole["usage"]) == Usage(120, 12, cached_tokens=80)
    assert _streamed(events) == Usage(120, 12, cached_tokens=80)


@pytest.mark.parametrize(("reply", "read"), FORMATS[:2])
def test_a_reply_without_usage_leaves_it_unknown(reply: Any, read: Any):
    whole, events = reply(Answer("Hello", usage=None))
    assert read(whole.get("usage")) == UNKNOWN_USAGE == _streamed(events)


@pytest.mark.parametrize("odd", [None, [], "100", {}, {"prompt_tokens": "many"}, {"input_tokens": -1}])
def test_odd_usage_is_never_an_error(odd: Any):
    for read in (chat_usage, responses_usage, anthropic_usage):
        usage = read(odd)
        assert usage in (UNKNOWN_USAGE, Usage(0, 0))


def test_what_was_written_to_the_cache_is_input_too():
    usage = {
        "input_tokens": 10,
        "output_tokens": 1,
        "cache_read_input_tokens": 20,
        "cache_creation_input_tokens": 30,
    }
    assert anthropic_usage(usage) == Usage(60, 1, cached_tokens=20)


def _streamed(events: list[dict[str, Any]]) -> Usage:
    stream = stream_of(events[0])
    assert stream is not None
    for event in events:
        stream.add(event)
    return stream.usage
