"""Ctrl-C: the first stops a command cleanly, the second immediately."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

INTERRUPTED = 130


class Interrupts:
    """The SIGINT handling of a command; one per process, installed by `main`."""

    def __init__(self) -> None:
        self.count = 0
        self.soften: Callable[[], object] | None = None
        """What the first Ctrl-C does; None raises `KeyboardInterrupt` at the current instruction."""

    def install(self) -> None:
        """Install the handler, unless the parent process chose another one, such as ignoring SIGINT."""
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._received)

    def _received(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        if self.count > 1:
            _end_at_once()
        if self.soften is None:
            raise KeyboardInterrupt
        self.soften()


INTERRUPTS = Interrupts()


def run_interruptible(
    work: Coroutine[Any, Any, T], loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None
) -> T:
    """The result of a coroutine. Ctrl-C cancels it, then raises `KeyboardInterrupt` once it has ended."""
    import asyncio  # most commands never need it

    async def cancellable() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        INTERRUPTS.soften = lambda: loop.call_soon_threadsafe(task.cancel)
        try:
            return await work
        finally:
            INTERRUPTS.soften = None

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        try:
            return runner.run(cancellable())
        except asyncio.CancelledError:
            if INTERRUPTS.count:
                raise KeyboardInterrupt from None
            raise


def _end_at_once() -> None:
    """Exit without waiting for threads and without tracebacks from interrupted cleanup.

    Stored results are safe: an interrupted transaction is rolled back.
    """
    if sys.stderr is not None and sys.stderr.isatty():
        with suppress(OSError):
            os.write(2, b"\x1b[?25h\n")  # the progress bar hides the cursor
    with suppress(OSError):
        os.write(2, b"stopped\n")
    os._exit(INTERRUPTED)
