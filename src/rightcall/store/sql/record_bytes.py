"""Records to bytes and back, and text that every engine can store and sorts the same way.

What an agent returns is hostile: a value may have a type that JSON does not support, be nested a thousand
levels deep, or contain an unpaired surrogate. Losing a finished case to that would be worse than storing a
readable approximation, so the plain encoder is tried first and whatever it rejects is made storable.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar, cast

import msgspec
from sqlalchemy import Dialect, Text, TypeDecorator

from rightcall.core.codec import describe_value
from rightcall.core.errors import InputError

ESCAPE = "\x1a"
"""SUBSTITUTE, a control character that does not occur in practice: escaping with it leaves ordinary text unchanged."""


def escape_text(text: str) -> str:
    """The text as stored: PostgreSQL rejects NUL, and UTF-8 has no unpaired surrogates.

    NUL round-trips. An unpaired surrogate is not a character: it is stored as U+FFFD.
    """
    if "\x00" in text or ESCAPE in text:
        text = text.replace(ESCAPE, ESCAPE + "1").replace("\x00", ESCAPE + "0")
    return text if text.isascii() else whole(text)


def unescape_text(text: str) -> str:
    """The text as it was before `escape_text`."""
    if ESCAPE not in text:
        return text
    return text.replace(ESCAPE + "0", "\x00").replace(ESCAPE + "1", ESCAPE)


def whole(text: str) -> str:
    """The text with U+FFFD in place of every unpaired surrogate; complete pairs become their character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class Words(TypeDecorator[str]):
    """A text column that stores any text, sorted by code point on every engine."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        collation = "C" if dialect.name == "postgresql" else None
        return dialect.type_descriptor(Text(collation=collation))

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else escape_text(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        if value is not None and not isinstance(value, str):
            raise _unreadable(str, TypeError(f"found {type(value).__name__}"))
        return None if value is None else unescape_text(value)


T = TypeVar("T")

DEEPEST = 200
WORTH_COMPRESSING = 200
"""Bytes below which zlib saves nothing worth its time."""
SHORT = 4096
"""Bytes of the window that compresses a short record."""
ZLIB_STARTS = (b"\x48", b"\x78")
"""First bytes of what zlib writes with the short window and with the default one; JSON starts with neither."""

_encode = msgspec.json.Encoder(enc_hook=describe_value).encode
_canonical = msgspec.json.Encoder(enc_hook=describe_value, order="deterministic").encode


def encode_record(value: Any) -> bytes:
    try:
        return _encode(value)
    except (TypeError, ValueError, RecursionError):
        return _encode(storable(value))


def canonical(value: Any) -> bytes:
    """JSON in which equal values are equal bytes, independent of key order."""
    try:
        return _canonical(value)
    except (TypeError, ValueError, RecursionError):
        return _canonical(storable(value))


def decode_record(data: bytes | memoryview, as_type: type[T]) -> T:
    try:
        record: T = _decoder(cast(Any, as_type)).decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, TypeError) as error:
        raise _unreadable(as_type, error) from error
    return record


def compress_record(value: Any) -> bytes:
    """JSON, compressed when worthwhile; `decompress_record` detects it by the first byte.

    zlib at level 1: level 6 takes a third longer for 3 % less, and zstd would be one more dependency.
    """
    return compress_json(encode_record(value))


def compress_json(data: bytes) -> bytes:
    """JSON as `compress_record` keeps it.

    Most records are short, and zlib's default clears 256 KB before it reads the first byte: 59 µs for a transcript
    of 500 bytes. A window that covers the record and a small hash table give the same bytes in 6 µs.
    """
    if len(data) < WORTH_COMPRESSING:
        return data
    if len(data) > SHORT:
        return zlib.compress(data, 1)
    compressor = zlib.compressobj(1, zlib.DEFLATED, SHORT.bit_length() - 1, 5)
    return compressor.compress(data) + compressor.flush()


def decompress_record(data: bytes | memoryview, as_type: type[T]) -> T:
    try:
        plain = decompress_json(data)
    except (zlib.error, TypeError, ValueError) as error:
        raise _unreadable(as_type, error) from error
    return decode_record(plain, as_type)


def column_bytes(data: bytes | memoryview) -> bytes:
    """The bytes of a column; `TypeError` for another type. `bytes` of a number would be that many zeros."""
    return bytes(memoryview(data))


def decompress_json(data: bytes | memoryview) -> bytes:
    """The JSON of a record that may be compressed."""
    data = column_bytes(data)
    return zlib.decompress(data) if data[:1] in ZLIB_STARTS else data


def compress_bytes(data: bytes) -> bytes:
    return zlib.compress(data)


def decompress_bytes(data: bytes) -> bytes:
    try:
        return zlib.decompress(data)
    except (zlib.error, TypeError) as error:
        raise _unreadable(bytes, error) from error


def storable(value: Any, depth: int = 0) -> Any:
    """An approximation of the value that JSON can represent."""
    if value is None or isinstance(value, str | bool | int | float):
        return whole(value) if isinstance(value, str) else value
    if depth >= DEEPEST:
        return "… nested too deeply to store"
    if isinstance(value, msgspec.Struct):
        fields = ((f.encode_name, getattr(value, f.name), f.default) for f in msgspec.structs.fields(value))
        return {name: storable(v, depth + 1) for name, v, default in fields if v is not default}
    if isinstance(value, Mapping):
        return {whole(str(key)): storable(v, depth + 1) for key, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [storable(v, depth + 1) for v in value]
    return whole(repr(value))


def _unreadable(as_type: Any, error: Exception) -> InputError:
    name = getattr(as_type, "__name__", "value")
    return InputError(
        "store",
        f"a {name} in the store cannot be read ({error})",
        "if a newer RightCall wrote it, upgrade; otherwise the store is damaged",
    )


@cache
def _decoder(as_type: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(as_type)
