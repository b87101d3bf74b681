"""RightCall's providers, recorded at the provider level: requests and replies instead of HTTP."""

from __future__ import annotations

from typing import Any

from rightcall.core.codec import convert, to_plain
from rightcall.core.errors import ProviderError
from rightcall.model import Annotations, Message, Tool, ToolCall, ToolResult, Usage
from rightcall.models.base import ModelReply, ModelRequest, Prompt, Provider, Settings
from rightcall.recording.canonical import VOLATILE, scrubbed
from rightcall.recording.case import CURRENT, TapedCase
from rightcall.recording.cassette import TapedExchange
from rightcall.recording.library import Recordings

_OUR_WORDS = frozenset({"assistant", "truncated", "required"}).union(
    *(r.__struct_fields__ for r in (Message, ToolCall, ToolResult, ModelReply, Usage, Prompt)),
    *(r.__struct_fields__ for r in (Settings, Tool, Annotations)),
)
"""Keywords of the file format: not secrets, even if the environment has an equal one."""


OWN_SERVER = "the provider's"
"""What stands for the provider's own server in a recording."""


class TapedProvider(Provider):
    """A provider whose answers are recorded, or replayed without asking it."""

    def __init__(self, provider: Provider, recordings: Recordings) -> None:
        self.name, self._inner, self._recordings = provider.name, provider, recordings
        self.server: str = getattr(provider, "server", "")
        self._asks_at = {"server": self.server or OWN_SERVER} if hasattr(provider, "server") else {}
        self._prompts: dict[int, tuple[Prompt, dict[str, Any]]] = {}
        if (at_once := getattr(provider, "at_once", None)) is not None:
            self.at_once = at_once

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The recorded reply, or a new one, which is recorded with the trial."""
        case = CURRENT.get() or self._recordings.only_case()
        if case is None:
            return await self._without_case(request)
        ask = self.ask(request)
        if case.replaying:
            if not case.names_servers:  # recorded before servers were
                ask.pop("server", None)
            return convert(case.replied(ask), ModelReply, f"recording of {case.golden}")
        reply = await self._inner.complete(request)
        self._keep(case, ask, reply)
        return reply

    def ask(self, request: ModelRequest) -> dict[str, Any]:
        """The request in canonical form."""
        messages = scrubbed(to_plain(request.messages), self._recordings.clean, _OUR_WORDS)
        ask = {"model": self.name, **self._asks_at, "messages": messages, **self._prompt(request.prompt)}
        for each in self._recordings.ignored:
            ask = each.applied(ask)
        return ask

    def prepare(self, prompt: Prompt) -> None:
        """The other provider's preparation."""
        self._inner.prepare(prompt)

    async def check(self) -> list[str]:
        """The other provider's problems; a replay needs no key and no server."""
        return [] if self._recordings.replays_only else await self._inner.check()

    async def aclose(self) -> None:
        """Close the other provider."""
        await self._inner.aclose()

    async def _without_case(self, request: ModelRequest) -> ModelReply:
        if self._recordings.replays_only:
            raise ProviderError("a request outside any trial cannot be replayed", kind="not_recorded")
        return await self._inner.complete(request)

    def _prompt(self, prompt: Prompt) -> dict[str, Any]:
        known = self._prompts.get(id(prompt))
        if known is None:
            if len(self._prompts) >= 256:
                self._prompts.clear()
            plain = scrubbed(to_plain(prompt), self._recordings.clean, _OUR_WORDS)
            settings = {n: v for n, v in plain.pop("settings", {}).items() if n not in VOLATILE}
            # The prompt is stored with it: while it is alive, its id is unique.
            known = self._prompts[id(prompt)] = prompt, plain | ({"settings": settings} if settings else {})
        return known[1]

    def _keep(self, case: TapedCase, ask: dict[str, Any], reply: ModelReply) -> None:
        plain = scrubbed(to_plain(reply), self._recordings.clean, _OUR_WORDS)
        case.add(TapedExchange(ask, plain))
