"""The literal content of a request: its numbers, dates and words, compared with the values of calls."""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

_NUMBER = re.compile(r"(?<![A-Za-z\d.,])-?\d+(?:[.,]\d+)*")
_ENGLISH = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty"""
_WORDS = _ENGLISH.split()
_OTHER_WORDS = {
    "không": 0, "một": 1, "hai": 2, "ba": 3, "bốn": 4, "năm": 5, "sáu": 6, "bảy": 7, "tám": 8, "chín": 9, "mười": 10,
    "一": 1, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10,
}  # fmt: skip
LONGEST_REQUEST = 1_000
ECHO = 5
"""Number of consecutive words that do not match a prompt by chance."""

_PLACEHOLDER = re.compile(r"\[[A-Za-z][^\]\n]{0,30}\]|<[a-z][a-z _]{1,20}>|\{[a-z_]+\}")
_ASSISTANT = re.compile(
    r"\b(?:as an ai|ai assistant|chatbot designed|i(?:'?m| am) (?:here|ready) to (?:help|assist)"
    r"|how can i (?:help|assist)|i'?d be happy to|here is (?:a|the|your) (?:message|sample|short|reworded)"
    r"|(?:the|an) assistant (?:is|has|must|will|can)"
    r"|(?:the|a) user (?:wants|sends|sent|asks|asked|will|is|has)|your message)\b",
    re.IGNORECASE,
)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def missing_values(request: str, calls: Sequence[Mapping[str, Any]]) -> list[str]:
    """`name = value` for each value of the calls that is missing from the request; true and false may be implied."""
    text = fold_text(request)
    numbers = set(_numbers(request)) | set(_number_words(text))
    return [
        f"{name} = {value}"
        for arguments in calls
        for name, whole in arguments.items()
        for value in leaves(whole)
        if not _says(text, numbers, value)
    ]


def surplus_numbers(request: str, calls: Sequence[Mapping[str, Any]]) -> list[str]:
    """Numbers in the request that are neither a value of the calls nor part of one."""
    values = [value for arguments in calls for whole in arguments.values() for value in leaves(whole)]
    stated_numbers = {float(v) for v in values if isinstance(v, int | float) and not isinstance(v, bool)}
    texts = [fold_text(str(value)) for value in values if isinstance(value, str)]
    stated_numbers |= set(chain.from_iterable(_numbers(text) for text in texts))
    stated_numbers |= set(chain.from_iterable(_date_numbers(text) for text in texts if _DATE.search(text)))
    rest = fold_text(request)
    for text in sorted(texts, key=len, reverse=True):
        rest = rest.replace(text, " ")
    return [
        shown
        for shown, number in _numbers_with_text(rest)
        if number not in stated_numbers and abs(number) not in stated_numbers
    ]


def tool_mention(request: str, tools: Iterable[str]) -> str:
    """A tool's identifier in the request: one that is not a plain word; a user would not know it."""
    return next(
        (n for n in tools if re.search(r"_|[a-z][A-Z]", n) and n.casefold() in request.casefold()), ""
    )


def unlike_a_request(request: str) -> str:
    """Why a text is not a user's message, for typical model mistakes; empty when it looks fine."""
    if len(request) > LONGEST_REQUEST:
        return f"it has {len(request):,} characters"
    if match := _PLACEHOLDER.search(request):
        return f"it has a placeholder: {match.group()}"
    if match := _ASSISTANT.search(request):
        return f"it speaks as the assistant: {match.group()}"
    return ""


def echoes(request: str, prompt: str) -> str:
    """Consecutive words that the request copied from its prompt, as weak models do; empty when none."""
    asked = f" {' '.join(re.findall(r'[a-z$]+', prompt.casefold()))} "
    words = re.findall(r"[a-z]+", request.casefold())
    runs = (" ".join(words[at : at + ECHO]) for at in range(len(words) - ECHO + 1))
    return next((run for run in runs if f" {run} " in asked), "")


def leaves(value: Any) -> Iterator[Any]:
    """The scalar values inside a value."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    else:
        yield value


def states(request: str, value: Any) -> bool:
    """Whether the request contains this value."""
    text = fold_text(request)
    return all(_says(text, set(_numbers(request)) | set(_number_words(text)), leaf) for leaf in leaves(value))


def fold_text(text: str) -> str:
    """Ignoring case, accent encoding, kinds of quotes and spaces."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("_", " ")
    return " ".join(plain.split())


def _says(text: str, numbers: set[float], value: Any) -> bool:
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int | float):
        return float(value) in numbers
    return fold_text(str(value)) in text or _says_date(text, numbers, str(value))


def _says_date(text: str, numbers: set[float], value: str) -> bool:
    """Whether a date is written in another form: 4 March 2027."""
    try:
        day = datetime.date.fromisoformat(value)
    except ValueError:
        return False
    months = (f"{day:%B}".casefold(), f"{day:%b}".casefold(), f"tháng {day.month}", f"{day.month}月")
    return {float(day.day), float(day.year)} <= numbers and any(month in text for month in months)


def _numbers(text: str) -> Iterator[float]:
    return (number for _, number in _numbers_with_text(text))


def _numbers_with_text(text: str) -> Iterator[tuple[str, float]]:
    for match in _NUMBER.finditer(unicodedata.normalize("NFKC", text)):
        shown = match.group()
        grouped = re.fullmatch(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?", shown)
        for part in [shown.replace(",", "")] if grouped else re.split(r",", shown):
            try:
                yield part, float(part)
            except ValueError:
                yield from ((piece, float(piece)) for piece in re.findall(r"\d+", part))


def _number_words(text: str) -> Iterator[float]:
    words = set(re.findall(r"\w+", text))
    yield from (float(value) for value, word in enumerate(_WORDS) if word in words)
    yield from (
        float(value)
        for word, value in _OTHER_WORDS.items()
        if word in words or (len(word) == 1 and word in text)
    )


def _date_numbers(text: str) -> Iterator[float]:
    for date in _DATE.findall(text):
        yield from map(float, date.split("-"))
