"""The protobuf wire format, as much of it as OTLP needs: varints, fixed numbers and lengths.

A decoder instead of a dependency: OTLP is stable (fields are never renumbered), needs five wire types, and this file
reads about ten thousand spans a second. Tests compare it with the official package.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any

VARINT = 0
FIXED64 = 1
LENGTH = 2
GROUP = 3
END_GROUP = 4
FIXED32 = 5
Field = tuple[int, int, Any]


class WireError(ValueError):
    """Bytes that are not a protobuf message."""


def fields(data: bytes, count: Callable[[], None] = lambda: None) -> Iterator[Field]:
    """Number, wire type and value of each field: an int, or the bytes of a length. `count` is called for each."""
    position = 0
    size = len(data)
    while position < size:
        count()
        key = data[position]
        position += 1
        if key > 127:
            key, position = _varint(data, position - 1)
        number = key >> 3
        kind = key & 7
        if number == 0:
            raise WireError("field number 0")
        if kind == LENGTH:
            length = data[position] if position < size else 0
            if length > 127 or position >= size:
                length, position = _varint(data, position)
            else:
                position += 1
            end = position + length
            if end > size:
                raise WireError("length beyond the end of the data")
            yield number, kind, data[position:end]
            position = end
        elif kind == VARINT:
            value, position = _varint(data, position)
            yield number, kind, value
        elif kind in (FIXED64, FIXED32):
            width = 8 if kind == FIXED64 else 4
            if position + width > size:
                raise WireError("number beyond the end of the data")
            yield number, kind, int.from_bytes(data[position : position + width], "little")
            position += width
        else:
            raise WireError(f"wire type {kind}")


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    size = len(data)
    while position < size:
        byte = data[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, position
        shift += 7
        if shift > 63:
            raise WireError("number of more than 64 bits")
    raise WireError("unterminated number")


def signed_number(value: int) -> int:
    """A varint as a signed 64-bit number."""
    return value - (1 << 64) if value >> 63 else value


def double(value: int) -> float:
    """A fixed 64-bit field as a floating-point number."""
    number: float = struct.unpack("<d", value.to_bytes(8, "little"))[0]
    return number


def varint(number: int, value: int) -> bytes:
    """A numeric field."""
    return _number(number << 3) + _number(value & (1 << 64) - 1)


def length(number: int, data: bytes) -> bytes:
    """A length-delimited field: bytes, a text or a message."""
    return _number(number << 3 | LENGTH) + _number(len(data)) + data


def text(number: int, value: str) -> bytes:
    """A text field."""
    return length(number, value.encode("utf-8", "replace"))


def fixed64(number: int, value: int) -> bytes:
    """A fixed 64-bit field."""
    return _number(number << 3 | FIXED64) + value.to_bytes(8, "little")


def fixed_double(number: int, value: float) -> bytes:
    """A floating-point field."""
    return _number(number << 3 | FIXED64) + struct.pack("<d", value)


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)
