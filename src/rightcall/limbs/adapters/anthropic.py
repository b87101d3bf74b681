"""Anthropic SDK: loops of the user's own and the tool runner, sync, async or streamed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rightcall.limbs.adapters.sdk_requests import ClientAdapter, Json, ReadAnswer, Wire, watch_clients
from rightcall.records.dialects import anthropic as spelling
from rightcall.records.dialects.reported_usage import anthropic_usage
from rightcall.records.message import Message
from rightcall.records.tool import Tool

NAME = "anthropic"


class AnthropicSDK(ClientAdapter):
    """Watches `anthropic.Anthropic` and `AsyncAnthropic`, and the clients made from them (Bedrock, Vertex)."""

    def install(self) -> Callable[[], None]:
        import anthropic

        return watch_clients(WIRE, anthropic.Anthropic, anthropic.AsyncAnthropic)


ADAPTER = AnthropicSDK()


def _read_request(path: str, body: Json) -> tuple[Sequence[Message], Sequence[Tool]]:
    """The tool runner continues a thread with the new messages alone: those have no answer before them."""
    offered = [raw for raw in body.get("tools") or () if isinstance(raw, dict) and "input_schema" in raw]
    tools = [spelling.read_tool(raw, "tools") for raw in offered]
    return spelling.read_messages(body.get("messages") or [], "messages"), tools


def _read_reply(path: str, body: Json) -> ReadAnswer:
    answer = {"role": "assistant", "content": body.get("content") or []}
    usage = anthropic_usage(body.get("usage"))
    return ReadAnswer(spelling.read_messages([answer], "content"), usage, str(body.get("stop_reason") or ""))


WIRE = Wire(NAME, lambda path: path.endswith("/messages"), _read_request, _read_reply)
