"""Numbered lines of a file, each of bounded length, so that no file can exhaust the memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from io import BufferedReader
from itertools import count

from rightcall.errors import InputError

MAX_LINE_BYTES = 8 * 1024 * 1024
"""The longest line that is read. A golden or a trajectory of that size is a mistake, or an attack."""


def numbered_lines(file: BufferedReader, path: str) -> Iterator[tuple[int, bytes]]:
    """Line numbers from 1 and the bytes of each line with its line end."""
    for number, line in unchecked_lines(file):
        refuse_long_line(line, f"{path}:{number}")
        yield number, line


def unchecked_lines(file: BufferedReader) -> Iterator[tuple[int, bytes]]:
    """The same at the speed of the interpreter's own loops: what is too long comes cut off.

    For whoever calls `refuse_long_line` on a line that cannot be read, which such a line never can.
    """
    return zip(count(1), iter(partial(file.readline, MAX_LINE_BYTES + 1), b""), strict=False)


def refuse_long_line(line: bytes, where: str) -> None:
    """Raise if a line is longer than may be."""
    if len(line) > MAX_LINE_BYTES:
        raise InputError(
            where,
            f"the line is longer than {MAX_LINE_BYTES // 2**20} MiB, the most that is read",
            "is the whole file one line? A JSON list belongs in a .json file",
        )
