"""Text without secrets: those that the user declared verbatim and in other spellings, others as they are detected."""

from __future__ import annotations

import base64
import html
import json
import os
import re
import string
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import chain
from typing import NamedTuple
from urllib.parse import quote, quote_plus, unquote

from rightcall.core.redaction import key_contexts
from rightcall.core.redaction.key_formats import FORMATS, LONG, LONG_FORMATS, looks_generated

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
    inner = set(
        chain.from_iterable(
            _base64_cores(text.encode("utf-8", "surrogatepass")) for text in (secret, *escaped)
        )
    )
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


HIDDEN = "[secret]"

_SECRET_VARIABLE = re.compile(
    r"(^|_)((API|ACCESS)?_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|PASSPHRASE|PAT|CREDENTIAL|SECRET_KEY_BASE)S?(_?\d+)?$",
    re.IGNORECASE,
)
_SHORTEST = 8  # a shorter value would blank out ordinary words

_HIDDEN_VARIABLES: set[str] = set()
_HIDDEN_VALUES: set[str] = set()


def scrub(text: str, *secrets: str) -> str:
    """The text without anything that is, or looks like, a key. `secrets` values are always removed."""
    return scrubber(*secrets)(text)


def scrubber(*secrets: str) -> Callable[[str], str]:
    """`scrub` for many texts: the environment is read once.

    Values of environment variables named like secrets (`…_API_KEY`, `…_TOKEN`) are added to the known ones. Their other
    spellings are removed too: `secret_spellings`.
    """
    without_declared = secret_replacer(lambda value: HIDDEN, *secrets)

    def clean(text: str) -> str:
        return replace_secrets(without_declared(text), lambda kind, secret: HIDDEN)

    return clean


def secret_replacer(replacement: Callable[[str], str], *declared: str) -> Callable[[str], str]:
    """A function that replaces the known secrets and those of the environment, in each of their spellings."""
    secrets = {value for value in (*declared, *environment_secrets()) if value}
    forms = {form: replacement(value) for value in sorted(secrets) for form in spellings(value)}
    longest_first = dict(sorted(forms.items(), key=lambda pair: len(pair[0]), reverse=True))
    split = SplitSecrets({form: new for form, new in longest_first.items() if len(form) >= _SHORTEST})

    def clean(text: str) -> str:
        for form, new in longest_first.items():
            if form in text:
                text = text.replace(form, new)
        return split(text)

    return clean


def environment_secrets() -> list[str]:
    """Values of the environment variables that are named like secrets, or that someone named as one."""
    values = [
        value
        for name, value in os.environ.items()
        if len(value) >= _SHORTEST and (name in _HIDDEN_VARIABLES or _SECRET_VARIABLE.search(name))
    ]
    return [*values, *_HIDDEN_VALUES]


def hide_variables(names: Iterable[str], values: Iterable[str] = ()) -> None:
    """Treat these variables (`key_env`, `${NAME}` in headers) and written values as secrets in this process."""
    _HIDDEN_VARIABLES.update(names)
    _HIDDEN_VALUES.update(value for value in values if len(value) >= _SHORTEST)


_SHORTEST_KEY = 15
"""Characters of `_KEY_CHARACTERS` in a row that every key has, but for a private key, which has dashes."""
_KEY_CHARACTERS = frozenset(string.ascii_letters + string.digits + "_-.~+/=:")
_LONG_RUN = b"k" * _SHORTEST_KEY
_MARKED = bytes(ord("k") if code > 127 or chr(code) in _KEY_CHARACTERS else 32 for code in range(256))
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
    places = _key_places(text, lowered)
    places += [SecretPlace(start, end, kind) for kind, start, end in key_contexts.places(text, lowered)]
    return _merge_places(sorted(places, key=lambda place: (place.start, -place.end))) if places else []


def without_keys(text: str) -> str:
    """The text without keys that are known by how they are built: what every report and every terminal gets.

    Secrets of the environment, and those that only their place tells, are removed where a text enters. What has a
    quotation mark in it is left: it is more than one text.
    """
    parts = []
    end = 0
    for place in sorted(_key_places(text, text.lower())):
        if place.start >= end and place.kind != "token" and '"' not in text[place.start : place.end]:
            parts += [text[end : place.start], HIDDEN]
            end = place.end
    return "".join([*parts, text[end:]]) if parts else text


def _key_places(text: str, lowered: str) -> list[SecretPlace]:
    places: list[SecretPlace] = []
    has_hint, longest = _key_signs(lowered)
    formats = FORMATS if "-----" in text or has_hint else ()
    for key_format in (*formats, *LONG_FORMATS) if longest >= LONG else formats:
        if any(hint in lowered for hint in key_format.hints):
            places += [
                SecretPlace(match.start(), match.end(), key_format.kind)
                for match in key_format.matches(text)
                if not key_format.random or looks_generated(match[1])
            ]
    return places


def replace_secrets(text: str, replacement: Callable[[str, str], str]) -> str:
    """The text with `replacement(kind, secret)` in the place of each secret."""
    parts = []
    end = 0
    for place in secret_places(text):
        parts += [text[end : place.start], replacement(place.kind, text[place.start : place.end])]
        end = place.end
    return "".join([*parts, text[end:]]) if parts else text


def _key_signs(lowered: str) -> tuple[bool, int]:
    """Whether a run of characters that is long enough for a key has a hint of one, and how long the longest run is."""
    data = lowered.encode("utf-8", "surrogatepass")  # bytes: five times as fast
    marks = data.translate(_MARKED)
    has_hint = False
    longest = 0
    start = marks.find(_LONG_RUN)
    while start >= 0:
        end = marks.find(b" ", start)
        token = data[start : end if end >= 0 else None]
        longest = max(longest, len(token))
        has_hint = has_hint or (
            _has_hint(token) if len(token) <= _LONGEST_WORD else _HINTS.search(token) is not None
        )
        start = marks.find(_LONG_RUN, end) if end >= 0 else -1
    return has_hint, longest


_LONGEST_WORD = 64


@lru_cache(maxsize=4096)
def _has_hint(token: bytes) -> bool:
    """Whether a token has a hint of a key; the same field names and ids stand in text after text."""
    return _HINTS.search(token) is not None


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
