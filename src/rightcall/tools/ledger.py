"""The effect ledger: an append-only account of what was really done, whatever the agent was told."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from rightcall.model.ledger import LedgerEntry, LedgerPhase


class Ledger:
    """Entries of one trial, in the order they happened. Threads may write to it."""

    def __init__(self) -> None:
        self._entries: list[LedgerEntry] = []
        self._lock = threading.Lock()

    def add(self, phase: LedgerPhase, tool: str, **fields: Any) -> LedgerEntry:
        """Append one line; it is numbered here."""
        with self._lock:
            self._entries.append(LedgerEntry(len(self._entries) + 1, phase, tool, **fields))
            return self._entries[-1]

    @property
    def entries(self) -> tuple[LedgerEntry, ...]:
        """Everything so far."""
        return tuple(self._entries)

    def effects(self) -> tuple[LedgerEntry, ...]:
        """The lines that changed the world, late ones included; an effect noted twice counts once."""
        return effects(self._entries)


def effects(entries: Iterable[LedgerEntry]) -> tuple[LedgerEntry, ...]:
    """The lines that changed the world, late ones included; an effect noted twice counts once."""
    lines = tuple(entries)
    timely = {(e.call_id, e.key, e.attempt) for e in lines if e.phase == "effect"}
    return tuple(
        entry
        for entry in lines
        if entry.phase == "effect"
        or (entry.phase == "late_effect" and (entry.call_id, entry.key, entry.attempt) not in timely)
    )
