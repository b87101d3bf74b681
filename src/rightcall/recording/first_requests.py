"""The first request of a trial of an agent that is code: noted while the trial runs, or captured and not sent.

The hooks into HTTP libraries find the trial through a `ContextVar`. A request outside the context of any trial is not
touched: it may belong to another part of the process.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any
from urllib.parse import urlsplit

from rightcall.core.text import one_line
from rightcall.files.opened_files import PROGRAMS, StartedProgram
from rightcall.recording.hooks import HOOKS, RequestListener, SharedSetup, replaced
from rightcall.recording.model_requests import json_body, request_parts
from rightcall.recording.request_digest import CapturedRequest, RequestDigester

OTHER_FIRST = "-"
"""In place of a digest: the agent did something else before it asked a model."""


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
        digester = self._digester
        if (parts := request_parts(method, url, {}, json_body(body))) is not None:
            digester.setup.hear(self._golden, parts.system, parts.tools)
        with self._lock:
            is_first = self._is_first
            self._is_first = False
        place = urlsplit(url)
        host = f"{place.hostname or ''}:{place.port or (80 if place.scheme == 'http' else 443)}"
        digester.hosts[host] = parts is not None or digester.hosts.get(host, False)
        if is_first:
            captured = digester.digest(method, url, headers, body)
            self.first_request = OTHER_FIRST if captured is None else str(captured.digests)
            if captured is not None:
                self.offers_tools = bool(captured.tool_names)
                self._look(captured.messages)

    def other_action(self, words: str) -> None:
        """It did something else first: stopping it before its first model request would not be safe."""
        with self._lock:
            if self._is_first:
                self._is_first = False
                self.first_request = OTHER_FIRST

    def look_up(self, host: str, port: object) -> None:
        """It is about to connect to a host, perhaps through a library that is not hooked."""
        self._digester.lookups.add(f"{host}:{port}")


class CapturedTrial:
    """A trial that ends at its first request, which is not sent; without a digester code that may reach nothing.

    `problem` says why the request does not count: the agent did something else first, or went on afterwards. A thread
    that still runs after the capture keeps this trial, and is refused everything later as well.
    """

    def __init__(self, digester: RequestDigester | None, look: Look) -> None:
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
            if self._digester is not None and self._captured is None and not self.problem:
                self._captured = self._digester.digest(method, url, headers, body)
                if self._captured is not None:
                    self._look(self._captured.messages)
                    raise FirstRequestReached
        place = urlsplit(url)
        self.other_action(one_line(f"{method.upper()} {place.hostname or ''}{place.path}", 80))

    def other_action(self, words: str) -> None:
        """It is about to do something else than ask a model; always raises."""
        with self._lock:
            went_on = "it went on after its first request was refused"
            problem = f"it acts before it asks a model: {words}" if self._captured is None else went_on
            self.problem = self.problem or problem
        raise FirstRequestReached(f"{words}, which is not done here")


TRIAL: ContextVar[WatchedTrial | CapturedTrial | None] = ContextVar("rightcall_first_request", default=None)


class FirstRequestListener(RequestListener):
    """Hands a request to the trial in whose context it is made."""

    def listens(self) -> bool:
        return TRIAL.get() is not None

    def request(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> None:
        if (trial := TRIAL.get()) is not None:
            trial.request(method, url, headers, body)

    def unreadable(self, method: str, url: str) -> None:
        if (trial := TRIAL.get()) is not None:
            trial.other_action(f"{method.upper()} with a body that is streamed")


def _listen() -> Callable[[], None]:
    guard_actions()
    stack = ExitStack()
    listener = FirstRequestListener()
    HOOKS.add(listener)
    stack.callback(HOOKS.remove, listener)
    stack.enter_context(follow_into_threads())
    return stack.close


_LISTENING = SharedSetup(_listen)
_CAPTURES = FirstRequestListener()
_lock = threading.Lock()
_hooked = _guarded = False


def watch_requests() -> AbstractContextManager[None]:
    """While it is open, trials learn of the requests made in their context; the last one removes the hooks."""
    return _LISTENING.use()


@contextmanager
def capture_requests() -> Iterator[None]:
    """While it is open, captured trials are stopped at their first request, and nothing is sent.

    The hooks stay afterwards, because a thread of a captured trial may still be running: they do nothing but refuse
    what such a thread sends. Missing keys are not replaced by placeholders, as they are in replay: SDKs that export
    traces in the background would begin to, with the placeholder.
    """
    global _hooked  # noqa: PLW0603  the hooks are of this process too
    with _lock:
        if not _hooked:
            HOOKS.add(_CAPTURES, eager=True)
            _hooked = True
    guard_actions()
    with follow_into_threads():
        yield


@contextmanager
def refuse_requests() -> Iterator[None]:
    """Inside the block, code of this context reaches nothing outside of the process; what it tries raises."""
    token = TRIAL.set(CapturedTrial(None, lambda _: None))
    try:
        with watch_requests():
            yield
    finally:
        TRIAL.reset(token)


ACTIONS = dict.fromkeys((*PROGRAMS, "os.fork", "os.forkpty"), "it starts a program")
ACTIONS |= {"socket.connect": "it connects to a service", "socket.sendto": "it sends to a service"}


def guard_actions() -> None:
    """Install an audit hook, which Python never removes; it does nothing outside a captured trial.

    Requests through HTTP libraries are refused by their hooks; this sees what an agent does without them: a database, a
    socket, a program. Files are not guarded: importing a module writes some, and a trial that is run writes the same.
    """
    global _guarded  # noqa: PLW0603  audit hooks are of this process too
    with _lock:
        if not _guarded:
            sys.addaudithook(_audit)
            _guarded = True


def _audit(event: str, args: tuple[Any, ...]) -> None:
    if event != "socket.getaddrinfo" and event not in ACTIONS:
        return
    trial = TRIAL.get()
    if isinstance(trial, WatchedTrial) and event == "socket.getaddrinfo" and isinstance(args[0], str):
        trial.look_up(args[0], args[1])
    if not isinstance(trial, CapturedTrial) or event not in ACTIONS:
        return
    if event not in PROGRAMS or not StartedProgram.of(event, args).about_the_machine:
        trial.other_action(ACTIONS[event])


def follow_into_threads() -> AbstractContextManager[None]:
    """Inside the block every function that a trial gives to a pool or a thread belongs to the trial.

    Python starts threads without the context of their creator. Only the trial is carried along: an agent's own
    variables stay as Python leaves them. Daemon threads are not followed: SDKs start them once, during some trial, to
    export traces for the rest of the process.
    """
    return _FOLLOWED.use()


def _follow() -> Callable[[], None]:
    stack = ExitStack()
    stack.callback(replaced(ThreadPoolExecutor, "submit", _submit_with_trial))
    stack.callback(replaced(threading.Thread, "start", _start_with_trial))
    return stack.close


_FOLLOWED = SharedSetup(_follow)


def _submit_with_trial(submit: Any) -> Any:
    def follow(self: ThreadPoolExecutor, fn: Callable[..., Any], /, *args: Any, **words: Any) -> Any:
        return submit(self, _in_trial(fn), *args, **words)

    return follow


def _start_with_trial(start: Any) -> Any:
    def follow(self: threading.Thread) -> None:
        # A pool's threads outlive the trial that started them; what they run is followed one by one.
        of_pool = getattr(getattr(self, "_target", None), "__module__", "") == "concurrent.futures.thread"
        if not self.daemon and not of_pool:
            self.run = _in_trial(self.run, quiet=True)  # type: ignore[method-assign]
        start(self)

    return follow


def _in_trial(function: Callable[..., Any], *, quiet: bool = False) -> Callable[..., Any]:
    trial = TRIAL.get()
    if trial is None:
        return function

    def run(*args: Any, **words: Any) -> Any:
        token = TRIAL.set(trial)
        try:
            return function(*args, **words)
        except FirstRequestReached:
            if not quiet:  # nobody waits for a thread: Python would print it
                raise
        finally:
            TRIAL.reset(token)

    return run
