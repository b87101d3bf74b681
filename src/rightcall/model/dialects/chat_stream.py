"""OpenAI's chat completion chunks, which most servers send."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from rightcall.core.codec import encode
from rightcall.core.errors import InputError
from rightcall.model.dialects.reported_usage import chat_usage
from rightcall.model.dialects.stream_pieces import WHERE, AnswerStream, StreamedCall, require_part
from rightcall.model.message import Message

READ = frozenset(("role", "content", "refusal", "tool_calls", "function_call"))


class _Answer:
    def __init__(self) -> None:
        self.texts: list[str] = []
        self.calls: list[StreamedCall] = []
        self.open: dict[int, StreamedCall] = {}

    def add_piece(self, piece: Any, place: int) -> None:
        """A piece of a call. Some servers send whole calls, all of them with the same index or with none."""
        if not isinstance(piece, dict):
            raise InputError(WHERE, f"has a call that is not an object: {str(piece)[:60]}")
        index, held = piece.get("index"), piece.get("function") or piece.get("custom")
        key, function = index if isinstance(index, int) else place, held if isinstance(held, dict) else {}
        call_id, name = str(piece.get("id") or ""), str(function.get("name") or "")
        call = self.open.get(key)
        if call is None or _is_another(call, call_id, name):
            call = self.open[key] = StreamedCall()
            self.calls.append(call)
        call.id, call.name = call_id or call.id, name or call.name
        arguments = function.get("arguments", function.get("input"))
        call.more(encode(arguments).decode() if isinstance(arguments, dict) else arguments)


def _is_another(call: StreamedCall, call_id: str, name: str) -> bool:
    """Whether a piece begins another call: by its id; without ids, a name after arguments that are complete."""
    if call_id and call.id:
        return call_id != call.id
    if not name or not call.name:
        return False
    return name != call.name or (call.call({}).arguments is not None and bool(call.arguments))


class ChatStream(AnswerStream):
    """Chunks by the `id` of their answer. Only the first choice may call."""

    def __init__(self) -> None:
        super().__init__()
        self._answers: dict[str, _Answer] = {}

    def add(self, event: dict[str, Any]) -> None:
        choices = event.get("choices")
        if isinstance(usage := event.get("usage"), dict):
            self.usage = chat_usage(usage)
        self.leave(_containers(event, ("choices", "usage")))
        if not isinstance(choices, list):
            return
        answer = self._answers.setdefault(str(event.get("id") or ""), _Answer())
        for choice in choices:
            delta = choice.get("delta") if isinstance(choice, dict) else None
            if not isinstance(choice, dict) or choice.get("index"):
                if isinstance(delta, dict) and (delta.get("tool_calls") or delta.get("function_call")):
                    raise InputError(WHERE, "has several choices with calls", "ask for one choice")
                self.leave(choice)
                continue  # the first choice is the answer
            self.finish = str(choice.get("finish_reason") or self.finish)
            self.leave(_containers(choice, ("delta", "logprobs")))
            if isinstance(delta, dict):
                self._add_delta(answer, delta)

    def _add_delta(self, answer: _Answer, delta: dict[str, Any]) -> None:
        self.leave(_containers(delta, READ))
        if isinstance(old := delta.get("function_call"), dict):
            answer.add_piece({"function": old, "id": "function_call"}, -1)
        for field in ("content", "refusal"):
            if isinstance(text := delta.get(field), str):
                answer.texts.append(text)
            elif isinstance(text, list):
                self._add_parts(answer, text)
        pieces = delta.get("tool_calls")
        if pieces and not isinstance(pieces, list):
            raise InputError(WHERE, "has tool_calls that are not a list")
        for place, piece in enumerate(pieces or ()):
            answer.add_piece(piece, place)

    def _add_parts(self, answer: _Answer, parts: list[Any]) -> None:
        """Content in parts, as Mistral sends it."""
        for block in parts:
            if isinstance(block, str):
                answer.texts.append(block)
                continue
            part = require_part(block)
            if part.call is not None:
                self.leave(block)  # calls come in tool_calls; one that is only here is refused
            elif isinstance(part.text, str):
                answer.texts.append(part.text)

    def messages(self) -> tuple[Message, ...]:
        messages = []
        for answer in self._answers.values():
            for call in answer.calls:
                if call.id == "function_call":  # the older field, which has no ids
                    call.id = ""
            if answer.texts or answer.calls:
                calls = tuple(call.call({}) for call in answer.calls)
                messages.append(Message("assistant", "".join(answer.texts), calls))
        return self.complete(tuple(messages))


def _containers(raw: dict[str, Any], read: Collection[str]) -> dict[str, Any]:
    """The fields that are not read and might hold something."""
    return {name: value for name, value in raw.items() if isinstance(value, dict | list) and name not in read}
