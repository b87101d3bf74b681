"""A trace that is being received: what is kept of it, within bounds."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from rightcall.limbs.traces.otlp import Item, LogEvent
from rightcall.limbs.traces.redaction import Redactor
from rightcall.limbs.traces.span import Span, SpanEvent
from rightcall.limbs.traces.span_spool import Part, whole_spans

MAX_SPANS = 2_000
MAX_BYTES = 8 * 2**20
MORE_ROOTS = 10
"""Bounds on what is kept of one trace. Roots are often sent last, so a few more are accepted."""


@dataclass(slots=True)
class Open:
    """When the last span arrived, whether the root has ended, and how much of the trace was kept and omitted."""

    last: float
    ended: bool = False
    spans: int = 0
    size: int = 0
    dropped: int = 0

    def take(self, received: Part) -> Part:
        """The part of a trace that may be kept."""
        kept = Part([], [])
        for span in received.spans:
            self.ended = self.ended or (not span.parent_id and span.end > 0)
            if self._has_room(is_root=not span.parent_id) and (size := _size(span)):
                self.spans += 1
                self.size += size
                kept.spans.append(span)
        for span_id, event in received.events:
            if self.size < MAX_BYTES and (size := _size(event)):
                self.size += size
                kept.events.append((span_id, event))
        self.dropped += received.count - kept.count
        return kept

    def give_back(self, kept: Part) -> None:
        """Uncount what could not be stored."""
        self.spans -= len(kept.spans)
        self.size -= sum(map(_size, kept.spans)) + sum(_size(event) for _, event in kept.events)

    def _has_room(self, *, is_root: bool) -> bool:
        if is_root:
            return self.spans < MAX_SPANS + MORE_ROOTS and self.size < 2 * MAX_BYTES
        return self.spans < MAX_SPANS and self.size < MAX_BYTES


def _size(item: Span | SpanEvent) -> int:
    """How many bytes of JSON it is; 0 when JSON cannot express it: that makes one span unusable, not its request."""
    try:
        return len(msgspec.json.encode(item))
    except (OverflowError, TypeError, ValueError):
        return 0


def redact_item(item: Item, redactor: Redactor) -> Item:
    """A span or event without personal data and secrets."""
    if isinstance(item, LogEvent):
        event = SpanEvent(item.event.name, redactor.value(item.event.attributes))
        return LogEvent(item.trace_id, item.span_id, event)
    return redactor.span(item)


def by_trace(items: Iterable[Item]) -> dict[str, Part]:
    """Spans and events of a request by their trace."""
    parts: dict[str, Part] = {}
    for item in items:
        parts.setdefault(item.trace_id, Part([], [])).add(item)
    return parts


def pack_part(part: Part) -> bytes:
    return zlib.compress(msgspec.json.encode(part), 1)


def unpack_spans(contents: Iterable[bytes]) -> list[Span]:
    """Spans as they were stored, with the events that arrived separately."""
    return whole_spans([msgspec.json.decode(zlib.decompress(content), type=Part) for content in contents])
