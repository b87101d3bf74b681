"""Where each id was first used, at a few dozen bytes an id: datasets may hold a million."""

from __future__ import annotations

from array import array

LOOKED_UP = 1_000
"""So many repeats are told with the place of the first; looking it up takes a pass over all ids."""


class SeenIds:
    """Remembers ids by their hash and the line they are in."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._hashes, self._lines = array("q"), array("q")
        self._prefix: str | None = None
        self._others: dict[int, str] = {}  # places that are not a line of the same file
        self._repeats = 0

    def first(self, name: str, where: str) -> str | None:
        """The place that had this id before; None, and it is remembered, when there is none."""
        key = hash(name)
        if key not in self._seen:
            self._seen.add(key)
            self._remember(key, where)
            return None
        self._repeats += 1
        if self._repeats > LOOKED_UP:
            return "an earlier place"
        return self._place(key)

    def _remember(self, key: int, where: str) -> None:
        prefix, _, line = where.rpartition(":")
        if self._prefix is None:
            self._prefix = prefix
        if line.isascii() and line.isdigit() and prefix == self._prefix:
            self._hashes.append(key)
            self._lines.append(int(line))
        else:
            self._others[key] = where

    def _place(self, key: int) -> str:
        if key in self._others:
            return self._others[key]
        return f"{self._prefix}:{self._lines[self._hashes.index(key)]}"
