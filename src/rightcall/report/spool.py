"""A place to wait for what is written before it but known only after it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from types import TracebackType
from typing import Self


class Spool:
    """Lines kept in a temporary file, so that a report needs no more memory for a million cases than for ten."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile("w+b")  # noqa: SIM115

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def write(self, line: str) -> None:
        """Keep one line; it holds no newline of its own."""
        self._file.write(line.encode() + b"\n")

    def lines(self) -> Iterator[str]:
        """What was kept, in order."""
        self._file.seek(0)
        for line in self._file:
            yield line[:-1].decode()
