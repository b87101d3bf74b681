"""Values: one that an expectation accepts, where it can be read off it; and where a value stands, word for word.

It may stand in the request, the context, the system prompt or an earlier result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from rightcall.core.dates import day_of, days_named
from rightcall.core.errors import InputError
from rightcall.core.words import name_tokens
from rightcall.metrics.matching.compile import matcher_key
from rightcall.metrics.value_sources import MOST_TEXT, as_text
from rightcall.records.call import ToolCall

LEFT_OUT = object()
"""The parameter may be omitted, and is."""


class NoValue(Exception):  # noqa: N818  not an error: the golden is not audited
    """Nothing can be read off an expectation; the text says why."""


FindResult = Callable[[str, str], Any]
"""What the call with this id returned at this path; raises `NoValue`."""


def value_accepted_by(spec: Any, result_of: FindResult) -> Any:
    """A value that the expectation accepts, or `LEFT_OUT`; raises `NoValue` where it states none."""
    if callable(spec):
        raise NoValue("a function decides")
    key = matcher_key(spec) if isinstance(spec, dict) else None
    if key is None:
        return spec
    try:
        return _value_or_result(key, spec, result_of)
    except (AttributeError, TypeError, ValueError, KeyError, StopIteration):
        raise NoValue(f"'{key}' cannot be read") from None


def _value_or_result(key: str, spec: dict[str, Any], result_of: FindResult) -> Any:
    inner = spec[key]
    if key in ("optional", "any", "absent", "default"):
        return LEFT_OUT
    if key in ("one_of", "any_of"):
        return _first(inner, result_of)
    if key in ("set", "multiset", "superset_of", "subset_of", "items"):
        return [value_accepted_by(item, result_of) for item in inner]
    if key == "object":
        members = {name: value_accepted_by(value, result_of) for name, value in inner.items()}
        return {name: value for name, value in members.items() if value is not LEFT_OUT}
    if key == "ref":
        settings = inner if isinstance(inner, dict) else {"call": inner, "path": spec.get("path", "")}
        return result_of(str(settings.get("call", "")), str(settings.get("path", "")))
    return _value_of_matcher(key, inner)


def _value_of_matcher(key: str, inner: Any) -> Any:
    match key:
        case "exact" | "contains" | "icontains" | "date":
            return inner
        case "text" | "number":
            return inner.get("value") if isinstance(inner, dict) else inner
        case "range":
            ends = (inner.get("min"), inner.get("max")) if isinstance(inner, dict) else tuple(inner)
            return next(end for end in ends if end is not None)
        case "bfcl":
            answers = [answer for answer in inner.get("values", ()) if answer != ""]
            if answers:
                return _first_answers(answers[0])
    raise NoValue(f"'{key}' states no value")


def _first_answers(answer: Any) -> Any:
    """BFCL lists the answers of each member of an object."""
    if isinstance(answer, dict):
        chosen = {
            name: next((value for value in values if value != ""), LEFT_OUT)
            for name, values in answer.items()
            if isinstance(values, list)
        }
        return {name: value for name, value in chosen.items() if value is not LEFT_OUT}
    if isinstance(answer, list):
        return [_first_answers(item) for item in answer]
    return answer


def _first(choices: Any, result_of: FindResult) -> Any:
    why = "no choices"
    for choice in choices if isinstance(choices, list | tuple) else ():
        try:
            return value_accepted_by(choice, result_of)
        except (NoValue, InputError) as problem:
            why = str(problem)
    raise NoValue(why)


def values_listed_in(spec: Any) -> list[Any]:
    """The values that an expectation lists one by one; none unless it lists several."""
    if not isinstance(spec, dict):
        return []
    key = matcher_key(spec)
    inner = spec[key] if key else None
    if key == "optional":
        return values_listed_in(inner)
    if key in ("one_of", "any_of") and isinstance(inner, list | tuple):
        return [item["exact"] if isinstance(item, dict) and "exact" in item else item for item in inner]
    return list(inner.get("values", ())) if key == "bfcl" and isinstance(inner, dict) else []


_NUMBER = re.compile(r"(?<![\w.])(?<![^\W\d_][-+])[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w]|\.\d)")
"""A number in digits; those of a name, such as A-17, are none."""
ID_WORDS = frozenset(
    ("id", "ids", "key", "code", "number", "token", "ref", "sku", "email", "phone", "account", "uuid")
)

NOT_OBJECTS = frozenset(("idempotency", "nonce", "request"))
"""Identifiers of an attempt, not of what is acted on: another one is as right."""


def results_before(calls: Sequence[ToolCall], at: int) -> str:
    """What the calls before this one returned, as text."""
    return "\n".join(as_text(call.output) for call in calls[:at] if call.output is not None)


def stands_in(value: Any, text: str) -> bool:
    """Whether a text says a value: a number in digits, a text as whole words, every element of a list."""
    if value is None or isinstance(value, bool | dict):
        return False
    if isinstance(value, list | tuple):
        return bool(value) and all(stands_in(item, text) for item in value)
    if isinstance(value, int | float):
        return float(value) in numbers_in(text) if abs(value) < 1e15 else str(value) in text
    phrase = str(value).strip()
    if _whole_words(phrase, text):
        return True
    day = day_of(phrase)  # a date is said in whatever form
    return day is not None and day[5:] in {named[5:] for named in days_named(text)}


@lru_cache(maxsize=64)
def numbers_in(text: str) -> frozenset[float]:
    """The numbers that a text writes in digits."""
    return frozenset(float(digits.replace(",", "")) for digits in _NUMBER.findall(text[:MOST_TEXT]))


def _whole_words(phrase: str, text: str) -> bool:
    if not phrase:
        return False
    if len(phrase) > 3:
        phrase = phrase.casefold()
        text = text.casefold()
    at = text.find(phrase)
    while at >= 0:
        end = at + len(phrase)
        if not _continues(text[max(0, at - 2) : at][::-1], phrase[0]) and not _continues(
            text[end : end + 2], phrase[-1]
        ):
            return True
        at = text.find(phrase, at + 1)
    return False


def _continues(letters: str, end: str) -> bool:
    """Whether the letters next to the end of a phrase belong to the same word or, as in 12.50, the same number."""
    if not end.isalnum() or not letters:
        return False
    return letters[0].isalnum() or (end.isdigit() and letters[0] in ".," and letters[1:2].isdigit())


def is_identifier(name: str, schema: Any, value: Any) -> bool:
    """Whether a value names one object: by its parameter's name or format, without spaces, and with a digit."""
    if not isinstance(value, str | int) or isinstance(value, bool):
        return False
    text = str(value)
    if not names_object(name, schema):
        return False
    return bool(text) and not any(letter.isspace() for letter in text) and any(c.isdigit() for c in text)


def names_object(name: str, schema: Any) -> bool:
    """Whether a parameter's value names one object, by its name or format."""
    tokens = name_tokens(name)
    if not NOT_OBJECTS.isdisjoint(tokens):
        return False
    by_format = isinstance(schema, dict) and schema.get("format") in ("uuid", "email")
    return by_format or not ID_WORDS.isdisjoint(tokens)


def scalars_in(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every scalar in a result with the path to it; at most a few levels deep."""
    if isinstance(value, dict) and len(path) < 8:
        for key, inner in value.items():
            yield from scalars_in(inner, (*path, str(key)))
    elif isinstance(value, list | tuple) and len(path) < 8:
        for index, inner in enumerate(value[:200]):
            yield from scalars_in(inner, (*path, index))
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield path, value
