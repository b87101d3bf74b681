"""A note on results: a code for programs, a text for people."""

from __future__ import annotations

from rightcall.records.record import Record


class Note(Record, frozen=True):
    """What a reader of a verdict must know besides its reason: a code for programs, a text for people."""

    code: str
    text: str
