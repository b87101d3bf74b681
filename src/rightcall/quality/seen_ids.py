"""Where each id was first used, in a few dozen bytes per id: datasets may have a million goldens."""

from __future__ import annotations

from array import array

LOOKED_UP = 1_000
"""Maximum number of duplicates reported with the first location; each lookup scans all ids."""


class SeenIds:
    """Remembers ids by hash and line number."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._hashes, self._lines = array("q"), array("q")
        self._prefix: str | None = None
        self._others: dict[int, str] = {}  # locations that are not a line of the same file
        self._repeats = 0

    def first(self, name: str, where: str) -> str | None:
        """The location that used this id before; None when it is new (it is then remembered)."""
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
