"""Collects the spans of all files by trace, without holding them all in memory."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import msgspec

from rightcall.limbs.traces.otlp import Item, LogEvent
from rightcall.limbs.traces.span import Span, SpanEvent

MOST_SPANS = 20_000
MOST_BYTES = 64 * 1024 * 1024
"""How much is held in memory before the disk is used: small imports never use it."""
LATEST = 2**63 - 1


class Part(msgspec.Struct, gc=False):
    """Some spans of one trace, and events that arrived separately from their spans."""

    spans: list[Span] = []
    events: list[tuple[str, SpanEvent]] = []

    @property
    def count(self) -> int:
        return len(self.spans) + len(self.events)

    def add(self, item: Item) -> None:
        if isinstance(item, LogEvent):
            self.events.append((item.span_id, item.event))
        else:
            self.spans.append(item)


class SpanSpool:
    """Accepts spans in any order and returns them by trace, the oldest trace first.

    What does not fit in memory is kept in an unnamed temporary file of SQLite: no other process can open it, and it
    disappears with this process, however that ends.
    """

    def __init__(self) -> None:
        self._parts: defaultdict[str, Part] = defaultdict(Part)
        self._sources: dict[str, str] = {}
        self._held = self._bytes = 0
        self._file: sqlite3.Connection | None = None

    def take(self, items: Iterable[Item], source: str, size: int = 0) -> None:
        """Keep spans and events of one record that was `size` bytes long."""
        for item in items:
            self._parts[item.trace_id].add(item)
            self._sources[item.trace_id] = min(source, self._sources.get(item.trace_id, source))
            self._held += 1
            if self._held >= MOST_SPANS:
                self._spill()
        self._bytes += size
        if self._bytes >= MOST_BYTES:
            self._spill()

    def traces(self) -> Iterator[tuple[str, list[Span]]]:
        """Source and spans of each trace, whatever the order of files and spans; then the spool is empty."""
        if self._file is None:
            starts = [(min(span.start for span in p.spans), t) for t, p in self._parts.items() if p.spans]
            for _, trace_id in sorted(starts):
                part = self._parts.pop(trace_id)
                yield self._sources.pop(trace_id), whole_spans([part])
            return
        self._spill()
        self._file.execute("CREATE INDEX of_trace ON part (trace_id)")
        order = self._file.execute(
            "SELECT trace_id, min(source) FROM part GROUP BY trace_id HAVING min(start) IS NOT NULL "
            "ORDER BY min(start), trace_id"
        )
        for trace_id, source in order:
            rows = self._file.execute("SELECT content FROM part WHERE trace_id = ?", (trace_id,))
            yield source, whole_spans([msgspec.msgpack.decode(content, type=Part) for (content,) in rows])
        self._file.close()

    def _spill(self) -> None:
        if self._file is None:
            self._file = sqlite3.connect("", isolation_level=None)  # an unnamed temporary file of SQLite
            self._file.execute("PRAGMA journal_mode = OFF")
            self._file.execute("PRAGMA cache_size = -16384")
            self._file.execute("CREATE TABLE part (trace_id TEXT, start INTEGER, source TEXT, content BLOB)")
        rows = (
            (
                trace_id,
                min((min(span.start, LATEST) for span in part.spans), default=None),
                self._sources[trace_id],
                _encode_part(part),
            )
            for trace_id, part in self._parts.items()
        )
        self._file.execute("BEGIN")
        self._file.executemany("INSERT INTO part VALUES (?, ?, ?, ?)", rows)
        self._file.execute("COMMIT")
        self._parts = defaultdict(Part)
        self._sources = {}
        self._held = 0
        self._bytes = 0


def _encode_part(part: Part) -> bytes:
    try:
        return msgspec.msgpack.encode(part)
    except OverflowError:  # numbers of more than 64 bits, which only a hostile file contains
        return msgspec.msgpack.encode(_within_64_bits(msgspec.to_builtins(part)))


def _within_64_bits(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _within_64_bits(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return [_within_64_bits(held) for held in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return float(value) if abs(value) < 2**1000 else None
    return value


def whole_spans(parts: Sequence[Part]) -> list[Span]:
    """The spans of all parts with the events that arrived separately, once each."""
    spans = list(chain.from_iterable(part.spans for part in parts))
    apart: dict[str, list[SpanEvent]] = {}
    for part in parts:
        for span_id, event in part.events:
            apart.setdefault(span_id, []).append(event)
    if not apart:
        return spans
    spans_with_events = []
    for span in spans:
        new = [event for event in apart.get(span.span_id, ()) if event not in span.events]
        spans_with_events.append(msgspec.structs.replace(span, events=[*span.events, *new]) if new else span)
    return spans_with_events
