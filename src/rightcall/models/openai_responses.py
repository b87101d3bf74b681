"""`openai-responses:MODEL`: the Responses API. Nothing is stored on the server (`store: false`).

It has no `seed`; `stop` is rejected, because it would be ignored.
"""

from __future__ import annotations

from typing import Any, ClassVar

from rightcall.core.errors import ConfigError, InputError, ProviderError
from rightcall.core.redaction.clean_text import scrub
from rightcall.core.text import one_line
from rightcall.model import Message
from rightcall.model.dialects import openai_responses as spelling
from rightcall.models.base import ModelReply, ModelRequest, Prompt, Stop
from rightcall.models.remote import Json, RemoteProvider, usage_of

CACHED = ("input_tokens_details", "cached_tokens")
PASSING = ("server_error", "rate_limit_exceeded")


class OpenAIResponsesProvider(RemoteProvider):
    """GPT models, or any server with `/responses`."""

    prefix: ClassVar[str] = "openai-responses"
    path = "/responses"

    write_tool = staticmethod(spelling.write_tool)

    @staticmethod
    def constant_fields(model: str, prompt: Prompt) -> Json:
        settings = prompt.settings
        if settings.stop:
            raise ConfigError(
                "the Responses API has no setting 'stop'; use openai: instead of openai-responses:"
            )
        return {
            "model": model,
            "instructions": prompt.system or None,
            "max_output_tokens": settings.max_tokens,
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "tool_choice": settings.tool_choice if prompt.tools else None,
            "parallel_tool_calls": settings.parallel_calls if prompt.tools else None,
            "store": False,
        }

    @staticmethod
    def varying(request: ModelRequest) -> Json:
        return {"input": spelling.write_messages(request.messages)}

    @staticmethod
    def read(body: Json, where: str) -> ModelReply:
        status = body.get("status")
        if status == "failed":
            raise _response_error(body.get("error"))
        output = body.get("output")
        if not isinstance(output, list) or not all(isinstance(item, dict) for item in output):
            raise InputError(where, f"has no list 'output' of objects, found {sorted(body)[:8]}")
        if status not in ("completed", "incomplete", None):
            raise InputError(where, f"status is {status!r}: the response is not complete")
        assistant_messages = [m for m in spelling.read_messages(output, where) if m.role == "assistant"]
        text = "".join(message.content for message in assistant_messages)
        calls = tuple(call for message in assistant_messages for call in message.calls)
        return ModelReply(
            Message("assistant", text, calls),
            usage_of(body.get("usage"), "input_tokens", "output_tokens", CACHED),
            _stop(body, output),
            str(body.get("model") or ""),
        )


def _stop(body: Json, output: list[Json]) -> Stop:
    if body.get("status") == "incomplete":
        details = body.get("incomplete_details")
        reason = details.get("reason") if isinstance(details, dict) else ""
        return "refused" if reason == "content_filter" else "truncated"
    contents = [item["content"] for item in output if isinstance(item.get("content"), list)]
    parts = [part for content in contents for part in content if isinstance(part, dict)]
    return "refused" if any(part.get("type") == "refusal" for part in parts) else "done"


def _response_error(error: Any) -> ProviderError:
    code = str(error.get("code")) if isinstance(error, dict) else ""
    words = error.get("message") if isinstance(error, dict) else error
    return ProviderError(
        f"the model failed: {scrub(one_line(str(words or code or 'no reason given')))}",
        kind="rate_limit" if code == "rate_limit_exceeded" else "server" if code in PASSING else "rejected",
        retryable=code in PASSING,
    )
