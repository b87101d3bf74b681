"""Streams: every call is read, or the stream is refused; unknown events that hold no call are skipped."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rightcall.agents.remote.agent_reply import ReplyReader, UnreadableReplyError
from rightcall.core.errors import ProviderError

CALL = {"id": "c", "function": {"name": "f", "arguments": '{"a": 1}'}}
ITEM = {"type": "function_call", "id": "i", "call_id": "c", "name": "f", "arguments": '{"a": 1}'}
START = {
    "type": "message_start",
    "message": {"role": "assistant", "content": [], "usage": {"input_tokens": 1}},
}


def chat(delta: Any, **more: Any) -> Any:
    return {"id": "x", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, **more}]}


def block(kind: str, index: int = 0, **more: Any) -> Any:
    return {"type": f"content_block_{kind}", "index": index, **more}


END: list[Any] = [
    {"type": "message_stop"},
    {"type": "response.completed", "response": {}},
    {"type": "RUN_FINISHED"},
    {"type": "finish"},
    "[DONE]",
]
"""The last events of all formats: each takes its own, and skips the others."""


def calls_of(events: list[Any], end: list[Any] = END) -> list[tuple[str, Any]]:
    events = [*events, *end]
    content = "".join(f"data: {e if isinstance(e, str) else json.dumps(e)}\n\n" for e in events).encode()
    return [(call.name, call.arguments) for call in ReplyReader({}).read(content, "", stream=True).calls]


READ: dict[str, list[Any]] = {
    "chat": [chat({"tool_calls": [{"index": 0, **CALL}]}), "[DONE]"],
    "chat, in pieces": [
        chat({"role": "assistant", "content": ""}),
        chat({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": ""}}]}),
        chat({"tool_calls": [{"index": 0, "function": {"arguments": '{"a":'}}]}),
        chat({"tool_calls": [{"index": 0, "function": {"arguments": " 1}"}}]}, finish_reason="tool_calls"),
    ],
    "chat, name and id in every piece": [
        chat({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": '{"a":'}}]}),
        chat({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": " 1}"}}]}),
    ],
    "chat, arguments as an object": [chat({"tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]})],
    "chat, content in parts": [
        chat({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]}),
        chat({"content": [{"type": "text", "text": "One moment."}], "tool_calls": [CALL]}),
    ],
    "chat, the whole message again": [chat({"tool_calls": [CALL]}), chat({}, message={"tool_calls": [CALL]})],
    "chat, other events": [{"object": "ping", "data": {"x": 1}, "choices": []}, chat({"tool_calls": [CALL]})],
    "anthropic": [
        START, block("start", content_block={"type": "text", "text": ""}),
        block("delta", delta={"type": "text_delta", "text": "Hm."}),
        block("start", 1, content_block={"type": "tool_use", "id": "c", "name": "f", "input": {}}),
        block("delta", 1, delta={"type": "input_json_delta", "partial_json": '{"a": 1}'}),
        block("stop", 1), {"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "ping"},
    ],
    "anthropic, thinking and citations": [
        START, block("start", content_block={"type": "thinking", "thinking": "", "signature": ""}),
        block("delta", delta={"type": "thinking_delta", "thinking": "Hm."}),
        block("delta", delta={"type": "signature_delta", "signature": "s"}),
        block("start", 1, content_block={"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}}),
    ],
    "responses": [
        {"type": "response.created", "response": {"tools": [{"type": "function", "name": "f", "parameters": {}}]}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**ITEM, "arguments": ""}},
        {"type": "response.function_call_arguments.done", "item_id": "i", "name": "f", "arguments": '{"a": 1}'},
        {"type": "response.output_item.done", "output_index": 0, "item": ITEM},
        {"type": "response.completed", "response": {"output": [ITEM]}},
    ],
    "responses, without a list at the end": [
        {"type": "response.output_item.done", "output_index": 0, "item": ITEM},
        {"type": "response.completed", "response": {"output": []}},
    ],
    "realtime": [{"type": "response.created", "response": {}}, {"type": "response.done", "response": {"output": [ITEM]}}],
    "ag-ui": [
        {"type": "RUN_STARTED", "input": {"tools": [{"name": "f", "parameters": {"properties": {}}}]}},
        {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"a": 1}'},
        {"type": "MESSAGES_SNAPSHOT", "messages": [
            {"role": "user", "content": "a"}, {"role": "assistant", "toolCalls": [{"id": "old", **CALL}]},
            {"role": "user", "content": "b"}, {"role": "assistant", "toolCalls": [CALL]},
        ]},
    ],
    "ag-ui, a snapshot alone": [
        {"type": "RUN_STARTED"}, {"type": "MESSAGES_SNAPSHOT", "messages": [{"role": "assistant", "toolCalls": [CALL]}]},
    ],
    "ag-ui, a call that is only in the snapshot": [
        {"type": "TEXT_MESSAGE_CONTENT", "delta": "Hm."},
        {"type": "MESSAGES_SNAPSHOT", "messages": [{"role": "assistant", "toolCalls": [CALL]}]},
    ],
    "ai sdk": [
        {"type": "start"}, {"type": "start-step"}, {"type": "reasoning-start", "id": "r"},
        {"type": "reasoning-delta", "id": "r", "delta": "Hm."}, {"type": "reasoning-end", "id": "r"},
        {"type": "tool-input-available", "toolCallId": "c", "toolName": "f", "input": {"a": 1}},
        {"type": "tool-output-error", "toolCallId": "c", "errorText": "gone"}, {"type": "finish-step"},
    ],
    "ai sdk, arguments in pieces": [
        {"type": "tool-input-start", "toolCallId": "c", "toolName": "f"},
        {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": '{"a":'},
        {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": " 1}"},
    ],
    "ai sdk, arguments that break the schema": [
        {"type": "start-step"},
        {"type": "tool-input-error", "toolCallId": "c", "toolName": "f", "input": {"a": 1}, "errorText": "no"},
    ],
    "ai sdk, its own parts": [
        {"type": "text-delta", "id": "t", "text": "Hm."}, {"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {"a": 1}},
        {"type": "tool-result", "toolCallId": "c", "toolName": "f", "input": {"a": 1}, "output": 3},
    ],
}  # fmt: skip

REFUSED: dict[str, list[Any]] = {
    "chat, a call without a name": [chat({"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]})],
    "chat, calls that are no list": [chat({"tool_calls": {"0": CALL}})],
    "chat, a call in an unknown field": [chat({"content": "Hi.", "executed_tools": [{"name": "f", "arguments": "{}"}]})],
    "chat, a call that is only in the content": [chat({"content": [{"type": "tool_use", "name": "f", "input": {}}]})],
    "chat, an unknown part": [chat({"content": [{"type": "hologram"}]})],
    "chat, a message instead of a delta": [{"choices": [{"index": 0, "message": {"tool_calls": [CALL]}}]}],
    "chat, an event that is cut off": [chat({"content": "Hi."}), '{"choices": [{"delta": {"tool_calls": [{"ind'],
    "anthropic, content at the start": [
        {"type": "message_start", "message": {"content": [{"type": "tool_use", "name": "f", "input": {}}]}}],
    "anthropic, arguments of no block": [START, block("delta", 3, delta={"partial_json": "{}"})],
    "anthropic, a call in an unknown event": [START, {"type": "tool_use", "name": "f", "input": {}}],
    "responses, an item that never ends": [
        {"type": "response.created"}, {"type": "response.output_item.added", "output_index": 0, "item": ITEM}],
    "responses, an item that the end lacks": [
        {"type": "response.output_item.done", "item": ITEM},
        {"type": "response.completed", "response": {"output": [{"type": "message", "role": "assistant", "content": []}]}},
    ],
    "responses, arguments of an item that nobody named": [
        {"type": "response.function_call_arguments.done", "name": "f", "arguments": "{}"}],
    "ag-ui, arguments of no call": [{"type": "RUN_STARTED"}, {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}"}],
    "ag-ui, a call in a custom event": [{"type": "CUSTOM", "name": "x", "value": {"name": "f", "args": {"a": 1}}}],
    "ai sdk, a call in a part of the application": [
        {"type": "start-step"}, {"type": "data-agent", "data": {"name": "f", "args": {"a": 1}}}],
    "an event before the stream": [{"tool": "f", "tool_input": {}}, chat({"content": "Hi."})],
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_a_stream_with_a_call_is_read(name: str) -> None:
    assert calls_of(READ[name]) == [("f", {"a": 1})]


@pytest.mark.parametrize("name", REFUSED)
def test_a_stream_whose_call_cannot_be_read_is_refused(name: str) -> None:
    with pytest.raises(UnreadableReplyError):
        calls_of(REFUSED[name])


@pytest.mark.parametrize("ids", [True, False], ids=["with ids", "without ids"])
@pytest.mark.parametrize("index", [{"index": 0}, {}], ids=["same index", "no index"])
def test_whole_calls_with_one_index_are_several(ids: bool, index: Any) -> None:
    events = [
        chat({"tool_calls": [{**index, **({"id": f"c{n}"} if ids else {}), "function": {"name": "f", "arguments": f'{{"a": {n}}}'}}]})
        for n in (1, 2)
    ]  # fmt: skip
    assert calls_of(events) == [("f", {"a": 1}), ("f", {"a": 2})]


UNFINISHED: dict[str, list[Any]] = {
    "chat": [chat({"role": "assistant", "content": "Let me look"})],
    "chat, that broke": [chat({"content": "Let me look"}, finish_reason="error")],
    "chat, whose call was lost": [chat({"content": "Let me look"}, finish_reason="tool_calls")],
    "anthropic": [START, block("start", content_block={"type": "text", "text": "Let me look"})],
    "responses": [{"type": "response.created", "response": {"status": "in_progress"}}],
    "ag-ui": [{"type": "RUN_STARTED"}, {"type": "TEXT_MESSAGE_CONTENT", "delta": "Let me look"}],
    "ai sdk": [{"type": "text-start", "id": "t"}, {"type": "text-delta", "id": "t", "delta": "Let me look"}],
}


@pytest.mark.parametrize(
    ("events", "stop", "error"),
    [
        ([{"type": "error", "errorText": "overloaded"}, {"type": "finish", "finishReason": "error"}], "agent_error", "overloaded"),
        ([{"type": "start-step"}, {"type": "abort", "reason": "closed"}], "agent_error", "closed"),
        ([{"type": "text-delta", "id": "t", "delta": "a"}, {"type": "finish", "finishReason": "length"}], "truncated", ""),
    ],
)  # fmt: skip
def test_how_a_stream_of_the_ai_sdk_ended_is_read(events: list[Any], stop: str, error: str) -> None:
    content = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()
    trajectory = ReplyReader({}).read(content, "", stream=True)
    assert (trajectory.stop_reason, trajectory.error) == (stop, error)


@pytest.mark.parametrize("name", UNFINISHED)
def test_a_stream_that_stops_in_the_middle_is_refused(name: str) -> None:
    with pytest.raises(ProviderError, match=r"stopped before its last event|ended with"):
        calls_of(UNFINISHED[name], end=[])
