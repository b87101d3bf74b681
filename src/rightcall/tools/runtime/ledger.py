"""The effect ledger: an append-only account of what was really done, whatever the agent was told."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from rightcall.model.ledger import LedgerEntry, LedgerPhase

LEARNED = "learned from the key"
"""The detail of an effect that another process had in the same trial."""


class Ledger:
    """Entries of one trial, in the order they happened. Threads may write to it."""

    def __init__(self) -> None:
        self._entries: list[LedgerEntry] = []
        self._keys: set[str] = set()
        self._lock = threading.Lock()

    def add(self, phase: LedgerPhase, tool: str, **fields: Any) -> LedgerEntry:
        """Append one line; it is numbered here."""
        with self._lock:
            entry = LedgerEntry(len(self._entries) + 1, phase, tool, **fields)
            self._entries.append(entry)
            if phase in ("effect", "late_effect"):
                self._keys.add(entry.key)
            return entry

    def knows(self, key: str) -> bool:
        """Whether an effect under this key is noted."""
        return key in self._keys

    @property
    def entries(self) -> tuple[LedgerEntry, ...]:
        """Everything so far."""
        return tuple(self._entries)

    def effects(self) -> tuple[LedgerEntry, ...]:
        """The lines that changed the world, late ones included; an effect noted twice counts once."""
        return effects(self._entries)


def effects(entries: Iterable[LedgerEntry]) -> tuple[LedgerEntry, ...]:
    """The lines that changed the world, late ones included; an effect noted twice counts once.

    What was only learned (from the store or a probe, about another process) counts when nobody else noted it.
    """
    lines = [entry for entry in entries if entry.phase in ("effect", "late_effect")]
    attempts = {(e.key or e.call_id, e.attempt) for e in lines if e.phase == "effect"}
    keys = {entry.key for entry in lines if entry.detail != LEARNED}
    found = []
    for entry in lines:
        if entry.phase == "effect":
            found.append(entry)
        elif entry.detail == LEARNED:
            if entry.key not in keys:
                keys.add(entry.key)
                found.append(entry)
        elif (name := (entry.key or entry.call_id, entry.attempt)) not in attempts:
            attempts.add(name)
            found.append(entry)
    return tuple(found)
