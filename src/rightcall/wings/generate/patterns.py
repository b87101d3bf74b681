"""Text that matches a regular expression, for patterns common in schemas."""

from __future__ import annotations

import random
import re
import string
from functools import lru_cache
from typing import Any

from rightcall.core.errors import InputError
from rightcall.tools.definitions.validate import fits

MOST_REPEATS = 4
LETTERS = string.ascii_uppercase + string.ascii_lowercase + string.digits
_CLASSES = {"CATEGORY_DIGIT": string.digits, "CATEGORY_WORD": LETTERS, "CATEGORY_SPACE": " "}


def text_fitting(pattern: str, rng: random.Random) -> str | None:
    """Text that fully matches the pattern; None for patterns with look-around or back-references.

    The caller validates it against the schema: ECMA's dialect differs from Python's in corner cases.
    """
    from re import _parser  # type: ignore[attr-defined]  # the only parser of regular expressions at hand

    try:
        return _sequence(_parser.parse(pattern), rng)
    except (re.error, _NotSupported, OverflowError, RecursionError):
        return None


def fits_pattern(pattern: str, text: str) -> bool:
    """Whether a text matches a schema's pattern, in bounded time; no text matches an invalid one."""
    try:
        return fits(_schema_of(pattern), text, "pattern")
    except InputError:
        return False


@lru_cache(maxsize=1024)
def _schema_of(pattern: str) -> dict[str, Any]:
    return {"type": "string", "pattern": pattern}


class _NotSupported(Exception):  # noqa: N818
    """A construct that cannot be inverted."""


def _piece(name: str, value: Any, rng: random.Random) -> str:  # noqa: PLR0911  a table of constructs
    match name:
        case "LITERAL":
            return chr(value)
        case "ANY":
            return rng.choice(LETTERS)
        case "AT":
            return ""
        case "IN":
            return rng.choice(_choices(value))
        case "BRANCH":
            return _sequence(rng.choice(value[1]), rng)
        case "SUBPATTERN":
            return _sequence(value[-1], rng)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            low, high, inner = value
            most = max(low, min(int(high), low + MOST_REPEATS))
            least = max(low, 1) if most else 0
            return "".join(_sequence(inner, rng) for _ in range(rng.randint(min(least, most), most)))
        case _:
            raise _NotSupported(name)


def _sequence(parts: Any, rng: random.Random) -> str:
    return "".join(_piece(str(name), value, rng) for name, value in parts)


def _choices(items: Any) -> str:
    characters: set[str] = set()
    negated = False
    for kind, value in items:
        match str(kind):
            case "NEGATE":
                negated = True
            case "LITERAL":
                characters.add(chr(value))
            case "RANGE":
                characters.update(map(chr, range(value[0], min(value[1], value[0] + 200) + 1)))
            case "CATEGORY":
                if str(value) not in _CLASSES:
                    raise _NotSupported(str(value))
                characters.update(_CLASSES[str(value)])
            case other:
                raise _NotSupported(other)
    left = [c for c in LETTERS if c not in characters] if negated else sorted(characters)
    if not left:
        raise _NotSupported("an empty class")
    return "".join(left)
