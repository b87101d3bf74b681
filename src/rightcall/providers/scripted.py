"""`scripted:FILE`: a model that replies from a script. For tests, and to see how a case would score.

A script (YAML or JSON) is a list of entries; the first that matches the request answers it:

    format: rightcall/script/1
    replies:
      - golden: forecast-5d           # or input: the first user message; or neither: any request
        trial: 0                            # omitted: every trial
        turns:
          - calls: [{name: get_forecast, arguments: {city: Hue, days: 5}}]
          - text: Sunny all week.

`turns` are the model's answers in order; after the last one it answers with an empty text, which ends an agent's loop.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from rightcall.core.codec import convert
from rightcall.core.errors import ConfigError, InputError, ProviderError, suggestion
from rightcall.files.documents import read_document
from rightcall.providers.base import ModelReply, ModelRequest, Provider
from rightcall.providers.endpoint import ProviderOptions
from rightcall.providers.remote import with_ids
from rightcall.records import Message, ToolCall, Usage
from rightcall.records.dialects.endings import Stop
from rightcall.records.record import Record

FORMAT = "rightcall/script/1"

Answer = ModelReply | Message | ToolCall | str | Sequence[ToolCall]
"""Ways to write one answer in Python: text, one call, several calls, or a full message."""

Script = Callable[[ModelRequest], Answer | Awaitable[Answer]]


class ScriptTurn(Record, frozen=True):
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    stop: Stop = "done"
    usage: Usage = Usage(cost_usd=0.0)


class ScriptEntry(Record, frozen=True):
    """Which requests it matches, and the answers to them."""

    turns: tuple[ScriptTurn, ...]
    golden: str | None = None
    input: str | None = None
    trial: int | None = None

    def fits(self, request: ModelRequest) -> bool:
        return (
            self.golden in (None, request.golden_id)
            and self.input in (None, request.asked)
            and self.trial in (None, request.trial)
        )


class ScriptFile(Record, frozen=True):
    replies: tuple[ScriptEntry, ...]
    format: str = FORMAT


class ScriptedProvider(Provider):
    """Answers by entries, or by a function of the request; the same request always has the same answer."""

    def __init__(self, script: Script | Sequence[ScriptEntry], name: str = "scripted:python") -> None:
        self.name = name
        self._script = script

    @classmethod
    def of(cls, model: str, options: ProviderOptions) -> ScriptedProvider:
        return cls.from_file(model)

    @classmethod
    def from_file(cls, path: str | Path) -> ScriptedProvider:
        script = convert(read_document(Path(path)), ScriptFile, str(path))
        if script.format != FORMAT:
            raise InputError(str(path), f"format must be '{FORMAT}', got '{script.format}'")
        return cls(script.replies, f"scripted:{path}")

    async def complete(self, request: ModelRequest) -> ModelReply:
        if callable(self._script):
            answer = self._script(request)
            reply = as_reply(await answer if inspect.isawaitable(answer) else answer)
        else:
            reply = _script_reply(self._script, request)
        return replace(reply, message=with_ids(reply.message, request.turn), model=reply.model or self.name)


def scripted(answers: Mapping[str, Answer | Sequence[Answer]] | Script, name: str = "scripted") -> Provider:
    """A model for tests that answers from a script, without a network.

    `answers` has an answer for each golden, by its id or by the first message of its user, or a list of answers by
    turn; or it is a function of the request. An answer is a text, a `ToolCall`, several of them, or a `Message`.
    """
    if callable(answers):
        return ScriptedProvider(answers, name)

    def script(request: ModelRequest) -> Answer:
        key = request.golden_id if request.golden_id in answers else request.asked
        if key not in answers:
            raise _no_answer(request, answers)
        answer = answers[key]
        if isinstance(answer, ModelReply | Message | ToolCall | str):
            answer = [answer]
        elif answer and all(isinstance(item, ToolCall) for item in answer):
            answer = [answer]  # type: ignore[list-item]
        return answer[request.turn] if request.turn < len(answer) else ""

    return ScriptedProvider(script, name)


def as_reply(answer: Answer) -> ModelReply:
    free = Usage(cost_usd=0.0)
    if isinstance(answer, ModelReply):
        return answer
    if isinstance(answer, Message):
        return ModelReply(answer, free)
    if isinstance(answer, str):
        return ModelReply(Message("assistant", answer), free)
    calls = (answer,) if isinstance(answer, ToolCall) else tuple(answer)
    if not all(isinstance(call, ToolCall) for call in calls):
        raise ConfigError(f"a script must answer with text, calls or a Message, got {type(answer).__name__}")
    return ModelReply(Message("assistant", calls=calls), free)


def _script_reply(entries: Sequence[ScriptEntry], request: ModelRequest) -> ModelReply:
    entry = next((entry for entry in entries if entry.fits(request)), None)
    if entry is None:
        raise _no_answer(request, [e.golden or e.input or "" for e in entries])
    turn = entry.turns[request.turn] if request.turn < len(entry.turns) else ScriptTurn()
    return ModelReply(Message("assistant", turn.text, turn.calls), turn.usage, turn.stop)


def _no_answer(request: ModelRequest, keys: Any) -> ProviderError:
    asked = request.golden_id or request.asked
    hint = suggestion(asked, [k for k in keys if k])
    text = f"the script has no answer for '{asked[:100]}' (trial {request.trial})"
    return ProviderError(f"{text}; {hint}" if hint else text, kind="not_recorded")
