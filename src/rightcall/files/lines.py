"""Numbered lines of a file, each of bounded length, so that no file can exhaust the memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from io import BufferedReader

from rightcall.errors import InputError

MAX_LINE_BYTES = 8 * 1024 * 1024
"""The longest line that is read. A golden or a trajectory of that size is a mistake, or an attack."""


def numbered_lines(file: BufferedReader, path: str) -> Iterator[tuple[int, bytes]]:
    """Line numbers from 1 and the bytes of each line with its line end."""
    limit = MAX_LINE_BYTES
    for number, line in enumerate(iter(partial(file.readline, limit + 1), b""), 1):
        if len(line) > limit:
            raise InputError(
                f"{path}:{number}",
                f"the line is longer than {limit // 2**20} MiB, the most that is read",
                "is the whole file one line? A JSON list belongs in a .json file",
            )
        yield number, line
