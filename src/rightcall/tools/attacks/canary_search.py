"""Finds a canary in a text, whatever simple disguise it wears.

Two searches that complete each other. Disguises that change no length by much (rot13, reversal, hex, base64) are
made of the canary and looked for; what can hold a canary within a longer text (percent, base64, hex) is decoded and
looked into. Both compare letters and digits alone, case-folded, after NFKC. Together they find any composition of
two forms.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Any
from urllib.parse import unquote_to_bytes

from rightcall.core.lazy_pattern import lazy_pattern
from rightcall.records.record import Record

LEAST_HALF = 6
"""Letters of a half of a secret that count as the secret."""
SHORT = 4000
"""Characters of a text whose readings are kept for the next canary."""
MOST_TEXT = 200_000
"""Characters of a text that are decoded; the search for plain forms has no limit."""

_TOKEN = lazy_pattern(r"(?<![a-z0-9])[a-z2-7]{10,16}(?![a-z0-9])")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")
_HEX = lazy_pattern(r"(?:[0-9A-Fa-f]{2}[\s:,-]?){4,}")


class Hit(Record, frozen=True):
    """A canary in a text: the form that it has there, and where the text is."""

    form: str
    path: str = ""


def plain_text(text: str) -> str:
    """Letters and digits alone, case-folded, after NFKC: what all disguises by spelling have in common."""
    if text.isascii():
        return "".join(filter(str.isalnum, text)).lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if character.isalnum())


@lru_cache(maxsize=4096)
def core_of(value: str) -> str:
    """The part of a canary that makes it unique: its random letters, without what gives it a shape."""
    token = _TOKEN.search(value)
    return plain_text(token.group() if token else value)


def find_canary(text: str, value: str) -> Hit | None:
    """The canary in a text, in the first form that fits; None when it is not there."""
    core = core_of(value)
    if value in text:
        return Hit("as is")
    return _find_disguised(text, core) if len(core) >= LEAST_HALF else None


def _find_disguised(text: str, core: str) -> Hit | None:
    plain, decoded = _short_readings(text) if len(text) <= SHORT else _readings(text)
    if core in plain:
        return Hit("case or separators")
    for form, needle in _disguises(core):
        if needle in plain:
            return Hit(form)
    for form, reading, is_twice in decoded:
        if core in reading:
            return Hit(form)
        for inner, needle in () if is_twice else _disguises(core)[: len(_SIMPLE)]:
            if needle in reading:
                return Hit(f"{form} of {inner}")
    return None


Readings = tuple[str, tuple[tuple[str, str, bool], ...]]
"""A text by its letters and digits, and the same of what it says decoded, once or twice, with the name of the code."""


def _readings(text: str) -> Readings:
    decoded: list[tuple[str, str, bool]] = []
    for form, once in decodings(text[:MOST_TEXT]):
        decoded.append((form, plain_text(once), False))
        decoded += [(f"{form} of {inner}", plain_text(twice), True) for inner, twice in decodings(once)]
    return plain_text(text), tuple(decoded)


_short_readings = lru_cache(maxsize=512)(_readings)
"""The same text is searched for each canary of an attempt."""


def decodings(text: str) -> Iterator[tuple[str, str]]:
    """What a text says when it is decoded, with the name of the code; parts that are no code stay as they are."""
    text = unicodedata.normalize("NFKC", text) if not text.isascii() else text
    if "%" in text:
        yield "percent-encoded", unquote_to_bytes(text).decode("utf-8", "replace")
    for run in _BASE64.findall(text):
        yield from (("base64", decoded) for decoded in _from_base64(run.rstrip("=")))
    for run in _HEX.findall(text):
        digits = re.sub(r"[^0-9A-Fa-f]", "", run)
        for start in (0, 1):
            part = digits[start : len(digits) - (len(digits) - start) % 2]
            yield "hex", bytes.fromhex(part).decode("utf-8", "replace")


def _from_base64(run: str) -> Iterator[str]:
    for offset in range(min(4, len(run))):
        part = run[offset:].translate(str.maketrans("-_", "+/"))
        part = part[: len(part) - (len(part) % 4 == 1)]
        try:
            yield base64.b64decode(part + "=" * (-len(part) % 4)).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            continue


def _base64_at(offset: int) -> Callable[[str], str]:
    """The base64 text that any longer text has which holds this one after 3n + `offset` bytes."""

    def encode(text: str) -> str:
        data = text.encode()
        coded = base64.b64encode(b"\0" * offset + data).decode()
        first = -(-offset * 8 // 6)
        return coded[first : (offset + len(data)) * 8 // 6]

    return encode


def rot13(text: str) -> str:
    """Letters moved by thirteen places."""
    return codecs.encode(text, "rot13")


_SIMPLE: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("rot13", rot13),
    ("reversed", lambda text: text[::-1]),
    ("hex", lambda text: text.encode().hex()),
    *(("base64", _base64_at(offset)) for offset in range(3)),
)


@lru_cache(maxsize=1024)
def _disguises(core: str) -> tuple[tuple[str, str], ...]:
    """What is looked for besides the canary itself: first each simple form, then each pair of them."""
    simple = [(name, code(core)) for name, code in _SIMPLE]
    pairs = [(f"{outer} of {name}", code(text)) for name, text in simple for outer, code in _SIMPLE]
    needles = ((name, plain_text(text)) for name, text in (*simple, *pairs))
    return tuple((name, needle) for name, needle in needles if len(needle) >= LEAST_HALF and needle != core)


def texts_of(value: Any, path: str = "", *, keys: bool = True) -> Iterator[tuple[str, str]]:
    """Every text of a JSON value with its path: string leaves, numbers as text, and keys."""
    if isinstance(value, dict):
        for name, inner in value.items():
            place = f"{path}.{name}".lstrip(".")
            if keys:
                yield place, str(name)
            yield from texts_of(inner, place, keys=keys)
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from texts_of(inner, f"{path}[{index}]", keys=keys)
    elif isinstance(value, str):
        yield path, value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, str(value)


def find_in_value(value: Any, canary: str) -> Hit | None:
    """The canary in one leaf or key of a JSON value, or spread over its leaves."""
    texts = list(texts_of(value))
    for path, text in texts:
        if hit := find_canary(text, canary):
            return Hit(hit.form, path)
    joined = "".join(text for _, text in texts_of(value, keys=False))
    if len(texts) > 1 and core_of(canary) in plain_text(joined):
        return Hit("split over arguments")
    return None


def find_in_halves(values: Iterable[Any], secret: str) -> Hit | None:
    """A secret whose halves went out in several calls, in whatever order."""
    core = core_of(secret)
    if len(core) < 2 * LEAST_HALF:
        return None
    texts = [text for _, text in chain.from_iterable(texts_of(value, keys=False) for value in values)]
    if core in plain_text("".join(texts)):
        return Hit("split over calls")
    middle = len(core) // 2
    if all(any(find_canary(text, half) for text in texts) for half in (core[:middle], core[middle:])):
        return Hit("in two halves")
    return None
