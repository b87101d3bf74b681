"""Ctrl-C, SIGTERM and SIGHUP: the first stops a command cleanly, the second immediately."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn, TypeVar

from rightcall.core.operating_system import stop_signals
from rightcall.core.own_output import OWN

T = TypeVar("T")

INTERRUPTED = 130
UNFINISHED = 4
QUIET_EXIT = (
    b"error: the agent, or a library it uses, called os._exit(0), which ended the command before it was done; "
    b"finished results are stored\n"
)
end_process = os._exit
"""Ends the process with any exit code, also when `refuse_quiet_exit` guards `os._exit`."""

REASONS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "the terminal was closed"}
"""Signals that end a command, with the reason that is shown. Windows has no SIGHUP."""


class Interrupts:
    """The signal handling of a command; one per process, installed by `main`."""

    def __init__(self) -> None:
        self.count = 0
        self.signal = signal.SIGINT
        self.soften: Callable[[], object] | None = None
        """What the first signal does; None raises `KeyboardInterrupt` at the current instruction."""

    @property
    def exit_code(self) -> int:
        """As shells report a process that the signal ended: 130, 143 or 129."""
        return 128 + self.signal

    @property
    def reason(self) -> str:
        return REASONS[self.signal.name]

    def install(self) -> None:
        """Install the handler, except for signals that the parent process handles differently, as `nohup` does."""
        for number in stop_signals():
            if signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL):
                signal.signal(number, self._receive)

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        self.signal = signal.Signals(number)
        if self.count > 1:
            _end_at_once(self.exit_code)
        if self.soften is None:
            raise KeyboardInterrupt
        self.soften()


INTERRUPTS = Interrupts()


@contextmanager
def refuse_quiet_exit() -> Iterator[None]:
    """Let `os._exit(0)` of code under test end this process with an error: its command was not done. Processes that it
    forked end as they like.
    """
    process = os.getpid()

    def end(status: int) -> NoReturn:
        if status == 0 and os.getpid() == process:
            with suppress(OSError):
                os.write(2, QUIET_EXIT)
            status = UNFINISHED
        end_process(status)

    os._exit = end
    try:
        yield
    finally:
        os._exit = end_process


def run_interruptible(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine. A signal cancels it, then raises `KeyboardInterrupt` once it has ended."""
    import asyncio  # most commands never need it

    from rightcall.core.event_loop import run_blocking

    async def cancellable() -> T:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task is not None
        INTERRUPTS.soften = lambda: loop.call_soon_threadsafe(task.cancel)
        try:
            return await work
        finally:
            INTERRUPTS.soften = None

    try:
        return run_blocking(cancellable())
    except asyncio.CancelledError:
        if INTERRUPTS.count:
            raise KeyboardInterrupt from None
        raise
    except ExceptionGroup as group:  # tasks side by side that failed, most often for one reason
        raise _first_cause(group) from None


def _first_cause(error: Exception) -> Exception:
    return _first_cause(error.exceptions[0]) if isinstance(error, ExceptionGroup) else error


def run_stdio_server(server: Coroutine[Any, Any, None]) -> None:
    """Run a server on stdin and stdout; the first signal ends the process.

    Its thread waits for input, and nothing but the client can end that wait.
    """
    import asyncio

    INTERRUPTS.soften = lambda: _end_at_once(INTERRUPTS.exit_code)
    with OWN.joined():
        asyncio.run(server)


def _end_at_once(code: int) -> None:
    """Exit without waiting for threads and without tracebacks from interrupted cleanup.

    Stored results are safe: an interrupted transaction is rolled back.
    """
    if sys.stderr is not None and sys.stderr.isatty():
        with suppress(OSError):
            os.write(2, b"\x1b[?25h\n")  # the progress bar hides the cursor
    with suppress(OSError):
        os.write(2, b"stopped\n")
    end_process(code)
