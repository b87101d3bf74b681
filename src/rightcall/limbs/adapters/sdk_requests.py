"""Shared by the OpenAI and Anthropic clients: every request goes through one method, `client.request`.

The user's loop owns the tools, so requests are observed: each answer contains the calls, each next request the results.
Hooking that method covers `create`, `parse`, `stream` and tool runners, once per request, retries included.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import iscoroutinefunction
from time import perf_counter
from typing import Any

from rightcall.agents.observed.adapter import Adapter, Talk, Watch, all_replaced, class_that_defines, watch_of
from rightcall.agents.observed.values import plain
from rightcall.agents.observed.voices import Voice, speaking
from rightcall.core.errors import ConfigError, InputError
from rightcall.records.dialects.stream_pieces import AnswerStream
from rightcall.records.dialects.streams import stream_of, text_of
from rightcall.records.message import Message, calls_of
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Usage

Json = dict[str, Any]


@dataclass(frozen=True)
class ReadAnswer:
    """The messages of a reply, which are one answer; the tokens that it took, and why the model stopped."""

    messages: Sequence[Message]
    usage: Usage
    finish: str


@dataclass(frozen=True)
class Wire:
    """How one client spells its requests and replies. `speaks` says whether a path is one that asks a model."""

    name: str
    speaks: Callable[[str], bool]
    read_request: Callable[[str, Json], tuple[Sequence[Message], Sequence[Tool]]]
    read_reply: Callable[[str, Json], ReadAnswer]


class ClientAdapter(Adapter):
    """The adapter of a client: it observes functions that use the client; the client itself is not an agent."""

    def talk(self, agent: Any, watch: Watch) -> Talk:
        raise ConfigError(
            f"a {type(agent).__name__} is a client, not an agent; observe the function that loops over it:"
            " rc.observe(my_function), or give the client to rc.Agent(client, model_name=…)"
        )


def watch_clients(wire: Wire, *clients: type) -> Callable[[], None]:
    """Observe the requests of these client classes and all their subclasses; returns the function that stops it."""
    methods = [
        (class_that_defines(client, "request"), "request", partial(_watch_request, wire, is_async))
        for client in clients
        for is_async in [client.__name__.startswith("Async")]
    ]
    return all_replaced(*methods)


def _watch_request(wire: Wire, is_async: bool, original: Any) -> Any:
    if is_async:

        async def async_request(self: Any, cast_to: Any, options: Any, *args: Any, **more: Any) -> Any:
            asking = _begin(wire, options)
            reply = await original(self, cast_to, options, *args, **more)
            return reply if asking is None else asking.answered(reply)

        return async_request

    def request(self: Any, cast_to: Any, options: Any, *args: Any, **more: Any) -> Any:
        asking = _begin(wire, options)
        reply = original(self, cast_to, options, *args, **more)
        return reply if asking is None else asking.answered(reply)

    return request


def _begin(wire: Wire, options: Any) -> BegunRequest | None:
    watch = watch_of(wire.name)
    path = str(getattr(options, "url", "")).partition("?")[0]
    if watch is None or not wire.speaks(path):
        return None
    return begin_request(wire, watch, path, getattr(options, "json_data", None))


def begin_request(wire: Wire, watch: Watch, path: str, sent: Any) -> BegunRequest:
    """A request whose body is `sent`, noted; `BegunRequest.answered` notes its reply."""
    voice = None
    with watch.guarded("reading a request"):
        body = plain(_news(watch, sent))
        try:
            read = wire.read_request(path, body if isinstance(body, dict) else {})
        except InputError:  # the agent's own mistake: the server will refuse it
            read = ((), ())
        voice = watch.recorder.asked(*read)
    return BegunRequest(wire, watch, path, perf_counter(), voice=voice)


def _news(watch: Watch, body: Any) -> Any:
    """What of a request was not in the one before: a loop sends the whole conversation and all tools each time.

    Copying and reading all of it would cost a long loop more with every call. The first is read as a whole.
    """
    first = not watch.memory.get("asked")
    watch.memory["asked"] = True
    if first or not isinstance(body, Mapping):
        return body
    news = {name: value for name, value in body.items() if name not in ("messages", "input", "tools")}
    for name in ("messages", "input"):
        if name in body:
            news[name] = _since_last_answer(body[name])
    tools = body.get("tools")
    if tools is not None and tools != watch.memory.get("tools"):
        watch.memory["tools"] = news["tools"] = plain(tools)
    return news


def _since_last_answer(items: Any) -> Any:
    """The last answer of the model in a list of messages or items, and what follows it.

    Items may have each call's output right after the call: then all calls before are taken too, since nothing tells
    where the answer began. Results that were read before change nothing.
    """
    if not isinstance(items, list):
        return items
    start = len(items)
    while start and not _is_answer(items[start - 1]):
        start -= 1
    while start and (_is_answer(items[start - 1]) or _kind(items[start - 1]) == "function_call_output"):
        start -= 1
    return items[start:]


def _is_answer(item: Any) -> bool:
    role = item.get("role") if isinstance(item, Mapping) else getattr(item, "role", None)
    return role == "assistant" or _kind(item) in ("function_call", "reasoning")


def _kind(item: Any) -> Any:
    return item.get("type") if isinstance(item, Mapping) else getattr(item, "type", None)


@dataclass(frozen=True)
class BegunRequest:
    wire: Wire
    watch: Watch
    path: str
    started: float
    voice: Voice | None

    def answered(self, reply: Any) -> Any:
        """The reply as received; a stream is observed while the user reads it."""
        with self.watch.guarded("reading a reply"):
            if hasattr(reply, "_iterator"):
                inner = reply._iterator
                reply._iterator = (
                    self._aobserve(inner) if hasattr(inner, "__anext__") else self._observe(inner)
                )
            else:
                body = _body(reply)
                if body is not None:
                    self._note(self.wire.read_reply(self.path, body))
                elif hasattr(reply, "parse"):
                    reply.parse = self._observed_parse(reply.parse)
        return reply

    def _observed_parse(self, original: Any) -> Any:
        """`parse` of a response that is still open: it gives the reply or its stream, the same one each time."""
        noted: list[Any] = []

        def note(parsed: Any) -> Any:
            if not any(parsed is earlier for earlier in noted):
                noted.append(parsed)
                self.answered(parsed)
            return parsed

        async def async_parse(*args: Any, **options: Any) -> Any:
            return note(await original(*args, **options))

        def parse(*args: Any, **options: Any) -> Any:
            return note(original(*args, **options))

        return async_parse if iscoroutinefunction(original) else parse

    def _note(self, answer: ReadAnswer) -> None:
        taken = round((perf_counter() - self.started) * 1000, 3)
        text = text_of(answer.messages)
        calls = calls_of(answer.messages)
        with speaking(self.voice):
            self.watch.recorder.answered(text, calls, usage=answer.usage, finish=answer.finish, ms=taken)

    def _observe(self, inner: Iterator[Any]) -> Iterator[Any]:
        events = ReplyEvents(self)
        try:
            for event in inner:
                events.add(event)
                yield event
        finally:
            events.end()
            if hasattr(inner, "close"):
                inner.close()

    async def _aobserve(self, inner: AsyncIterator[Any]) -> AsyncIterator[Any]:
        events = ReplyEvents(self)
        try:
            async for event in inner:
                events.add(event)
                yield event
        finally:
            events.end()
            if hasattr(inner, "aclose"):
                await inner.aclose()


class ReplyEvents:
    """The events of one streamed reply, added up as the user reads them."""

    def __init__(self, asking: BegunRequest) -> None:
        self._asking = asking
        self._stream: AnswerStream | None = None
        self._ended = False
        asking.watch.turn_end.append(self.end)  # one that is not read to its end has said something too

    def add(self, event: Any) -> None:
        with self._asking.watch.guarded("reading a streamed event"):
            copied = plain(event)
            if isinstance(copied, dict):
                self._stream = self._stream or stream_of(copied)
                if self._stream is not None:
                    self._stream.add(copied)

    def end(self) -> None:
        """Note the answer, once; a stream may be both read to its end and closed."""
        if not self._ended:
            self._ended = True
            with self._asking.watch.guarded("reading a stream"):
                if (stream := self._stream) is not None:
                    self._asking._note(ReadAnswer(stream.messages(), stream.usage, stream.finish))

    @property
    def finished(self) -> bool:
        """Whether the model has said why it stopped: what may still follow are its tokens."""
        return self._stream is not None and bool(self._stream.finish)


def _body(reply: Any) -> Json | None:
    """The JSON of a reply: of a parsed model, or of the response around it when the user asked for that one."""
    response = getattr(reply, "http_response", None)
    if response is not None and not getattr(response, "is_stream_consumed", False):
        return None  # the user streams it; reading it here would take it away
    body = plain(reply) if response is None else response.json()
    return body if isinstance(body, dict) else None
