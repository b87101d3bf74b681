"""A command on Ray, in a child process whose end is always reported.

Ray ends a process that lost its node or its head from C++: with exit code 1, which means "did not pass", and without a
word. So the command runs in a child, and its parent, which never loads Ray, turns such an end into exit code 4 and a
sentence.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from contextlib import suppress

import msgspec

from rightcall.cli.interrupt import end_process
from rightcall.core.errors import InfrastructureError
from rightcall.core.operating_system import (
    can_watch_fork,
    exit_code_of,
    fork_watched,
    kill_process,
    read_available,
)
from rightcall.core.own_output import OWN
from rightcall.show.lines import tell

LOST = InfrastructureError.exit_code
OWN_ENDINGS = frozenset((LOST, 129, 130, 143))
"""Exit codes that Ray does not use: the child has said why, also when it left without a farewell."""

FAREWELL = "."
"""What the child notes last: its exit code is its own."""
WAY_ON = "run it again"


class Supervision(msgspec.Struct):
    """A command that may go on in a child process: only in the program itself, before it has started threads."""

    allowed: bool = False
    pipe: int | None = None
    """In the child: where the parent reads what it must say if this process ends without a word."""

    def note(self, way_on: str) -> None:
        """Say how to continue, should this process be lost from here on."""
        if self.pipe is not None:
            with suppress(OSError):
                os.write(self.pipe, f"{way_on}\0".encode())

    def start(self) -> None:
        """Continue in a child process; returns there alone. Does nothing inside another program, or where
        the end of a fork cannot be watched (Windows, macOS)."""
        if not self.allowed or not can_watch_fork():
            return
        self.allowed = False
        OWN.stdout.flush()
        sys.stderr.flush()
        notes, note = os.pipe()
        parent_lives, parent_side = os.pipe()
        child = fork_watched()
        if child == 0:
            os.close(notes)
            os.close(parent_side)
            threading.Thread(target=_end_with_parent, args=(parent_lives,), daemon=True).start()
            self.pipe = note
            atexit.register(self.note, FAREWELL)
            return
        os.close(note)
        os.close(parent_lives)
        _leave_as(exit_code_of(child), read_available(notes).decode().split("\0")[:-1])


SUPERVISION = Supervision()


def _end_with_parent(parent_lives: int) -> None:
    """Wait until the parent is gone, then end at once: whoever kills the command means the whole of it."""
    os.read(parent_lives, 1)
    kill_process(os.getpid())


def _leave_as(code: int, notes: list[str]) -> None:
    if FAREWELL not in notes and code not in OWN_ENDINGS:
        if sys.stderr.isatty():
            with suppress(OSError):
                os.write(2, b"\x1b[?25h\n")  # the progress bar hides the cursor
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else "lost its connection to Ray"
        tell(f"error: this command {how}; {notes[-1] if notes else WAY_ON}", err=True)
        code = LOST
    OWN.stdout.flush()
    end_process(code if code >= 0 else 128 - code)
