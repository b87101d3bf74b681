"""Names of fields, variables and headers whose values are secrets."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Literal

from rightcall.core.lazy_pattern import lazy_pattern

NameKind = Literal["header", "certain", "likely", ""]
"""How sure a name is: any value of a header or certain name is a secret; a likely one's must look random too."""

_CERTAIN = lazy_pattern(
    r"(?i)(?:api[_-]?key|pass(?:word|wd|phrase|code)|pwd|secret|secret[_-]?(?:access[_-]?)?key|secret[_-]key[_-]base"
    r"|(?:access|refresh|auth|bearer|session|security|(?<![a-z])id|api|bot|private|service|personal[_-]access)[_-]?token"
    r"|(?:private|account|access|signing|encryption|master|subscription|functions|storage)[_-]?key"
    r"|shared[_-]?access[_-]?(?:key|signature)|connection[_-]?string)s?(?:[_-]?\d{1,3})?$"
)
_HEADER = lazy_pattern(
    r"(?i)(?:proxy-|x-)?authorization|x-[a-z-]{0,20}(?:key|token|secret)|private-token|job-token|api-key|(?:set-)?cookie"
)
_LIKELY = lazy_pattern(
    r"(?i:(?:^|[^a-z])(?:token|access[_-]?key[_-]?id|key|pass|pat|credential|auth|sig|signature|cookie|session|dsn"
    r"|session[_-]?id|cookies|authorization)s?(?:[_-]?\d{1,3})?$)|[a-z](?:Token|Key|Auth|Signature)$"
)


@lru_cache(4096)
def name_kind(name: str) -> NameKind:
    """How sure it is that what is stored under this name is a secret; "" when nothing speaks for it."""
    if _HEADER.fullmatch(name):
        return "header"
    if _CERTAIN.search(name):
        return "certain"
    return "likely" if _LIKELY.search(name) else ""


_STEMS = (
    *("auth", "basic", "bearer", "cookie", "credential", "dsn", "key", "pass", "pat", "pwd"),
    *("secret", "session", "sig", "string", "token"),
)
"""How each word begins that makes a name one of a secret; most texts have none or one of them."""


def stems_in(lowered: str) -> tuple[str, ...]:
    """The stems that occur in a text in small letters."""
    return tuple([stem for stem in _STEMS if stem in lowered])


@cache
def _words_of(stems: tuple[str, ...], words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in words if word.startswith(stems))


def has_word_before(
    lowered: str, stems: tuple[str, ...], words: tuple[str, ...], after: frozenset[str]
) -> bool:
    """Whether one of the words, whose stems are in a text, stands in it before one of these characters.

    A search for each word is much faster than one pattern of all, and most texts go on with another letter: `passed`.
    """
    for word in _words_of(stems, words):
        place = lowered.find(word)
        while place >= 0:
            place += len(word)
            if lowered[place : place + 1] in after:
                return True
            place = lowered.find(word, place)
    return False
