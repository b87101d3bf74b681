"""A cache of judge verdicts by content and version: each question to a model is paid for once."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from rightcall.metrics.judged.frame import SYSTEM, VERSION
from rightcall.model import codec

DEFAULT = ".rightcall/judgements.db"


class VerdictCache:
    """A small SQLite file, shared between processes. A broken one is ignored."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    @staticmethod
    def key(model: str, question: str, vote: int) -> str:
        """A hash of everything a verdict depends on."""
        return hashlib.sha256(codec.encode([VERSION, SYSTEM, model, question, vote])).hexdigest()

    def get(self, key: str) -> tuple[bool, str] | None:
        """The cached verdict and reason, if any."""
        if not self._path.exists():
            return None
        with contextlib.suppress(sqlite3.Error), self._open() as database:
            row = database.execute("SELECT passed, reason FROM verdicts WHERE key = ?", (key,)).fetchone()
            return None if row is None else (bool(row[0]), str(row[1]))
        return None

    def put(self, key: str, passed: bool, reason: str) -> None:
        """Store a verdict."""
        with contextlib.suppress(sqlite3.Error, OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._open() as database:
                database.execute("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?)", (key, passed, reason))

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with contextlib.closing(sqlite3.connect(self._path, timeout=10)) as database, database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS verdicts (key TEXT PRIMARY KEY, passed INTEGER, reason TEXT)"
            )
            yield database
