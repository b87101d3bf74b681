"""Providers in front of `rightcall.recording`: one records a model or replays it, `recorded:PATH` only replays."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from functools import cached_property
from pathlib import Path
from typing import Any

from rightcall.core.codec import convert, to_plain
from rightcall.core.errors import ConfigError, InputError, ProviderError
from rightcall.core.redaction.clean_text import scrubber
from rightcall.core.text import one_line
from rightcall.model import Annotations, Message, Tool, ToolCall, ToolResult, Usage
from rightcall.models.base import (
    ModelReply,
    ModelRequest,
    Prompt,
    PromptCache,
    Provider,
    ProviderAround,
    Settings,
)
from rightcall.models.endpoint import ProviderOptions
from rightcall.recording.canonical import VOLATILE, Clean, scrub_value
from rightcall.recording.case import CURRENT, PASSING, TapedCase
from rightcall.recording.cassette import TapedExchange, Trials, read_trials
from rightcall.recording.judged_trial import JUDGING
from rightcall.recording.library import Recordings
from rightcall.recording.settings import RecordSettings

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
    """A provider whose answers are recorded, or replayed without asking it.

    They belong to the trial in progress; with `by_request`, to the golden and trial that a request names.
    """

    def __init__(self, provider: Provider, recordings: Recordings, *, by_request: bool = False) -> None:
        super().__init__(provider)
        self._recordings = recordings
        self.server: str = getattr(provider, "server", "")
        self._asks_at = {"server": self.server or OWN_SERVER} if hasattr(provider, "server") else {}
        self._writer, self._by_request = RequestWriter(recordings.clean), by_request

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The recorded reply, or a new one, which is recorded with the trial."""
        if self._by_request:
            reply = await self._inner.complete(request)
            await asyncio.to_thread(
                self._recordings.append, request.golden_id, request.trial, self._exchange(request, reply)
            )
            return reply
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


def record_to(provider: Provider, path: str | Path) -> Provider:
    """The provider, with every exchange recorded to a folder, which `recorded:PATH` replays."""
    if Path(path).is_file():
        raise ConfigError(f"{path} is a file; recordings are written to a folder")
    return RecordedProvider(provider, Recordings(RecordSettings("refresh"), Path(path)), by_request=True)


def judge_provider(provider: Provider) -> Provider:
    """The provider of a judge: recorded or replayed while a trial of a suite that records is scored."""
    judged = JUDGING.get()
    return provider if judged is None else RecordedProvider(provider, judged.recordings)


class ReplayProvider(Provider):
    """Answers from recordings. A request recorded n times in a trial gets its n replies in turn, cyclically."""

    def __init__(self, path: str | Path) -> None:
        self.name = f"recorded:{path}"
        self._path = Path(path)
        self._cases: dict[tuple[str, int], TapedCase] = {}
        self._writer = RequestWriter(scrubber())

    @classmethod
    def of(cls, model: str, options: ProviderOptions) -> ReplayProvider:
        return cls(model)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The recorded reply, or an error that shows how the request differs from the recorded one."""
        case = self._case(request)
        try:
            reply = case.next_reply(_comparable(self._writer.ask(request)))
        except ProviderError as error:
            case.missed = ""  # each request has its own reason
            raise ProviderError(
                f"{self._path}: no recorded answer for {error.problem}", kind="not_recorded"
            ) from None
        return convert(reply, ModelReply, f"recording of {case.golden}")

    async def check(self) -> list[str]:
        try:
            self._trials  # noqa: B018  they are read now
        except InputError as error:
            return [str(error)]
        return []

    @cached_property
    def _trials(self) -> Trials:
        return {
            trial: [TapedExchange(_comparable(e.ask), e.reply) for e in exchanges]
            for trial, exchanges in read_trials(self._path).items()
        }

    def _case(self, request: ModelRequest) -> TapedCase:
        """The trial that a request belongs to; simulated users are recorded with the golden they talk about."""
        trials = self._trials
        names = request.golden_id, request.golden_id.removesuffix("#user")
        trial = next(((n, request.trial) for n in names if (n, request.trial) in trials), None)
        if trial is None:
            raise ProviderError(f"{self._path}: {self._unknown_trial(request, trials)}", kind="not_recorded")
        if trial not in self._cases:
            self._cases[trial] = TapedCase(*trial, self._writer.clean, trials[trial], cyclic=True)
        return self._cases[trial]

    def _unknown_trial(self, request: ModelRequest, trials: Trials) -> str:
        asked = request.messages[-1].content if request.messages else ""
        label = request.golden_id or f"'{one_line(asked, 60)}'"
        missing = f"no recorded answer for {label}, trial {request.trial}"
        recorded: dict[str, list[int]] = defaultdict(list)
        for golden, number in sorted(trials):
            recorded[golden].append(number)
        if numbers := recorded.get(request.golden_id):
            others = f"the trial: {', '.join(map(str, numbers[:5]))} was recorded"
        else:
            others = f"the golden: {', '.join(list(recorded)[:5]) or 'nothing'} was recorded"
        return f"{missing}; it differs in {others}; record it again"


def _comparable(ask: dict[str, Any]) -> dict[str, Any]:
    """A request without who was asked, and with numbers as settings spell them."""
    kept = {name: value for name, value in ask.items() if name not in ("model", "server")}
    if "settings" in kept:
        kept["settings"] = to_plain(convert(kept["settings"], Settings, "recorded settings"))
    return kept
