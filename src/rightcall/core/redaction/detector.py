"""The secrets of a text, as places: by the format of a key, or by the context of a value."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from typing import NamedTuple

from rightcall.core.redaction import key_contexts
from rightcall.core.redaction.key_formats import FORMATS
from rightcall.core.redaction.word_likeness import looks_generated

_SHORTEST_KEY = 15
"""Characters of `_KEY_CHARACTERS` in a row that every key has, but for a private key, which has dashes."""
_KEY_CHARACTERS = frozenset(string.ascii_letters + string.digits + "_-.~+/=:")
_SPACED = bytes(code if code > 127 or chr(code) in _KEY_CHARACTERS else 32 for code in range(256))
"""A space for each byte that no key has."""
_HINTS = re.compile("|".join(re.escape(hint) for key_format in FORMATS for hint in key_format.hints).encode())


class SecretPlace(NamedTuple):
    """Where a secret stands in a text, and what kind it is: `key`, `jwt`, `private_key`, `token`, `secret`."""

    start: int
    end: int
    kind: str


def secret_places(text: str) -> list[SecretPlace]:
    """All secrets of a text, in order and without overlaps.

    Ordinary sentences have none. Most texts contain no hint of a secret, and are not searched further.
    """
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters of other scripts become two
        lowered = "".join(letter.lower() if letter.isascii() else letter for letter in text)
    places: list[SecretPlace] = []
    if "-----" in text or _has_key_hint(lowered):
        for key_format in FORMATS:
            if any(hint in lowered for hint in key_format.hints):
                places += [
                    SecretPlace(match.start(), match.end(), key_format.kind)
                    for match in key_format.matches(text)
                    if not key_format.random or looks_generated(match[1])
                ]
    places += [SecretPlace(start, end, kind) for kind, start, end in key_contexts.places(text, lowered)]
    return _merge_places(sorted(places, key=lambda place: (place.start, -place.end))) if places else []


def replace_secrets(text: str, replacement: Callable[[str, str], str]) -> str:
    """The text with `replacement(kind, secret)` in the place of each secret."""
    parts, end = [], 0
    for place in secret_places(text):
        parts += [text[end : place.start], replacement(place.kind, text[place.start : place.end])]
        end = place.end
    return "".join([*parts, text[end:]]) if parts else text


def _has_key_hint(lowered: str) -> bool:
    """Whether a run of characters that is long enough for a key has a hint of one."""
    data = lowered.encode("utf-8", "surrogatepass")  # bytes: five times as fast
    tokens = data.translate(_SPACED).split()
    if max(map(len, tokens), default=0) < _SHORTEST_KEY:
        return False
    return _HINTS.search(b" ".join(token for token in tokens if len(token) >= _SHORTEST_KEY)) is not None


def _merge_places(places: list[SecretPlace]) -> list[SecretPlace]:
    """Places that overlap as one, of the kind of the first."""
    merged = [places[0]]
    for place in places[1:]:
        last = merged[-1]
        if place.start < last.end:
            merged[-1] = SecretPlace(last.start, max(last.end, place.end), last.kind)
        else:
            merged.append(place)
    return merged
