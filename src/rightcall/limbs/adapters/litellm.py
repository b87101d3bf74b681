"""LiteLLM: loops of the user's own on `completion` and `responses`, sync, async or streamed, and its Router.

All of them go through one dispatcher, however the function was imported. What a call tries inside itself, such as a
retry or a fallback, is one request: the answer that the user gets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import replace
from functools import cache
from inspect import signature
from typing import Any

from rightcall.agents.observed.adapter import all_replaced, watch_of
from rightcall.limbs.adapters import openai
from rightcall.limbs.adapters.sdk_requests import (
    BegunRequest,
    ClientAdapter,
    Json,
    ReadAnswer,
    ReplyEvents,
    Wire,
    begin_request,
)

NAME = "litellm"


def _read_reply(path: str, body: Json) -> ReadAnswer:
    """A reply in OpenAI's spelling. LiteLLM writes zeros where the provider reported no tokens."""
    usage = body.get("usage")
    if isinstance(usage, dict) and not usage.get("total_tokens"):
        body = {**body, "usage": None}
    return openai.WIRE.read_reply(path, body)


WIRE = replace(openai.WIRE, read_reply=_read_reply)
WIRES: dict[str, tuple[Wire, str]] = {
    "CHAT_COMPLETIONS": (WIRE, "/chat/completions"),
    "RESPONSES": (WIRE, "/responses"),
}
"""By route: LiteLLM translates every provider's answers into one of these."""

_ASKED: ContextVar[bool] = ContextVar("rightcall_litellm", default=False)
"""Whether a call of the user's is being answered here."""


class LiteLLM(ClientAdapter):
    """Watches LiteLLM's functions."""

    def install(self) -> Callable[[], None]:
        from litellm.rust_bridge.dispatch import PublicDispatch

        return all_replaced((PublicDispatch, "run", _watch_run), (PublicDispatch, "arun", _watch_arun))


ADAPTER = LiteLLM()


def _watch_run(original: Any) -> Any:
    def run(self: Any, args: Any, kwargs: Any, *, python: Any, **more: Any) -> Any:
        asking = _begin(self.route, args, kwargs, python)
        token = _ASKED.set(True)
        try:
            reply = original(self, args, kwargs, python=python, **more)
        except BaseException:
            _note_failure(asking)
            raise
        finally:
            _ASKED.reset(token)
        return reply if asking is None else _note_answer(asking, reply)

    return run


def _watch_arun(original: Any) -> Any:
    async def arun(self: Any, args: Any, kwargs: Any, *, python: Any, **more: Any) -> Any:
        asking = _begin(self.route, args, kwargs, python)
        token = _ASKED.set(True)
        try:
            reply = await original(self, args, kwargs, python=python, **more)
        except BaseException:
            _note_failure(asking)
            raise
        finally:
            _ASKED.reset(token)
        return reply if asking is None else _note_answer(asking, reply)

    return arun


def _begin(route: Any, args: Any, kwargs: Mapping[str, Any], function: Any) -> BegunRequest | None:
    watch = watch_of(NAME)
    wire, path = WIRES.get(str(getattr(route, "name", "")), (None, ""))
    if watch is None or wire is None or _ASKED.get():
        return None
    sent = dict(kwargs)
    for events in watch.memory.get("streams", ()):
        if events.finished:  # the user read no further than that, and has run its calls
            events.end()
    with watch.guarded("reading a call"):
        sent |= dict(zip(signature(function).parameters, args, strict=False))
    return begin_request(wire, watch, path, sent)


def _note_failure(asking: BegunRequest | None) -> None:
    if asking is not None:
        asking.watch.recorder.unanswered(asking.voice)


def _note_answer(asking: BegunRequest, reply: Any) -> Any:
    """The reply as received. A stream is observed while the user reads it, by a subclass of its class."""
    kind: Any = type(reply)
    if not hasattr(kind, "__next__") and not hasattr(kind, "__anext__"):
        return asking.answered(reply)
    with asking.watch.guarded("observing a stream"):
        events = ReplyEvents(asking)
        reply.__class__ = _stream_class(kind)
        reply._rightcall_events = events
        asking.watch.memory.setdefault("streams", []).append(events)
    return reply


@cache
def _stream_class(kind: Any) -> Any:
    class Observed(kind):
        if hasattr(kind, "__next__"):

            def __next__(self) -> Any:
                try:
                    event = super().__next__()
                except BaseException:
                    self._rightcall_events.end()
                    raise
                self._rightcall_events.add(event)
                return event

        if hasattr(kind, "__anext__"):

            async def __anext__(self) -> Any:
                try:
                    event = await super().__anext__()
                except BaseException:
                    self._rightcall_events.end()
                    raise
                self._rightcall_events.add(event)
                return event

    Observed.__name__ = kind.__name__
    Observed.__qualname__ = kind.__qualname__
    Observed.__module__ = kind.__module__
    return Observed
