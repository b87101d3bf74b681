"""The kind of an argument error: a closed list, derived from the values, never from message text."""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any, Literal, get_args

from rightcall.core.dates import day_of, days_named, is_relative_date
from rightcall.improve.golden_facts import calls_expected
from rightcall.metrics.matching.compile import matcher_key
from rightcall.records.golden import Golden
from rightcall.schema.types import is_number

ArgumentKind = Literal[
    "renamed", "missing", "swapped", "foreign", "type", "spelling", "date", "unit", "enum_neighbour", "copied",
    "invented", "extra", "other",
]  # fmt: skip

KINDS: tuple[ArgumentKind, ...] = get_args(ArgumentKind)

FACTORS = (
    60.0, 3600.0, 86400.0, 24.0, 7.0, 168.0, 1440.0, 12.0, 10.0, 100.0, 1000.0, 1024.0, 1e6,
    2.2046, 1.6093, 0.3048, 2.54, 28.35,
)  # fmt: skip
TOLERANCE = 0.006
ONE_VALUE = frozenset(("exact", "text", "number", "date"))
SEVERAL_VALUES = frozenset(("one_of", "any_of"))
_NUMBER_WITH_UNIT = re.compile(
    r"\s*(?:[-+]?\d+(?:[.,]\d+)?\s*[a-zA-Z°µ%€$£¥]{1,12}\.?|[€$£¥]\s*\d+(?:[.,]\d+)?)\s*"
)
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?![\w]|\.\d)")


class Unjudged:
    """Placeholder for an expectation given by a matcher instead of a single value."""

    def __repr__(self) -> str:
        return "UNJUDGED"


UNJUDGED = Unjudged()


@dataclass(frozen=True)
class Setting:
    """What a value can be compared with: the rest of the call, the text of the request, earlier results.

    `others` are the expected values of the other parameters by name, `given` the actual ones. `words` are the
    request, the system prompt and the context; `results` the text that tools returned before the call.
    """

    parameter: str = ""
    others: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    enum: Sequence[Any] = ()
    words: str = ""
    results: Collection[str] = ()


def values_of_matcher(expected: Any) -> tuple[Any, ...]:
    """The values that a golden accepts: a bare one, that of `exact`, `text`, `number`, `date`, or those of `one_of`.

    Empty for other matchers, which describe a value without stating it.
    """
    if not isinstance(expected, dict) or (key := matcher_key(expected)) is None:
        return (expected,)
    inner = expected[key]
    if key in ONE_VALUE:
        if key != "exact" and isinstance(inner, dict):
            return (inner["value"],) if "value" in inner else ()
        return (inner,)
    if key in SEVERAL_VALUES and isinstance(inner, list):
        return tuple(chain.from_iterable(values_of_matcher(choice) for choice in inner))
    return ()


def plain_value(expected: Any) -> Any:
    """The first value that a golden accepts; `UNJUDGED` where a matcher only describes it."""
    return next(iter(values_of_matcher(expected)), UNJUDGED)


def argument_kind(code: str, expected: Any, actual: Any, setting: Setting | None = None) -> ArgumentKind:
    """The first kind of the list that applies to one of the accepted values."""
    if code == "missing_arg":
        return "missing"
    if code in ("extra_arg", "forbidden_arg"):
        return "extra"
    kinds = [
        _kind(value, actual, setting or Setting()) for value in values_of_matcher(expected) or (UNJUDGED,)
    ]
    return min(kinds, key=KINDS.index)


def _kind(target: Any, actual: Any, setting: Setting) -> ArgumentKind:  # noqa: PLR0911  a list, the first that holds
    if (of_others := _of_others(target, actual, setting)) is not None:
        return of_others
    if _same_text(target, actual):
        return "type"
    if _same_day(target, actual):  # before spelling: 2027/03/03 is a format issue
        return "date"
    if _spelt_alike(target, actual):
        return "spelling"
    if is_unit_error(target, actual):
        return "unit"
    if any(_equal(actual, choice) for choice in setting.enum):
        return "enum_neighbour"
    if is_held(actual, setting.words):
        return "copied"
    if _scalar(actual) and not any(str(actual) in text for text in setting.results):
        return "invented"
    return "other"


def _of_others(target: Any, actual: Any, setting: Setting) -> ArgumentKind | None:
    if not _is_telling(actual):
        return None
    for name, value in setting.others.items():
        if name == setting.parameter or not _equal(plain_value(value), actual) or _equal(actual, target):
            continue
        return "swapped" if _equal(setting.given.get(name), target) else "foreign"
    if any(_whole_word(str(actual), text) for text in setting.results) and not is_held(actual, setting.words):
        return "foreign"
    return None


def is_stated(expected: Any, words: str) -> bool:
    """Whether a text contains one of the values that a golden accepts; a described value counts as contained."""
    values = values_of_matcher(expected)
    return not values or any(is_held(value, words) for value in values)


def is_held(value: Any, words: str) -> bool:
    """Whether a value can be found in a text: a whole word, a number or its multiple by a unit, the day of a date.

    Short texts are compared with their case: "M" is not found in "money", nor in "m".
    """
    if value is UNJUDGED or value is None or isinstance(value, bool | dict):
        return True
    if isinstance(value, list):
        return all(is_held(item, words) for item in value)
    if isinstance(value, int | float):
        return any(n == value or is_unit_error(value, n) for n in _numbers(words))
    text = str(value).strip()
    if not text or _whole_word(text, words):
        return True
    day = day_of(text)
    return day is not None and _names_day(day, words)


def is_unit_error(expected: Any, actual: Any) -> bool:
    """Whether two numbers differ by the factor of a unit, or one is text that is a number with a unit."""
    first = _as_number(expected)
    second = _as_number(actual)
    if first is None or second is None:
        text, number = (actual, expected) if isinstance(actual, str) else (expected, actual)
        number_and_text = isinstance(number, int | float) and isinstance(text, str)
        return number_and_text and bool(_NUMBER_WITH_UNIT.fullmatch(text))
    if first == second or not first or not second:
        return False
    ratio = max(abs(first), abs(second)) / min(abs(first), abs(second))
    if first * second > 0 and _is_factor(ratio):
        return True
    return _close(first * 9 / 5 + 32, second) or _close(second * 9 / 5 + 32, first)


_RATIOS = sorted(f if f > 1 else 1 / f for f in FACTORS)


def _is_factor(ratio: float) -> bool:
    at = bisect_left(_RATIOS, ratio * (1 - TOLERANCE))
    return any(abs(ratio - f) <= TOLERANCE * f for f in _RATIOS[at : at + 2])


def _close(first: float, second: float) -> bool:
    return abs(first - second) <= TOLERANCE * max(abs(first), abs(second), 1e-9)


def _as_number(value: Any) -> float | None:
    try:
        return float(value) if is_number(value) else None
    except OverflowError:
        return None


@lru_cache(maxsize=16)
def _numbers(words: str) -> tuple[float, ...]:
    """The numbers of a request, which is asked about once for each of its values and trials."""
    return tuple(float(digits) for digits in _NUMBER.findall(words[:20_000]))


def _whole_word(text: str, words: str) -> bool:
    if len(text) > 3:
        text = text.casefold()
        words = words.casefold()
    at = words.find(text)
    while at >= 0:
        before = words[at - 1] if at else " "
        after = words[at + len(text)] if at + len(text) < len(words) else " "
        if not (before.isalnum() and text[0].isalnum()) and not (after.isalnum() and text[-1].isalnum()):
            return True
        at = words.find(text, at + 1)
    return False


def _same_text(target: Any, actual: Any) -> bool:
    if target is UNJUDGED or type(target) is type(actual):
        return False
    if isinstance(actual, list) and len(actual) == 1:
        return _equal(actual[0], target)
    if isinstance(target, list) and len(target) == 1:
        return _equal(target[0], actual)
    return _scalar(target) and _scalar(actual) and _json_text(target) == _json_text(actual)


def _json_text(value: Any) -> str:
    if isinstance(value, str):
        value = value.strip()
        word = value.casefold()
        return word if word in ("true", "false", "null") else re.sub(r"\A(-?\d+)\.0\Z", r"\1", value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return json.dumps(value)


def _spelt_alike(target: Any, actual: Any) -> bool:
    if not isinstance(target, str) or not isinstance(actual, str) or target == actual:
        return False
    return _bare(target) == _bare(actual) != ""


def _bare(text: str) -> str:
    split = unicodedata.normalize("NFKD", text[:2000].casefold())
    return "".join(c for c in split if c.isalnum())


def _same_day(target: Any, actual: Any) -> bool:
    day = day_of(target) if isinstance(target, str) else None
    if day is None or not (isinstance(actual, str) or is_number(actual)):
        return False
    text = str(actual)
    return day_of(text) == day or _names_day(day, text) or is_relative_date(text)


def _names_day(day: str, text: str) -> bool:
    return day[5:] in {named_day[5:] for named_day in days_named(text)}


def _equal(first: Any, second: Any) -> bool:
    same_type = type(first) is type(second) or (is_number(first) and is_number(second))
    return same_type and bool(first == second)


def _scalar(value: Any) -> bool:
    return isinstance(value, str | int | float | bool)


def _is_telling(value: Any) -> bool:
    """Whether finding the value elsewhere means anything: True and "" occur everywhere."""
    return is_number(value) or (isinstance(value, str) and value != "")


def values_in_request(golden: Golden) -> list[Any]:
    """Expected values that the request says, in the order of the calls."""
    values = [plain_value(value) for _, args in calls_expected(golden) for value in args.values()]
    return [
        value
        for value in values
        if value is not UNJUDGED and isinstance(value, str | int | float) and is_held(value, golden.input)
    ]


def still_holds(golden: Golden, text: str) -> bool:
    """Whether another wording of a request is not empty and says every value that the request says."""
    return bool(text.strip()) and all(is_held(value, text) for value in values_in_request(golden))
