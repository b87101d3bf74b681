"""Hashes of all shards, split into files by range, so that they can be searched one part at a time."""

from __future__ import annotations

import tempfile
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Self

BUCKETS = 64
"""A hundred million hashes are then read a million and a half at a time."""

WIDTH = 2**64 // BUCKETS
EDGES = [number * WIDTH - 2**63 for number in range(1, BUCKETS)]


class HashBuckets:
    """Signed 64-bit hashes in temporary files of a folder: memory does not grow with their number."""

    def __init__(self, folder: Path) -> None:
        self._stack = ExitStack()
        opened = [tempfile.TemporaryFile(dir=folder) for _ in range(BUCKETS)]  # noqa: SIM115  closed by the stack
        self._files = [self._stack.enter_context(file) for file in opened]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, hashes: array[int]) -> None:
        """Add hashes, which are sorted."""
        at = 0
        for number, file in enumerate(self._files):
            end = bisect_left(hashes, EDGES[number]) if number < len(EDGES) else len(hashes)
            if end > at:
                hashes[at:end].tofile(file)
            at = end

    def __iter__(self) -> Iterator[array[int]]:
        """The hashes of each bucket, in order of buckets."""
        for file in self._files:
            file.seek(0)
            yield array("q", file.read())

    def repeated(self) -> bool:
        return any(len(set(bucket)) < len(bucket) for bucket in self)

    def distinct(self) -> int:
        return sum(len(set(bucket)) for bucket in self)

    def missing(self, expected: HashBuckets, most: int) -> tuple[int, set[int]]:
        """How many of the wanted hashes were never added, and up to `most` of them."""
        count, some = 0, set[int]()
        for mine, theirs in zip(self, expected, strict=True):
            lacking = set(theirs).difference(mine)
            count += len(lacking)
            some.update(list(lacking)[: max(0, most - len(some))])
        return count, some
