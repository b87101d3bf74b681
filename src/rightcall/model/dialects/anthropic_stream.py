"""The events of Anthropic's Messages API."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from rightcall.core.codec import encode
from rightcall.core.errors import InputError
from rightcall.model.dialects.reported_usage import anthropic_usage
from rightcall.model.dialects.stream_pieces import WHERE, AnswerStream, StreamedCall, require_part
from rightcall.model.message import Message
from rightcall.model.trajectory import token_count


class AnthropicStream(AnswerStream):
    """Blocks by index; every `message_start` starts an answer."""

    def __init__(self) -> None:
        super().__init__()
        self._answers: list[dict[int, list[str] | StreamedCall]] = []
        self._counts: dict[str, int] = {}

    def add(self, event: dict[str, Any]) -> None:
        kind, index = event.get("type"), event.get("index")
        if kind == "message_start" or not self._answers:
            self._answers.append({})
        place = index if isinstance(index, int) else 0
        if kind == "message_start" and isinstance(message := event.get("message"), dict):
            self._count(message.get("usage"))
            self.leave(message)
        elif kind == "content_block_start":
            self._begin(place, event.get("content_block"))
        elif kind == "content_block_delta":
            self._continue(place, event.get("delta"))
        elif kind == "message_delta":
            delta = event.get("delta")
            self.finish = str((delta if isinstance(delta, dict) else {}).get("stop_reason") or self.finish)
            self._count(event.get("usage"))
            self.leave(delta)
        elif kind == "message_stop":
            self.ended = True
        elif kind == "error":
            error = event.get("error")
            self.error = str((error if isinstance(error, dict) else {}).get("message") or "error")
        else:
            self.leave(event)

    def _begin(self, index: int, block: Any) -> None:
        blocks, part = self._answers[-1], require_part(block)
        if part.call is not None:
            call = blocks[index] = StreamedCall(str(part.call.id or ""), str(part.call.name or ""))
            if isinstance(part.call.arguments, dict) and part.call.arguments:
                call.more(encode(part.call.arguments).decode())
        elif part.text is not None:
            blocks[index] = [str(part.text)]
        elif part.result is None:
            self.leave(block)

    def _continue(self, index: int, delta: Any) -> None:
        block = self._answers[-1].get(index)
        if not isinstance(delta, dict):
            return
        if isinstance(block, StreamedCall):
            block.more(delta.get("partial_json"))
        elif isinstance(delta.get("partial_json"), str) and block is None:
            raise InputError(WHERE, f"has the arguments of a call in block {index}, which never began")
        elif isinstance(block, list) and isinstance(delta.get("text"), str):
            block.append(delta["text"])
        else:
            self.leave(delta)

    def messages(self) -> tuple[Message, ...]:
        messages = []
        for answer in filter(None, self._answers):
            blocks = [block for _, block in sorted(answer.items(), key=itemgetter(0))]
            text = "".join("".join(block) for block in blocks if isinstance(block, list))
            calls = tuple(block.call({}) for block in blocks if isinstance(block, StreamedCall))
            messages.append(Message("assistant", text, calls))
        return self.complete(tuple(messages))

    def _count(self, usage: Any) -> None:
        """Totals so far; the last event has the whole output, the first the whole input."""
        if isinstance(usage, dict):
            for name, count in usage.items():
                self._counts[name] = max(self._counts.get(name, 0), token_count(count))
            self.usage = anthropic_usage(self._counts)
