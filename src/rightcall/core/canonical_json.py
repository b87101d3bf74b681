"""JSON in canonical form (RFC 8785): equal values are equal bytes, whatever order and spelling they came in."""

from __future__ import annotations

import math
from typing import Any

import msgspec

_sorted_encode = msgspec.json.Encoder(order="sorted").encode


ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def canonical(value: Any) -> bytes:
    """The JSON of RFC 8785: names sorted by UTF-16 code units, numbers as ECMAScript writes them.

    Whole numbers beyond 2**53 keep all their digits, where the RFC would round them to a double: two
    account numbers must not become one.
    """
    if _is_simple(value):
        return _sorted_encode(value)
    return _text(value).encode()


def _is_simple(value: Any) -> bool:
    """Whether the fast encoder's spelling is already canonical: plain ASCII, and fractions of usual size."""
    kind = type(value)
    if kind is str:
        return bool(value.isascii() and value.isprintable())
    if kind is float:
        return not value.is_integer() and 1e-4 < abs(value) < 1e15
    if kind is dict:
        for name, inner in value.items():
            if not (name.isascii() and name.isprintable() and _is_simple(inner)):
                return False
    elif kind is list or kind is tuple:
        return all(_is_simple(inner) for inner in value)
    return True


def _text(value: Any) -> str:
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{_quote_text(name)}:{_text(value[name])}" for name in names) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_text(inner) for inner in value) + "]"
    if isinstance(value, str):
        return _quote_text(value)
    if isinstance(value, float):
        return _number(value)
    return _sorted_encode(value).decode()


def _quote_text(text: str) -> str:
    return '"' + "".join(ESCAPES.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in text) + '"'


def _number(value: float) -> str:
    """ECMAScript's spelling of a double: no exponent from 1e-6 up to 1e21, and 1.0 is 1."""
    if not math.isfinite(value):
        raise ValueError("not a JSON number")
    if value == 0:
        return "0"
    if value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    mantissa, _, exponent = repr(value).partition("e")
    if not exponent:
        return mantissa.removesuffix(".0")
    sign, digits = ("-", mantissa[1:]) if mantissa.startswith("-") else ("", mantissa)
    whole, _, fraction = digits.partition(".")
    fraction = "" if fraction == "0" else fraction
    power = int(exponent)
    if -7 < power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{whole}{fraction}"
    if 0 < power < 21:
        return f"{sign}{whole}{fraction.ljust(power, '0')}"
    return f"{sign}{whole}{'.' + fraction if fraction else ''}e{'+' if power > 0 else '-'}{abs(power)}"
