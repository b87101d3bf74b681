"""The listener that recordings add to the hooks: a request is replayed, recorded, or passes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from urllib.parse import urlsplit

from rightcall.core.errors import ProviderError
from rightcall.recording.canonical import body_chunks, http_ask
from rightcall.recording.case import CURRENT, PASSING, PendingReply, ReplayedReply
from rightcall.recording.hooks import HOOKS, RequestListener, SharedSetup
from rightcall.recording.library import Recordings


class ReplayRefusedError(ProviderError):
    """A request that was not recorded was stopped before it left the machine."""


class Listener(RequestListener):
    """Stands between an agent's HTTP library and the network."""

    def __init__(self, recordings: Recordings) -> None:
        self._recordings = recordings

    def listens(self) -> bool:
        """Always: in replay a request that belongs to no trial is refused."""
        return True

    def unreadable(self, method: str, url: str) -> None:
        """A body that can be read only once is neither recorded nor replayed."""

    def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> ReplayedReply | PendingReply | None:
        """A recorded reply to return, a pending one to fill, or None to let the request pass."""
        hosts = self._recordings.settings.hosts
        if hosts and (urlsplit(url).hostname or "") not in hosts:
            return None
        case = CURRENT.get() or self._recordings.only_case()
        if case is PASSING:
            return None
        if case is None:
            if self._recordings.replays_only:
                raise ReplayRefusedError(
                    self._recordings.note_miss(
                        f"a request to {urlsplit(url).hostname} outside any trial was refused in replay mode; does "
                        "the agent use its own thread pool? use asyncio.to_thread, which keeps the context"
                    ),
                    kind="not_recorded",
                )
            return None
        plain = {name.lower(): value for name, value in headers.items()}
        ask = http_ask(
            method, url, plain, body, clean=self._recordings.clean, ignored=self._recordings.ignored
        )
        if not case.is_replaying:
            return case.begin_reply(ask)
        try:
            reply = case.next_reply(ask)
        except ProviderError as error:
            raise ReplayRefusedError(error.problem, kind="not_recorded") from None
        return ReplayedReply(
            int(reply.get("status", 200)), dict(reply.get("headers", {})), body_chunks(reply)
        )


@contextmanager
def record_requests(recordings: Recordings) -> Iterator[None]:
    """Inside the block every request of an installed library goes through the recordings."""
    listener = Listener(recordings)
    with placeholder_keys(recordings.replays_only):
        HOOKS.add(listener, eager=True)
        try:
            yield
        finally:
            HOOKS.remove(listener)


NAMES = (
    "ANTHROPIC_API_KEY", "AZURE_OPENAI_API_KEY", "CO_API_KEY", "COHERE_API_KEY", "DEEPSEEK_API_KEY",
    "FIREWORKS_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "GROQ_API_KEY", "MISTRAL_API_KEY", "OPENAI_API_KEY",
    "OPENROUTER_API_KEY", "TOGETHER_API_KEY", "XAI_API_KEY",
)  # fmt: skip
PLACEHOLDER = "no-key-is-needed-while-replaying"


def placeholder_keys(are_needed: bool = True) -> AbstractContextManager[None]:
    """Sets placeholders for missing keys inside the block, because some SDK clients cannot be created without one.

    Only while replaying, when nothing is sent; blocks may overlap.
    """
    return _PLACEHOLDERS.use() if are_needed else nullcontext()


def _set_placeholders() -> Callable[[], None]:
    missing = [name for name in NAMES if name not in os.environ]
    os.environ.update(dict.fromkeys(missing, PLACEHOLDER))

    def remove() -> None:
        for name in missing:
            if os.environ.get(name) == PLACEHOLDER:
                del os.environ[name]

    return remove


_PLACEHOLDERS = SharedSetup(_set_placeholders)
