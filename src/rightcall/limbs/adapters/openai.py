"""OpenAI SDK: loops of the user's own on chat completions or responses, sync, async or streamed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rightcall.limbs.adapters.sdk_requests import ClientAdapter, Json, ReadAnswer, Wire, watch_clients
from rightcall.records.dialects import openai as chat, openai_responses, read_tool
from rightcall.records.dialects.documents import one_answer
from rightcall.records.dialects.endings import finish_of
from rightcall.records.dialects.reported_usage import chat_usage, responses_usage
from rightcall.records.message import Message
from rightcall.records.tool import Tool

NAME = "openai"
PATHS = ("/chat/completions", "/responses")


class OpenAISDK(ClientAdapter):
    """Watches `openai.OpenAI` and `openai.AsyncOpenAI`, and the clients made from them (Azure)."""

    def install(self) -> Callable[[], None]:
        import openai

        return watch_clients(WIRE, openai.OpenAI, openai.AsyncOpenAI)


ADAPTER = OpenAISDK()


def _read_request(path: str, body: Json) -> tuple[Sequence[Message], Sequence[Tool]]:
    tools = [tool for raw in body.get("tools") or () if (tool := _tool(raw)) is not None]
    if path.endswith("/responses"):
        items = body.get("input")
        if isinstance(items, str):
            return [Message("user", items)], tools
        return (openai_responses.read_messages(items, "input") if isinstance(items, list) else ()), tools
    return chat.read_messages(body.get("messages") or [], "messages"), tools


def _tool(raw: Any) -> Tool | None:
    """A function tool; hosted ones have no schema and are run elsewhere."""
    if not isinstance(raw, dict) or not ("function" in raw or raw.get("type") == "function"):
        return None
    return read_tool(raw, "tools")


def _read_reply(path: str, body: Json) -> ReadAnswer:
    usage = body.get("usage")
    if path.endswith("/responses"):
        messages = openai_responses.read_messages(body.get("output") or [], "output")
        return ReadAnswer(messages, responses_usage(usage), str(finish_of(body) or ""))
    choices = body.get("choices") or []
    items = one_answer(choices, "choices", "reply") if choices else []
    return ReadAnswer(chat.read_messages(items, "reply"), chat_usage(usage), str(finish_of(body) or ""))


WIRE = Wire(NAME, lambda path: path.endswith(PATHS), _read_request, _read_reply)
