"""Text that every engine can store, sorted the same way by every engine."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Dialect, Text, TypeDecorator

ESCAPE = "\x1a"
"""SUBSTITUTE, a control character that does not occur in practice: escaping with it leaves ordinary text unchanged."""


def held(text: str) -> str:
    """The text as stored: PostgreSQL rejects NUL, and UTF-8 has no unpaired surrogates.

    NUL round-trips. An unpaired surrogate is not a character: it is stored as U+FFFD.
    """
    if "\x00" in text or ESCAPE in text:
        text = text.replace(ESCAPE, ESCAPE + "1").replace("\x00", ESCAPE + "0")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return whole(text)
    return text


def given(text: str) -> str:
    """The text as it was before `held`."""
    if ESCAPE not in text:
        return text
    return text.replace(ESCAPE + "0", "\x00").replace(ESCAPE + "1", ESCAPE)


def whole(text: str) -> str:
    """The text with U+FFFD in place of every unpaired surrogate; complete pairs become their character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Words(TypeDecorator[str]):
    """A text column that stores any text, sorted by code point on every engine."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        collation = "C" if dialect.name == "postgresql" else None
        return dialect.type_descriptor(Text(collation=collation))

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else held(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else given(value)
