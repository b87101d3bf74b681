"""Ctrl-C: the first ends a command in good order, the second ends it at once."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")

INTERRUPTED = 130


class Interrupts:
    """What SIGINT does while a command runs; one for the process, installed by `main`."""

    def __init__(self) -> None:
        self.count = 0
        self.soften: Callable[[], object] | None = None
        """What the first Ctrl-C does instead of raising `KeyboardInterrupt` wherever the program happens to be."""

    def install(self) -> None:
        """Take over, unless whoever started the process had its own idea, such as ignoring SIGINT."""
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
    """What a coroutine gives. Ctrl-C cancels it, and is a `KeyboardInterrupt` once it has ended."""

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
    """Without waiting for threads, and without the tracebacks of everything that is torn down half-way.

    What is stored is safe: a transaction that is cut off did not take place.
    """
    if sys.stderr is not None and sys.stderr.isatty():
        with suppress(OSError):
            os.write(2, b"\x1b[?25h\n")  # the progress bar hides the cursor
    with suppress(OSError):
        os.write(2, b"ended at once\n")
    os._exit(INTERRUPTED)
