"""Streamed answers, event by event: chat chunks, Anthropic's and Responses' events, AG-UI, the AI SDK. Pure.

`stream_of(event)` starts the stream that such an event belongs to; `stream.messages()` is the content so far,
as RightCall messages. Unknown events are skipped, because providers add new kinds all the time, unless one holds a call
that the stream does not have otherwise. Unknown blocks are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rightcall.model.dialects.anthropic import AnthropicStream
from rightcall.model.dialects.openai_chat import ChatStream
from rightcall.model.dialects.openai_responses import ResponsesStream
from rightcall.model.dialects.stream_pieces import AnswerStream
from rightcall.model.dialects.ui_stream import AguiStream, UiMessageStream, begins_ui_stream
from rightcall.model.message import Message


def stream_of(event: dict[str, Any]) -> AnswerStream | None:
    """A new stream for this event's format; None when it has none."""
    kind = event.get("type")
    if isinstance(event.get("choices"), list):
        return ChatStream()
    if not isinstance(kind, str):
        return None
    if kind.startswith("response."):
        return ResponsesStream()
    if kind in ("message_start", "content_block_start", "content_block_delta", "message_delta"):
        return AnthropicStream()
    if begins_ui_stream(event):
        return UiMessageStream()
    return AguiStream() if kind.isupper() else None


def text_of(messages: Sequence[Message]) -> str:
    return "".join(message.content for message in messages if message.role == "assistant")
