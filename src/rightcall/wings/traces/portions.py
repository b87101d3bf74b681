"""A large JSON document, a portion at a time: its text is in memory, but never all its decoded values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec

LARGE = 4 * 1024 * 1024
AT_ONCE = 500


class _Scope(msgspec.Struct):
    spans: list[msgspec.Raw]
    scope: msgspec.Raw = msgspec.Raw(b"null")


class _Resource(msgspec.Struct):
    scope_spans: list[_Scope] = msgspec.field(name="scopeSpans")
    resource: msgspec.Raw = msgspec.Raw(b"null")


class _Otlp(msgspec.Struct, forbid_unknown_fields=True):
    resource_spans: list[_Resource] = msgspec.field(name="resourceSpans")


def portions(data: bytes) -> Iterator[tuple[Any, int]] | None:
    """Smaller documents that together are equivalent, with their size in bytes; None when it must be read whole."""
    if len(data) < LARGE:
        return None
    with suppress(msgspec.DecodeError, UnicodeError, RecursionError):
        return _of_otlp(msgspec.json.decode(data, type=_Otlp))
    with suppress(msgspec.DecodeError, UnicodeError, RecursionError):
        return _batches(msgspec.json.decode(data, type=list[msgspec.Raw]))
    return None


def _of_otlp(document: _Otlp) -> Iterator[tuple[Any, int]]:
    for group in document.resource_spans:
        resource = msgspec.json.decode(group.resource)
        for scoped in group.scope_spans:
            scope = msgspec.json.decode(scoped.scope)
            for spans, size in _batches(scoped.spans):
                scope_spans = [{"scope": scope, "spans": spans}]
                yield {"resourceSpans": [{"resource": resource, "scopeSpans": scope_spans}]}, size


def _batches(items: list[msgspec.Raw]) -> Iterator[tuple[list[Any], int]]:
    """The values of a list, some at a time, with their size in bytes."""
    for start in range(0, len(items), AT_ONCE):
        some = items[start : start + AT_ONCE]
        yield [msgspec.json.decode(raw) for raw in some], sum(memoryview(raw).nbytes for raw in some)
