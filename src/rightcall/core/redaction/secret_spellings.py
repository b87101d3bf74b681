"""Other spellings of a known secret: in JSON, in a URL, in base64 or hexadecimal, and broken over lines.

Not found: a secret that was changed in another way (reversed, encrypted, compressed, spelled out, encoded twice, in
other capitals), or split over two texts, such as two events of a stream.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Mapping
from urllib.parse import quote, quote_plus, unquote

SHORTEST = 8
_UNSEEN = r"[\x0b\x0c\x85\xad\u200b-\u200d\u2028\u2029\u2060\ufeff]"
"""Characters that break a line, or that nobody sees."""
_BREAK = rf"(?:(?:(?:\\+r|\r)?(?:\\+n|\n)[ \t]*)+|\r|\\+r|{_UNSEEN})"
_MARKS = ("\n", "\\", "%", "\r", "\x0b", "\x0c")
_DEEPEST = 4
"""How often JSON may be put into a string of JSON."""
_ESCAPED = re.compile(r"\\(?:u00|x)([0-9A-Fa-f]{2})")


def spellings(secret: str) -> set[str]:
    """A secret as it is, and as it stands in JSON, URLs, HTML, hexadecimal, and inside base64 of a longer text."""
    escaped = {json.dumps(secret, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)}
    inner = {
        core for text in (secret, *escaped) for core in _base64_cores(text.encode("utf-8", "surrogatepass"))
    }
    for _ in range(_DEEPEST - 1):
        escaped |= {json.dumps(text)[1:-1] for text in escaped}
    data = secret.encode("utf-8", "surrogatepass")
    written = {
        secret,
        quote(data, safe=""),
        quote(data, safe="/"),
        quote_plus(data),
        html.escape(secret),
        *escaped,
    }
    digits = {data.hex(), *(data.hex(mark) for mark in ": -")}
    encoded = {*digits, *(text.upper() for text in digits), *inner}
    return written | {text for text in encoded if len(text) >= SHORTEST}


def _base64_cores(data: bytes) -> set[str]:
    """The part of base64 that does not depend on what stands before and after the data, for each alignment."""
    cores = set()
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + data).decode()
        end = len(text) - {0: 0, 1: 3, 2: 2}[(shift + len(data)) % 3]
        core = text[(0, 2, 3)[shift] : end]
        cores |= {core, core.replace("+", "-").replace("/", "_")}
    return cores


class SplitSecrets:
    """Removes spellings that are broken over lines, or have characters written as `%2D`, `\\u002d` or `\\x2d`."""

    def __init__(self, replacements: Mapping[str, str]) -> None:
        """`replacements`: each spelling, longest first, and what stands in its place."""
        self._replacements = replacements
        self._patterns: dict[str, re.Pattern[str]] = {}

    def __call__(self, text: str) -> str:
        if not self._replacements or (text.isascii() and not any(mark in text for mark in _MARKS)):
            return text
        plain = unquote(_ESCAPED.sub(_character, re.sub(_BREAK, "", text)))
        for value, replacement in self._replacements.items():
            if value in plain:
                text = self._pattern(value).sub(replacement, text)
        return text

    def _pattern(self, value: str) -> re.Pattern[str]:
        if value not in self._patterns:
            self._patterns[value] = re.compile(f"{_BREAK}?".join(map(_any_spelling, value)))
        return self._patterns[value]


def _character(match: re.Match[str]) -> str:
    return chr(int(match[1], 16))


def _any_spelling(character: str) -> str:
    """A pattern for one character. An escape that is itself escaped is left alone."""
    urls = "".join(f"%{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
    if ord(character) > 255:
        return f"(?:{re.escape(character)}|(?i:{urls}))"
    digits = f"{ord(character):02x}"
    return rf"(?:{re.escape(character)}|(?i:{urls})|(?<!\\)\\(?:u00|x)(?i:{digits}))"
