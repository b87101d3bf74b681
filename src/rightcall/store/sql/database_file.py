"""Whether the file of an open SQLite store is still the file that was opened.

SQLite silently keeps writing to a file that was deleted or replaced: what it stores then is lost. Only
`stat` is used here, because opening and closing the file would drop the locks that SQLite holds on it
(https://www.sqlite.org/howtocorrupt.html, section 2.2).
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from rightcall.errors import StoreError


class DatabaseFile:
    """The file behind a store. `require` raises a `StoreError` when it was deleted, replaced or truncated."""

    def __init__(self, path: Path) -> None:
        self._path = path
        found = path.stat()
        self._identity, self._size = (found.st_dev, found.st_ino), found.st_size

    def require(self) -> None:
        """Return if the file still exists and is intact."""
        try:
            found = self._path.stat()
        except OSError as error:  # a mount that hangs or a folder that is moved may come back
            raise self._lost(f"the file no longer exists ({error.strerror})", retryable=True) from None
        if (found.st_dev, found.st_ino) != self._identity:
            raise self._lost("the file was replaced while it was open")
        if found.st_size < self._size and not (found.st_size and _is_whole(self._path)):
            raise self._lost("the file was truncated while it was open")
        self._size = found.st_size

    def _lost(self, problem: str, *, retryable: bool = False) -> StoreError:
        return StoreError(f"store {self._path}: {problem}", retryable=retryable)


def _is_whole(path: Path) -> bool:
    """Whether a file that became shorter is a valid database: pruning old runs shortens it too."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as connection:
            found: tuple[str] = connection.execute("PRAGMA quick_check(1)").fetchone()
            return found == ("ok",)
    except sqlite3.Error:
        return False
