"""Numbered lines of a file, each of bounded length, so that no file can exhaust memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from io import BufferedReader
from itertools import count

from rightcall.errors import InputError

MAX_LINE_BYTES = 8 * 1024 * 1024
"""Maximum line length. A longer golden or trajectory is a mistake or an attack."""


def numbered_lines(file: BufferedReader, path: str) -> Iterator[tuple[int, bytes]]:
    """Line numbers from 1 and the bytes of each line, including its line ending."""
    for number, line in unchecked_lines(file):
        refuse_long_line(line, f"{path}:{number}")
        yield number, line


def unchecked_lines(file: BufferedReader) -> Iterator[tuple[int, bytes]]:
    """Like `numbered_lines` but faster: lines that are too long are truncated.

    Call `refuse_long_line` on a line that cannot be parsed; a truncated line never can.
    """
    return zip(count(1), iter(partial(file.readline, MAX_LINE_BYTES + 1), b""), strict=False)


def refuse_long_line(line: bytes, where: str) -> None:
    """Raise if a line is too long."""
    if len(line) > MAX_LINE_BYTES:
        raise InputError(
            where,
            f"the line is longer than {MAX_LINE_BYTES // 2**20} MiB",
            "is the whole file one line? use the suffix .json for a JSON list",
        )
