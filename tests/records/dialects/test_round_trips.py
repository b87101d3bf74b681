"""What a spelling can express comes back equal, also when the reader has to find out the spelling."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given

from rightcall.records import Message, Tool
from rightcall.records.dialects import (
    SPELLINGS,
    anthropic,
    mcp,
    native,
    openai,
    openai_responses,
    read_messages,
    read_tool,
)

from .strategies import conversations, full_tools, parsed, plain_tools, unparsed


def through_json(value):
    return msgspec.json.decode(msgspec.json.encode(value))


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
@given(tool=plain_tools)
def test_name_description_and_schema_survive_every_spelling(spelling, tool: Tool):
    assert spelling.read_tool(through_json(spelling.write_tool(tool)), "here") == tool
    assert read_tool(spelling.write_tool(tool), "here") == tool


@pytest.mark.parametrize("spelling", [native, mcp])
@given(tool=full_tools)
def test_mcp_and_our_own_spelling_keep_everything_of_a_tool(spelling, tool: Tool):
    assert spelling.read_tool(through_json(spelling.write_tool(tool)), "here") == tool
    assert read_tool(spelling.write_tool(tool), "here") == tool


@given(messages=conversations(parsed | unparsed))
def test_chat_completions_keep_a_conversation(messages: tuple[Message, ...]):
    written = through_json(openai.write_messages(messages))
    assert openai.read_messages(written, "here") == read_messages(written, "here") == messages


@given(messages=conversations(parsed | unparsed))
def test_responses_items_keep_a_conversation(messages: tuple[Message, ...]):
    written = through_json(openai_responses.write_messages(messages))
    assert openai_responses.read_messages(written, "here") == read_messages(written, "here") == messages


@given(messages=conversations(parsed, errors=True))
def test_anthropic_messages_keep_a_conversation_and_errors(messages: tuple[Message, ...]):
    written = through_json(anthropic.write_messages(messages))
    assert anthropic.read_messages(written, "here") == read_messages(written, "here") == messages


@given(messages=conversations(parsed | unparsed, errors=True))
def test_our_own_spelling_keeps_everything(messages: tuple[Message, ...]):
    written = through_json(native.write_messages(messages))
    assert native.read_messages(written, "here") == read_messages(written, "here") == messages
