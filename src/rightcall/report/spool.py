"""A temporary file for lines that must follow something known only at the end."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from types import TracebackType
from typing import Self


class Spool:
    """Lines kept in a temporary file, so that memory does not grow with the number of cases."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile("w+b")  # noqa: SIM115

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def write(self, line: str) -> None:
        """Add one line, without a newline."""
        self._file.write(line.encode() + b"\n")

    def lines(self) -> Iterator[str]:
        """The lines, in order."""
        self._file.seek(0)
        for line in self._file:
            yield line[:-1].decode()
