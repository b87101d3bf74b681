"""`anthropic:MODEL`: the Messages API.

It has no `seed`, which is not sent; all results of a turn go back in one user message.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import ClassVar

from rightcall.core.errors import InputError
from rightcall.providers.base import ModelReply, ModelRequest, Prompt
from rightcall.providers.remote import Json, RemoteProvider, usage_beside_cache
from rightcall.records import Message
from rightcall.records.dialects import anthropic as spelling
from rightcall.records.dialects.endings import require_calls, stop_of

VERSION = "2023-06-01"
DEFAULT_MAX_TOKENS = 4096  # required by the API

TOKENS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
CHOICES = {"auto": "auto", "required": "any", "none": "none"}


class AnthropicProvider(RemoteProvider):
    """Claude, or a compatible server."""

    prefix: ClassVar[str] = "anthropic"
    models_path: ClassVar[str] = "/v1/models"
    path = "/v1/messages"
    key_header: ClassVar[str] = "x-api-key"

    write_tool = staticmethod(spelling.write_tool)

    @staticmethod
    def constant_fields(model: str, prompt: Prompt) -> Json:
        settings = prompt.settings
        choice: Json = {}
        if prompt.tools and (settings.tool_choice or settings.parallel_calls is not None):
            choice["type"] = CHOICES[settings.tool_choice or "auto"]
            if settings.parallel_calls is not None and choice["type"] != "none":
                choice["disable_parallel_tool_use"] = not settings.parallel_calls
        return {
            "model": model,
            "max_tokens": settings.max_tokens or DEFAULT_MAX_TOKENS,
            "system": prompt.system or None,
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "stop_sequences": settings.stop or None,
            "tool_choice": choice or None,
        }

    @staticmethod
    def request_fields(request: ModelRequest) -> Json:
        """The messages; system messages among them are added to the system text."""
        # an empty answer is refused
        spoken = [m for m in request.messages if m.content or m.calls or m.role != "assistant"]
        fields: Json = {"messages": spelling.write_messages(spoken)}
        if conversation_system := spelling.system_text(request.messages):
            fields["system"] = "\n\n".join(filter(None, (request.prompt.system, conversation_system)))
        return fields

    @staticmethod
    def read(body: Json, where: str) -> ModelReply:
        """Text, calls and thinking of all blocks; blocks of other types are skipped."""
        content = body.get("content")
        if not isinstance(content, list):
            raise InputError(where, f"has no list 'content', found {sorted(body)[:8]}")
        messages = spelling.read_messages([{"role": "assistant", "content": content}], where)
        calls = tuple(chain.from_iterable(message.calls for message in messages))
        text = "".join(message.content for message in messages if message.role == "assistant")
        thinking = tuple(chain.from_iterable(message.thinking for message in messages))
        require_calls(body.get("stop_reason"), calls, where, "the answer")
        return ModelReply(
            Message("assistant", text, calls, thinking=thinking),
            usage_beside_cache(body.get("usage"), *TOKENS),
            stop_of(body.get("stop_reason")),
            str(body.get("model") or ""),
        )

    def _headers(self) -> Mapping[str, str]:
        return {"anthropic-version": VERSION, **super()._headers()}
