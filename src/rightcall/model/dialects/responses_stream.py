"""The events of OpenAI's Responses and Realtime APIs."""

from __future__ import annotations

from typing import Any

from rightcall.core.errors import InputError
from rightcall.model.dialects import openai_responses
from rightcall.model.dialects.parts import read_part
from rightcall.model.dialects.reported_usage import responses_usage
from rightcall.model.dialects.spoken_message import part_label
from rightcall.model.dialects.stream_pieces import WHERE, AnswerStream
from rightcall.model.message import Message

ENDS = frozenset(("response.completed", "response.incomplete", "response.failed", "response.done"))
PIECES = (".delta", ".in_progress", ".searching", ".interpreting", ".generating", ".partial_image")


class ResponsesStream(AnswerStream):
    """Items as they are done, and the whole response at the end. An item that began must end in one of them."""

    def __init__(self) -> None:
        super().__init__()
        self._items: list[dict[str, Any]] = []
        self._begun: dict[Any, dict[str, Any]] = {}

    def add(self, event: dict[str, Any]) -> None:
        kind, item, response = str(event.get("type")), event.get("item"), event.get("response")
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
        self.ended, output = True, response.get("output")
        if isinstance(output, list) and output:
            self.leave(self._items)
            self._items, self._begun = [item for item in output if isinstance(item, dict)], {}
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
        return self.complete(openai_responses.read_messages(self._items, WHERE))


def _place_of(event: dict[str, Any], item: dict[str, Any]) -> Any:
    """What names an item in its events: its place in the output, otherwise its id."""
    index = event.get("output_index")
    return index if isinstance(index, int) else str(item.get("id"))
