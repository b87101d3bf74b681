"""The format of OpenAI's Responses API: flat function tools and a list of items instead of messages.

An assistant message and the calls after it are one turn, so they are read as one message; text after
calls joins them too. It cannot express a tool's title and annotations; that a result is an error, its name,
or an output that is not text (written as JSON text, null as ""); two assistant messages in a row
of which the first only has calls or the second has no text. Calls of the provider's own tools (`web_search_call`, …)
are read as calls of `web_search`, …; reasoning is skipped.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from rightcall.core.errors import InputError
from rightcall.records.dialects import wire
from rightcall.records.dialects.messages import read_items
from rightcall.records.dialects.openai import read_function
from rightcall.records.dialects.parts import read_part
from rightcall.records.dialects.reported_usage import responses_usage
from rightcall.records.dialects.spoken_message import part_label
from rightcall.records.dialects.stream_pieces import WHERE, AnswerStream
from rightcall.records.message import Message
from rightcall.records.tool import Tool


def read_tool(raw: dict[str, Any], where: str) -> Tool:
    """A flat function tool; also a bare `{name, description, parameters}`."""
    tool = read_function(raw, where, "")
    if raw.get("output_schema") is None:
        return tool
    return replace(tool, output_schema=wire.field(raw, "output_schema", dict, where, path=""))


def write_tool(tool: Tool) -> dict[str, Any]:
    """A tool definition for a request.

    `strict` is written because its absence makes this API rewrite the schema when it can.
    """
    described = {"description": tool.description} if tool.description else {}
    written = {"type": "function", "name": tool.name, **described, "parameters": tool.input_schema}
    if tool.output_schema is not None:
        written["output_schema"] = tool.output_schema
    return {**written, "strict": False}


def read_messages(raw: list[dict[str, Any]], where: str) -> tuple[Message, ...]:
    """Items as messages: what the model emitted at once is one assistant message."""
    return read_items(raw, where, joins=True)


def write_messages(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Items for a request's `input`."""
    items: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "tool":
            items += [
                {
                    "type": "function_call_output",
                    "call_id": result.call_id,
                    "output": wire.output_text(result.output),
                }
                for result in wire.results_of(message)
            ]
            continue
        if message.content or not message.calls:
            items.append({"type": "message", "role": message.role, "content": message.content})
        items += [
            {
                "type": "function_call",
                "call_id": call.id,
                "name": call.name,
                "arguments": wire.arguments_text(call),
            }
            for call in message.calls
        ]
    return items


ENDS = frozenset(("response.completed", "response.incomplete", "response.failed", "response.done"))
PIECES = (".delta", ".in_progress", ".searching", ".interpreting", ".generating", ".partial_image")


class ResponsesStream(AnswerStream):
    """Items as they are done, and the whole response at the end. An item that began must end in one of them."""

    def __init__(self) -> None:
        super().__init__()
        self._items: list[dict[str, Any]] = []
        self._begun: dict[Any, dict[str, Any]] = {}

    def add(self, event: dict[str, Any]) -> None:
        kind = str(event.get("type"))
        item = event.get("item")
        response = event.get("response")
        if kind == "response.output_item.added" and isinstance(item, dict):
            self._begun[_place_of(event, item)] = item
        elif kind == "response.output_item.done" and isinstance(item, dict):
            self._begun.pop(_place_of(event, item), None)
            self._items.append(item)
        elif kind in ENDS and isinstance(response, dict):
            self._end(response)
        elif not kind.endswith(PIECES):
            self.leave(event)

    def _end(self, response: dict[str, Any]) -> None:
        self.ended = True
        output = response.get("output")
        if isinstance(output, list) and output:
            self.leave(self._items)
            self._items = [item for item in output if isinstance(item, dict)]
            self._begun = {}
        self.usage = responses_usage(response.get("usage"))
        self.finish = str((response.get("incomplete_details") or {}).get("reason") or "")
        self.error = str((response.get("error") or {}).get("message") or "")
        if response.get("status") in ("failed", "cancelled"):
            self.error = self.error or f"the response has {response['status']}"

    def messages(self) -> tuple[Message, ...]:
        for item in self._begun.values():
            part = read_part(item)
            if part.call is not None or not (part.known or item.get("type") == "message"):
                problem = f"ended before {part_label(item)} was complete"
                raise InputError(WHERE, problem, "read the stream to its end")
        return self.complete(read_messages(self._items, WHERE))


def _place_of(event: dict[str, Any], item: dict[str, Any]) -> Any:
    """What names an item in its events: its place in the output, otherwise its id."""
    index = event.get("output_index")
    return index if isinstance(index, int) else str(item.get("id"))
