"""Stdout and stderr of a command, apart from what code under test prints.

File descriptor 1 becomes stderr before a command begins, so that all that code under test prints, also from threads,
child processes and C, goes there; the command itself writes to a copy of its stdout. There is no pipe, which somebody
would have to read: a child that outlives the command does not keep it alive.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

MARK = b"agent: "


class _MarkedStderr(io.RawIOBase):
    """Stderr as the `sys.stdout` of code under test: each line begins with a mark."""

    within_line = False

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1

    def isatty(self) -> bool:
        return sys.stderr.isatty()

    def write(self, data: Any) -> int:
        text = bytes(data)
        marked = text.replace(b"\n", b"\n" + MARK).removesuffix(MARK)
        sys.stderr.flush()
        sys.stderr.buffer.write(marked if self.within_line else MARK + marked)
        sys.stderr.buffer.flush()
        self.within_line = not text.endswith(b"\n")
        return len(text)


class OwnOutput:
    """Where a command writes: `sys.stdout` and `sys.stderr`, until they are kept apart; one per process."""

    allowed = False
    """Only in the program itself: another program may have its own use for its file descriptors."""

    def __init__(self) -> None:
        self._copy: TextIO | None = None

    @property
    def stdout(self) -> TextIO:
        self._end_line()
        return self._copy or sys.stdout

    @property
    def stderr(self) -> TextIO:
        self._end_line()
        return sys.stderr

    def separate(self) -> None:
        """From here on, everything but the command itself prints to stderr; there is no way back."""
        if not self.allowed or self._copy is not None:
            return
        self._joined = sys.stdout
        self._joined.flush()
        copy = os.dup(1)
        os.dup2(2, 1)
        self._copy = os.fdopen(copy, "w", encoding=self._joined.encoding, errors="replace")
        self._raw = _MarkedStderr()
        self._marked = io.TextIOWrapper(
            io.BufferedWriter(self._raw),
            encoding=sys.stderr.encoding,
            errors="backslashreplace",
            line_buffering=True,
        )
        sys.stdout = self._marked

    @contextmanager
    def joined(self) -> Iterator[None]:
        """For what needs the stdout of the process, as prompts, editors and servers do."""
        if self._copy is None:
            yield
            return
        self.stdout.flush()
        os.dup2(self._copy.fileno(), 1)
        replaced = sys.stdout
        sys.stdout = self._joined
        try:
            yield
        finally:
            self._joined.flush()
            os.dup2(2, 1)
            sys.stdout = replaced

    def _end_line(self) -> None:
        """End a line that code under test began: what the command writes begins on a new line."""
        if self._copy is not None:
            self._marked.flush()
            if self._raw.within_line:
                self._marked.write("\n")


OWN = OwnOutput()
