"""The effect ledger: an append-only account of what was really done, whatever the agent was told."""

from __future__ import annotations

import threading
from typing import Any, Literal

from rightcall.model.record import Record

Phase = Literal[
    "effect",  # the tool changed the world
    "late_effect",  # … after its caller had stopped waiting or lost its claim
    "unknown",  # the effect may have happened
    "replayed",  # an earlier result was given again, nothing was done
    "refused",  # rejected before anything was done
    "runtime_retry",  # the runtime asked again on its own
    "key_expired_reuse",  # a key was used again after its time to live
    "fault",  # an injected fault fired
]


class Entry(Record, frozen=True):
    """One line of the ledger.

    `effect_id` numbers the lines of one trial; `fingerprint` is the same for two calls that mean the same
    (key and volatile fields left out), so two effects with one fingerprint are a double effect.
    """

    effect_id: int
    phase: Phase
    tool: str
    fingerprint: str = ""
    key: str = ""
    attempt: int = 1
    call_id: str = ""
    time: float = 0.0
    detail: str = ""
    change: Any = None


class Ledger:
    """Entries of one trial, in the order they happened. Threads may write to it."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._lock = threading.Lock()

    def add(self, phase: Phase, tool: str, **fields: Any) -> Entry:
        """Append one line; it is numbered here."""
        with self._lock:
            entry = Entry(len(self._entries) + 1, phase, tool, **fields)
            self._entries.append(entry)
        return entry

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Everything so far."""
        return tuple(self._entries)

    def effects(self) -> tuple[Entry, ...]:
        """The lines that changed the world, late ones included; an effect noted twice counts once."""
        timely = {(e.call_id, e.key, e.attempt) for e in self._entries if e.phase == "effect"}
        return tuple(
            entry
            for entry in self._entries
            if entry.phase == "effect"
            or (entry.phase == "late_effect" and (entry.call_id, entry.key, entry.attempt) not in timely)
        )

    def double_effects(self) -> tuple[Entry, ...]:
        """Every effect that repeats an earlier one with the same meaning."""
        seen: set[tuple[str, str]] = set()
        doubled = []
        for entry in self.effects():
            meaning = (entry.tool, entry.fingerprint)
            if meaning in seen:
                doubled.append(entry)
            seen.add(meaning)
        return tuple(doubled)
