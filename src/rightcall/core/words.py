"""Words of names and texts: tokens of `getUserById`, lower-case words, a crude English stem."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


def word_set(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


def words(text: str) -> list[str]:
    """Lower-case words; underscores and punctuation separate them."""
    return _WORD.findall(text.lower())


@lru_cache(maxsize=65536)
def name_tokens(name: str) -> tuple[str, ...]:
    """`getUserById`, `get_user-by.id` → get, user, by, id."""
    return tuple(token.lower() for token in _CAMEL.findall(name))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A crude English stem: enough to see that `records`, `recorded` and `recording` are one word."""
    for suffix, put, shortest in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= shortest:
            root = word[: -len(suffix)] + put
            if suffix in ("ing", "ed") and len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz":
                root = root[:-1]
            return root.rstrip("e") if len(root) > 3 else root
    return word.rstrip("e") if len(word) > 3 else word


_SUFFIXES = (
    ("ations", "at", 3),
    ("ation", "at", 3),
    ("ies", "y", 2),
    ("sses", "ss", 2),
    ("ches", "ch", 2),
    ("shes", "sh", 2),
    ("xes", "x", 2),
    ("ions", "", 4),
    ("ion", "", 4),
    ("ing", "", 3),
    ("ed", "", 3),
    ("es", "e", 3),
    ("ss", "ss", 1),
    ("us", "us", 1),
    ("is", "is", 1),
    ("s", "", 3),
)
