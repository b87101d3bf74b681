"""Does a token read like words, or is it random?

Sentences speak of Basic subscriptions, bearer certificates and token rings. Where only the word before it suggests a
secret, the token itself must decide: `OpenTelemetry`, `v2.0.1-beta` and `2026-11-16` read like words and numbers,
`7f3kQz9LpW2x` does not.
"""

from __future__ import annotations

import re

SHORTEST = 8
"""Fewer characters are not enough to tell."""
_LONG = 16
_CHUNKS = re.compile(r"[^\W_]+")
_PIECES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_]+")
_CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{5,}")
_MOST_CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{6,}")
"""In a row, in a long word and in a short one: strengths, but not Knightsbridge."""
_VOWELS = re.compile(r"[aeiouy]")


def looks_random(token: str) -> bool:
    """Whether a token is more likely generated than written: most of its letters and digits are in no word.

    A run of letters and digits that changes between small letters, capitals and digits every few characters is no word.
    A short token must have more outside words than a long one. Numbers, dates, versions and identifiers made of words
    do not look random.
    """
    token = token.strip(".,;:!?()[]{}'\"`")
    if len(token) < SHORTEST:
        return False
    words = strange = 0
    for chunk in _CHUNKS.finditer(token):
        pieces = list(_PIECES.finditer(token, chunk.start(), chunk.end()))
        mixed = len(pieces) >= 5 and len(chunk[0]) < 3.5 * len(pieces)
        for piece in pieces:
            if mixed or not (_is_number(token, piece) or _is_word(token, piece)):
                strange += len(piece[0])
            elif not piece[0].isdecimal():
                words += len(piece[0])
    return strange > (words + strange) * (0.4 if len(token) >= _LONG else 0.6)


def looks_generated(token: str) -> bool:
    """Whether it looks random, or has a long run of letters and digits, as made-up keys do: `test-0123456789abcdef`."""
    return looks_random(token) or any(
        len(chunk) >= 12 and not chunk.isdecimal() and not chunk.isalpha() for chunk in _CHUNKS.findall(token)
    )


def _is_number(token: str, piece: re.Match[str]) -> bool:
    """Digits on their own, or as many as a year or a date has."""
    return piece[0].isdecimal() and (len(piece[0]) >= 4 or _stands_alone(token, piece))


def _stands_alone(token: str, piece: re.Match[str]) -> bool:
    before = token[: piece.start()][-1:]
    after = token[piece.end() :][:1]
    return not before.isalnum() and not after.isalnum()


def _is_word(token: str, piece: re.Match[str]) -> bool:
    text = piece[0]
    if text.isdecimal():
        return False
    capitals = text.isupper() and not (len(text) > 5 and _stands_alone(token, piece))
    if capitals:  # SQL in PostgreSQL, HTTP-Server
        before = token[: piece.start()][-1:]
        after = token[piece.end() :][:1]
        return 2 <= len(text) <= 5 and not (before.isalnum() and after.isalnum())
    if not text.isascii():
        return True
    vowels = len(_VOWELS.findall(text.lower()))
    if len(text) < 3:
        return bool(vowels) and _stands_alone(token, piece)
    least = 0.3 if len(text) > 12 else 0.1
    consonants = _CONSONANTS if len(text) > 10 else _MOST_CONSONANTS
    return least <= vowels / len(text) <= 0.75 and not consonants.search(text.lower())
