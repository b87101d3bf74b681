"""Matchers on text: text with things ignored, regex, contains, icontains, date."""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypeVar

import msgspec

from rightcall.core.declared_values import value_problem
from rightcall.core.errors import InputError
from rightcall.metrics.matching.base import Kind, Matcher, Scope, same, short_json, text_of, vacuous
from rightcall.tools.definitions.validate import pattern_test


def fold_text(text: str, ignore: frozenset[str], nfkc: bool = False) -> str:
    text = unicodedata.normalize("NFKC" if nfkc else "NFC", text)
    if "accents" in ignore:
        bare = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
        text = bare.replace("đ", "d").replace("Đ", "D")  # the one common letter that NFD leaves whole
    if "case" in ignore:
        text = text.casefold()
    if "punctuation" in ignore:
        text = "".join(c for c in text if unicodedata.category(c)[0] not in "PS")
    return "".join(text.split()) if "space" in ignore else text


Aspect = Literal["accents", "case", "punctuation", "space"]
"""What a comparison of texts may ignore."""


class Text(msgspec.Struct):
    """The same text apart from what is ignored: `{"text": "Hanoi", "ignore": ["case", "accents"]}`."""

    value: str
    ignore: frozenset[str] = frozenset()
    nfkc: bool = False

    def score(self, value: Any, at: int) -> float:
        if not isinstance(value, str):
            return 0.0
        expected_text = fold_text(self.value, self.ignore, self.nfkc)
        return 1.0 if fold_text(value, self.ignore, self.nfkc) == expected_text else 0.0

    def describe(self) -> str:
        ignored = f" (ignoring {', '.join(sorted(self.ignore))})" if self.ignore else ""
        return f"{short_json(self.value)}{ignored}"


class Regex(msgspec.Struct):
    """A text that matches the pattern, as a whole or with `search` anywhere: `{"regex": "[A-Z]{3}"}`."""

    pattern: str
    fits: Callable[[str], bool]

    def score(self, value: Any, at: int) -> float:
        return 1.0 if isinstance(value, str) and self.fits(value) else 0.0

    def describe(self) -> str:
        return f"text that matches /{self.pattern}/"


class Contains(msgspec.Struct):
    """A text with this part, or a list with this item: `{"contains": "Hanoi"}`; `icontains` ignores case."""

    part: Any
    any_case: bool = False

    def score(self, value: Any, at: int) -> float:
        if isinstance(value, list):
            return 1.0 if any(self._equal(item) for item in value) else 0.0
        if not isinstance(value, str) or not isinstance(self.part, str):
            return 0.0
        ignore = frozenset(("case",)) if self.any_case else frozenset[str]()
        return 1.0 if fold_text(self.part, ignore) in fold_text(value, ignore) else 0.0

    def _equal(self, item: Any) -> bool:
        if self.any_case and isinstance(item, str) and isinstance(self.part, str):
            return item.casefold() == self.part.casefold()
        return same(self.part, item)

    def describe(self) -> str:
        return f"something that contains {short_json(self.part)}"


class Date(msgspec.Struct):
    """The same day or instant in any common spelling: `{"date": "2026-03-01"}` also fits "1 March 2026"."""

    value: str

    def score(self, value: Any, at: int) -> float:
        expected = parse_date(self.value)
        actual = parse_date(value) if isinstance(value, str) else None
        if expected is None or actual is None:
            return 0.0
        return 1.0 if _same_moment(expected, actual) else 0.0

    def describe(self) -> str:
        return f"the date {self.value}"


DATE_FORMATS = (
    "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d.%m.%Y", "%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y",
    "%Y年%m月%d日", "%Y/%m/%d %H:%M", "%Y/%m/%d %H:%M:%S", "%a %d %b %Y", "%A %d %B %Y",
    "%d %B %Y %H:%M", "%B %d %Y %H:%M",
)  # fmt: skip
"""Spellings besides ISO 8601. Orders that differ between countries (03/04/2026) are not guessed."""


Moment = TypeVar("Moment", datetime.date, datetime.datetime)


def parse_date(text: str) -> datetime.date | datetime.datetime | None:
    """A day, or an instant when there is a time of day; None when the text is not an unambiguous date."""
    text = re.sub(r"(\d)(st|nd|rd|th)\b", r"\1", text.strip().replace(",", ""))
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        return _try(lambda: datetime.date.fromisoformat(text))
    if re.match(r"\d{4}-\d{2}-\d{2}[Tt ]", text):
        return _try(lambda: datetime.datetime.fromisoformat(text.upper()))
    for spelling in DATE_FORMATS:
        moment = _try(partial(datetime.datetime.strptime, text, spelling))
        if moment is not None:
            return moment if "%H" in spelling else moment.date()
    return None


def _try(read: Callable[[], Moment]) -> Moment | None:
    try:
        return read()
    except ValueError:
        return None


def _same_moment(expected: datetime.date, actual: datetime.date) -> bool:
    both = isinstance(expected, datetime.datetime), isinstance(actual, datetime.datetime)
    if both == (True, True):
        return _instant(expected) == _instant(actual)
    if both == (False, False):
        return expected == actual
    day, moment = (expected, actual) if both[1] else (actual, expected)
    midnight = datetime.time(0)
    return isinstance(moment, datetime.datetime) and moment.date() == day and moment.time() == midnight


def _instant(moment: Any) -> datetime.datetime:
    """With no zone, a time is taken as UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
    result: datetime.datetime = aware.astimezone(datetime.UTC)
    return result


def _text(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    settings = {**spec, **options} if isinstance(spec, dict) else {"value": spec, **options}
    ignore = settings.get("ignore", [])
    ignore = [ignore] if isinstance(ignore, str) else ignore
    for name, value, kind in (("ignore", ignore, list[Aspect]), ("nfkc", settings.get("nfkc", False), bool)):
        if problem := value_problem(kind, value):
            raise InputError("", f"matcher 'text': {name} {problem}")
    return Text(text_of("text", settings.get("value")), frozenset(ignore), bool(settings.get("nfkc")))


def _part(name: str, spec: Any) -> Any:
    if spec == "":
        raise vacuous(name, "an empty text", 'write {"type": "string"} for any text')
    return spec


def _date(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    if parse_date(text_of("date", spec)) is None:
        raise InputError("", f"matcher 'date' cannot read '{spec}'", "use the form 2026-03-01")
    return Date(spec)


KINDS = {
    "text": Kind(_text, frozenset(("ignore", "nfkc"))),
    "regex": Kind(
        lambda spec, options, scope: Regex(text_of("regex", spec), pattern_test(spec, whole=not scope.search))
    ),
    "contains": Kind(lambda spec, options, scope: Contains(_part("contains", spec))),
    "icontains": Kind(lambda spec, options, scope: Contains(_part("icontains", spec), any_case=True)),
    "date": Kind(_date),
}
