"""How an answer ended, as its provider says: whole, cut off, refused, broken, or not yet."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Literal

from rightcall.core.errors import InputError
from rightcall.core.text import one_line
from rightcall.records.call import ToolCall
from rightcall.records.dialects.message_fields import ENDINGS

Stop = Literal["done", "truncated", "refused", "filtered"]

_STOPS: dict[str, Stop] = {
    **dict.fromkeys(("length", "model_length", "max_tokens", "max_output_tokens"), "truncated"),
    "model_context_window_exceeded": "truncated",
    "refusal": "refused",
    **dict.fromkeys(("content_filter", "content_filtered", "guardrail_intervened"), "filtered"),
    **dict.fromkeys(
        ("safety", "recitation", "language", "blocklist", "prohibited_content", "spii"), "filtered"
    ),
}
"""Words of providers, SDKs and traces, in small letters and with underscores."""
CALLED = frozenset(("tool_calls", "tool_call", "tool_use", "function_call"))
"""Reasons to end that say: the answer has calls."""
LOST = frozenset(
    ("malformed_function_call", "unexpected_tool_call", "too_many_tool_calls", "malformed_tool_use",
     "malformed_model_output", "malformed_response")
)  # fmt: skip
"""Reasons to end of an answer whose calls are not shown: Gemini and Bedrock."""
BROKEN = frozenset(("error", "timeout", "failed", "cancelled"))
UNFINISHED = frozenset(("queued", "in_progress", "pause_turn"))
ASK_AGAIN = "ask again, or let the agent raise an error"


class UnfinishedAnswerError(InputError):
    """The model or its server broke off: nobody knows what the answer would have been."""


def stop_of(finish: object) -> Stop:
    """How an answer ended, given the finish reason of any provider or SDK; most of them mean that it is complete."""
    return _STOPS.get(_word(finish), "done")


def is_broken_end(finish: object) -> bool:
    """Whether an answer says that it broke off, or that its calls were lost."""
    return _word(finish) in BROKEN | LOST


def is_end_with_calls(finish: object) -> bool:
    """Whether an answer says that it ended with calls."""
    return _word(finish) in CALLED


def require_calls(finish: object, calls: Sequence[ToolCall], where: str, path: str) -> None:
    """Reject an answer that ended with calls, and has none."""
    if not calls and is_end_with_calls(finish):
        problem = f"{path} ended with {finish}, but has no call: it was lost on its way"
        raise UnfinishedAnswerError(where, problem, "ask again, or check how the model's server parses calls")


def require_end(finish: object, where: str, path: str) -> None:
    """Reject an answer that broke, lost its calls, or is not finished."""
    word = _word(finish)
    if word in LOST:
        problem = f"{path} ended with {finish}: the model wrote a call that its server could not read"
        raise UnfinishedAnswerError(where, problem, "ask again, or simplify the tool's parameters")
    if word in BROKEN:
        raise UnfinishedAnswerError(
            where, f"{path} ended with {finish}: the model gave no whole answer", ASK_AGAIN
        )
    if word in UNFINISHED:
        raise UnfinishedAnswerError(
            where, f"{path} is not finished: {finish}", "wait until it is, or ask for the rest"
        )


def finish_of(document: dict[str, Any]) -> object:
    """The reason to end that a response or a message states; None when it states none."""
    for name in ("choices", "candidates"):
        if isinstance(entries := document.get(name), list) and entries and isinstance(entries[0], dict):
            message = entries[0].get("message")
            is_refusal = isinstance(message, dict) and message.get("refusal")
            return "refusal" if is_refusal else finish_of(entries[0])
    if isinstance(items := document.get("output"), list) and isinstance(
        status := document.get("status"), str
    ):
        parts = chain.from_iterable(
            item["content"]
            for item in items
            if isinstance(item, dict) and isinstance(item.get("content"), list)
        )
        if any(isinstance(part, dict) and part.get("type") == "refusal" for part in parts):
            return "refusal"
        return _response_finish(document, status)
    if document.get("done") is False and isinstance(document.get("message"), dict):
        return "in_progress"  # a piece of Ollama's stream
    metadata = document.get("response_metadata")  # LangChain
    for held in (document, metadata if isinstance(metadata, dict) else {}):
        for name in (*ENDINGS, "done_reason"):
            if isinstance(reason := held.get(name), str):
                return reason
    return None


def stop_of_answer(raw: Any) -> Stop:
    """How a response or the last of several messages ended."""
    last = raw[-1] if isinstance(raw, list) and raw else raw
    return stop_of(finish_of(last)) if isinstance(last, dict) else "done"


def _response_finish(document: dict[str, Any], status: str) -> str:
    """The status of the Responses API, with its reason."""
    if status == "incomplete":
        details = document.get("incomplete_details")
        reason = details.get("reason") if isinstance(details, dict) else ""
        return reason if reason == "content_filter" else "max_output_tokens"
    error = document.get("error")
    words = error.get("message") if isinstance(error, dict) else error
    return f"{status} ({one_line(str(words), 200)})" if status in BROKEN and words else status


def _word(finish: object) -> str:
    return str(finish).lower().partition(" ")[0].rpartition(".")[2].replace("-", "_")
