"""The trial that code runs in, found through a `ContextVar` by the hooks that see its requests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any
from urllib.parse import urlsplit

from rightcall.core.text import one_line
from rightcall.recording.first_requests.request_digest import CapturedRequest, RequestDigester

OTHER_FIRST = "-"
"""In place of a digest: the agent did something else before it asked a model."""

TRIAL: ContextVar[WatchedTrial | CapturedTrial | RefusedTrial | None] = ContextVar(
    "rightcall_first_request", default=None
)


class FirstRequestReached(BaseException):
    """Raised in place of sending a request. Not an `Exception`: agents and SDKs retry or report those."""


Look = Callable[[Any], None]
"""What looks at the messages of the first request."""


class WatchedTrial:
    """A trial that runs: the digest of its first request is kept, if it asks a model before anything else.

    `first_request` is empty when it made no request at all. `leaks` tells whether a text has expectations in it: a
    request that has is not sent, nor is any after it; `leak` is the address that it was for. `offers_tools` is of the
    first request, `returned_text` of a function of the user: it returned a text, and neither calls nor messages.
    """

    capturing = False
    waiting = True

    def __init__(
        self, digester: RequestDigester, leaks: Callable[[str], bool], look: Look, golden: str = ""
    ) -> None:
        self._digester = digester
        self._lock = threading.Lock()
        self._golden = golden
        self._leaks = leaks
        self._look = look
        self._is_first = True
        self.first_request = self.leak = ""
        self.offers_tools = self.returned_text = False

    def request(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> None:
        if not self.leak and self._leaks(body.decode(errors="replace")):
            self.leak = url.partition("?")[0]
        if self.leak:
            raise FirstRequestReached
        self._digester.hear(self._golden, method, url, body)
        with self._lock:
            is_first = self._is_first
            self._is_first = False
        host = _host_of(url)
        hosts = self._digester.hosts
        if not is_first and host in hosts:
            return
        captured = self._digester.digest(method, url, headers, body)
        hosts[host] = captured is not None or hosts.get(host, False)
        if not is_first:
            return
        self.first_request = OTHER_FIRST if captured is None else str(captured.digests)
        if captured is not None:
            self.offers_tools = bool(captured.tool_names)
            self._look(captured.messages)

    def look_up(self, host: str, port: object) -> None:
        """It is about to connect to a host, perhaps through a library that is not hooked."""
        self._digester.lookups.add(f"{host}:{port}")

    def other_action(self, words: str) -> None:
        """It did something else first: stopping it before its first model request would not be safe."""
        with self._lock:
            if self._is_first:
                self._is_first = False
                self.first_request = OTHER_FIRST


def _host_of(url: str) -> str:
    place = urlsplit(url)
    return f"{place.hostname or ''}:{place.port or (80 if place.scheme == 'http' else 443)}"


class CapturedTrial:
    """A trial that ends at its first request, which is not sent.

    `problem` says why the request does not count: the agent did something else first, or went on afterwards. A thread
    that still runs after the capture keeps this trial, and is refused everything later as well.
    """

    capturing = waiting = True

    def __init__(self, digester: RequestDigester, look: Look) -> None:
        self._digester = digester
        self._lock = threading.Lock()
        self._look = look
        self._captured: CapturedRequest | None = None
        self.problem = ""
        self.timed_out = False

    @property
    def only_request(self) -> CapturedRequest | None:
        """The first request, if nothing came before it and nothing after it."""
        return None if self.problem else self._captured

    def request(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> None:
        """Keep the request; always raises."""
        with self._lock:
            if self._captured is not None:
                self.problem = self.problem or "it went on after its first request was refused"
            elif not self.problem:
                self._captured = self._digester.digest(method, url, headers, body)
                if self._captured is None:
                    place = urlsplit(url)
                    request = one_line(f"{method.upper()} {place.hostname or ''}{place.path}", 80)
                    self.problem = f"it acts before it asks a model: {request}"
                else:
                    self._look(self._captured.messages)
        raise FirstRequestReached

    def other_action(self, words: str) -> None:
        """It is about to do something else than ask a model; always raises."""
        with self._lock:
            went_on = "it went on after its first request was refused"
            when = "it acts before it asks a model" if self._captured is None else went_on
            self.problem = self.problem or f"{when}: {words}"
        raise FirstRequestReached


class RequestRefused(FirstRequestReached):
    """Raised in code that may ask nobody, in place of what it was about to do."""


class RefusedTrial:
    """Code that may reach nothing outside of its process: what it sends or starts is refused."""

    capturing = waiting = True

    def request(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> None:
        """Always raises."""
        self.other_action("it sends a request")

    def other_action(self, words: str) -> None:
        """Always raises."""
        raise RequestRefused(f"{words}, which is not done here")
