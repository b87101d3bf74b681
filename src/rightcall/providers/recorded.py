"""Providers in front of `rightcall.recording`: a model is asked and recorded, or replayed."""

from __future__ import annotations

from typing import Any

from rightcall.core.codec import convert, to_plain
from rightcall.core.errors import ProviderError
from rightcall.providers.base import (
    ModelReply,
    ModelRequest,
    Prompt,
    PromptCache,
    Provider,
    ProviderAround,
    Settings,
)
from rightcall.recording.canonical import VOLATILE, Clean, scrub_value
from rightcall.recording.case import CURRENT, PASSING
from rightcall.recording.cassette import TapedExchange
from rightcall.recording.judged_trial import JUDGING
from rightcall.recording.library import Recordings
from rightcall.records import Annotations, Message, Tool, ToolCall, ToolResult, Usage

_OUR_WORDS = frozenset({"assistant", "truncated", "required"}).union(
    *(r.__struct_fields__ for r in (Message, ToolCall, ToolResult, ModelReply, Usage, Prompt)),
    *(r.__struct_fields__ for r in (Settings, Tool, Annotations)),
)
"""Keywords of the file format: not secrets, even if the environment has an equal one."""

OWN_SERVER = "the provider's"
"""What stands for the provider's own server in a recording."""


class RequestWriter:
    """Requests in canonical form: without secrets, and without what does not affect the answer."""

    def __init__(self, clean: Clean) -> None:
        self.clean = clean
        self._prompts = PromptCache(self._plain_prompt)

    def ask(self, request: ModelRequest) -> dict[str, Any]:
        """The request as it is compared and written."""
        return {"messages": self.plain(request.messages), **self._prompts.get(request.prompt)}

    def plain(self, record: Any) -> Any:
        """A part of a request or a reply, without secrets."""
        return scrub_value(to_plain(record), self.clean, _OUR_WORDS)

    def _plain_prompt(self, prompt: Prompt) -> dict[str, Any]:
        plain: dict[str, Any] = self.plain(prompt)
        settings = {n: v for n, v in plain.pop("settings", {}).items() if n not in VOLATILE}
        return plain | ({"settings": settings} if settings else {})


class RecordedProvider(ProviderAround):
    """A provider whose answers are recorded with the trial in progress, or replayed without asking it."""

    def __init__(self, provider: Provider, recordings: Recordings) -> None:
        super().__init__(provider)
        self._recordings = recordings
        self.server: str = getattr(provider, "server", "")
        self._asks_at = {"server": self.server or OWN_SERVER} if hasattr(provider, "server") else {}
        self._writer = RequestWriter(recordings.clean)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The recorded reply, or a new one, which is recorded with the trial."""
        if (judged := JUDGING.get()) is not None:
            plain = judged.reply(self._ask(request))
            if plain is not None:
                return convert(plain, ModelReply, "recording of a judge")
            reply = await self._inner.complete(request)
            judged.add(self._exchange(request, reply))
            return reply
        case = CURRENT.get() or self._recordings.only_case()
        if case is None:
            if self._recordings.replays_only:
                raise ProviderError("a request outside any trial cannot be replayed", kind="not_recorded")
            return await self._inner.complete(request)
        if case.is_replaying:
            return convert(case.next_reply(self._ask(request)), ModelReply, f"recording of {case.golden}")
        token = CURRENT.set(PASSING)  # what it sends is this request: it is recorded once
        try:
            reply = await self._inner.complete(request)
        finally:
            CURRENT.reset(token)
        case.add(self._exchange(request, reply))
        return reply

    async def check(self) -> list[str]:
        """The other provider's problems; a replay needs no key and no server."""
        return [] if self._recordings.replays_only else await self._inner.check()

    def _ask(self, request: ModelRequest) -> dict[str, Any]:
        ask = {"model": self.name, **self._asks_at, **self._writer.ask(request)}
        for pattern in self._recordings.ignored:
            ask = pattern.mask(ask)
        return ask

    def _exchange(self, request: ModelRequest, reply: ModelReply) -> TapedExchange:
        return TapedExchange(self._ask(request), self._writer.plain(reply))


def judge_provider(provider: Provider) -> Provider:
    """The provider of a judge: recorded or replayed while a trial of a suite that records is scored."""
    judged = JUDGING.get()
    return provider if judged is None else RecordedProvider(provider, judged.recordings)
