"""Texts and values in one form, so that a value is found whole or not at all."""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from rightcall.core.words import word_set

_SCHEME = re.compile(r"\b(?:https?|ftps?|wss?)://(?:www\.)?|\bmailto:|(?<![\w.@/-])www\.")
_LAST_SLASH = re.compile(r"/(?=[\s)\]>,.;!?'\"]|$)")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff\U000e0000-\U000e007f]")
_GLUE = frozenset("@_-+/")
MOST_HITS = 2000
"""A value found in more places, always as a part of a longer one, counts as contained: only short values are."""


def fold(text: str) -> str:
    """NFKC, case-folded, spaces joined; URLs without scheme, `www.` and last slash; nothing invisible."""
    folded = unicodedata.normalize("NFKC", text) if not text.isascii() else text
    folded = _INVISIBLE.sub("", folded) if not folded.isascii() else folded
    folded = folded.casefold()
    if "://" in folded or "www." in folded or "mailto:" in folded:
        folded = _SCHEME.sub(" ", folded)
    if "/" in folded:
        folded = _LAST_SLASH.sub("", folded)
    return " ".join(folded.split())


@lru_cache(maxsize=4096)
def fold_value(value: str) -> str:
    """A value in the same form; the brackets of `<bob@x.example>` are dropped."""
    return fold(value).strip("<>").strip()


def whole_in(value: str, text: str) -> bool:
    """Whether a folded value occurs in a folded text, and not as a part of a longer word, address or number."""
    start = text.find(value)
    hits = 0
    while start >= 0:
        end = start + len(value)
        if not _is_glued(text, start - 1, start - 2) and not _is_glued(text, end, end + 1):
            return True
        hits += 1
        if hits >= MOST_HITS:
            return True
        start = text.find(value, start + 1)
    return False


def _is_glued(text: str, beside: int, beyond: int) -> bool:
    """Whether the character beside a value belongs to a longer one; a dot does when a letter follows it."""
    if not 0 <= beside < len(text):
        return False
    character = text[beside]
    if character == ".":
        return 0 <= beyond < len(text) and (text[beyond].isalnum() or text[beyond] in _GLUE)
    return character in _GLUE or (character.isalnum() and not _is_ideograph(character))


def _is_ideograph(character: str) -> bool:
    """Scripts without spaces between words: their characters border on any value."""
    return "\u3040" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7af"


_TOKEN = re.compile(r"[A-Za-z0-9_@+/-]+(?:\.[A-Za-z0-9_@+/-]+)*")


def tokens_of(text: str) -> list[str]:
    """The parts of a folded text that cannot be divided: a value is in it only if all of its tokens are."""
    return _TOKEN.findall(text)


_NUMBER = re.compile(r"(?<![\w.])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w])|(?<![\w.])\d+(?:\.\d+)?(?![\w])")
_BEFORE_SHORT = re.compile(r"(?:\b(?:id|no\.?|number|nr\.?|num)\s*[:=]?\s*|#\s*|[\"'“‘`])$")
SHORT_DIGITS = 3
"""A number with fewer digits is an id only in quotes or after `id`, `no.`, `number` or `#`."""


def number_of(value: Any) -> float | None:
    """A number, or a text that is one; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _finite(value)
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return _finite(value.strip().replace(",", ""))
    return None


def _finite(value: int | float | str) -> float | None:
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return None
    return number if number - number == 0 else None


def is_short(value: Any) -> bool:
    """Whether a number has too few digits to be an id by itself."""
    return sum(character.isdigit() for character in str(value)) < SHORT_DIGITS


def numbers_in(text: str) -> Iterator[float]:
    """The numbers of a folded text by value; short ones only where they are named as an id or quoted."""
    for match in _NUMBER.finditer(text):
        number = number_of(match.group())
        named = not is_short(match.group()) or _BEFORE_SHORT.search(
            text[max(0, match.start() - 12) : match.start()]
        )
        if number is not None and named:
            yield number


_AMOUNT_WORDS = {
    word: number
    for number, words in enumerate(
        (
            "one single một 一",
            "two both pair hai đôi 两 二",
            "three ba 三",
            "four bốn 四",
            "five năm 五",
            "six sáu 六",
            "seven bảy 七",
            "eight tám 八",
            "nine chín 九",
            "ten mười 十",
            "eleven",
            "twelve dozen",
        ),
        1,
    )
    for word in words.split()
}
_AMOUNT_IN = re.compile(
    r"(?<![\w.])(?<!\w[-/])(-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e\+?\d+)?)(?=[a-z]{0,3}(?!\w))"
    r"|[\u4e00-\u9fff]|[^\W\d_\u4e00-\u9fff]+"
)


def amounts_in(text: str) -> Iterator[float]:
    """The sums and counts in a folded text: every number outside dates, also with a unit, and small ones in words."""
    for match in _AMOUNT_IN.finditer(_DATE.sub(" ", text)):
        number = match[1] and _finite(match[1].replace(",", ""))
        amount = number if match[1] else _AMOUNT_WORDS.get(match[0])
        if amount is not None:
            yield float(amount)


_FILE_SUFFIXES = word_set("""
    pdf txt md csv json yaml yml xml html htm py js ts go rs rb java c h cpp cs sh sql docx doc xlsx xls pptx ppt png
    jpg jpeg gif svg webp zip gz tar log ini toml cfg lock env mp3 mp4 mov ics eml bak tmp
    """)
_DOMAINS = word_set("""
    com org net edu gov mil int info biz name pro io ai app dev cloud tech online site store shop xyz top club live news
    blog page link click work space website email support agency digital media group world today life zone tools systems
    network example test invalid localhost local onion arpa mobi tel jobs travel museum aero asia cat coop
    """)
_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,12}://[^\s<>\"'`|\\^{}]+")
_MAIL = re.compile(r"[\w.%+-]++(@[\w-]+(?:\.[\w-]+)*)?")
"""A run of characters that is a mail address if it has the group. Taking each run once keeps hostile texts cheap."""
_HOST = re.compile(r"(?<![\w@.-])(?:[\w-]+\.)+([a-z]{2,24})(?::\d+)?(?:/[^\s<>\"'`|\\^{}]*)?(?![\w@])")
_NUMERIC_HOST = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:/[^\s<>\"']*)?(?![\w.])")
_IBAN = re.compile(r"\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,4})?\b")
_DIGITS = re.compile(r"(?<![\w.])\+?\(?\d[\d ().-]{6,}\d(?![\w])")
_DATE = re.compile(r"\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b|\b\d{1,2}[-/.]\d{1,2}[-/.]\d{4}\b|\b\d{1,2}:\d{2}\b")
_AMOUNT = re.compile(r"\d+\.\d{1,2}")
LEAST_DIGITS = 9
IBAN_DIGITS = 8
_ENDS = ".,;:!?)]}>'\""


def addresses_in(text: str) -> set[str]:
    """Address-shaped parts of a text: URLs, hosts, mail addresses, IBANs, 9 digits that are no date or amount."""
    folded = unicodedata.normalize("NFKC", text) if not text.isascii() else text
    folded = _INVISIBLE.sub("", folded).casefold() if not folded.isascii() else folded.casefold()
    parts: set[str] = set()
    if "://" in folded:
        parts.update(fold_value(match.group().rstrip(_ENDS)) for match in _URL.finditer(folded))
        folded = _URL.sub(" ", folded)
    if "@" in folded:
        parts.update(match.group().strip(".") for match in _MAIL.finditer(folded) if match[1])
        folded = _MAIL.sub(lambda match: " " if match[1] else match[0], folded)
    if "." in folded:
        parts.update(
            fold_value(match.group().rstrip(_ENDS))
            for match in _HOST.finditer(folded)
            if _is_domain(match.group(1), match.group())
        )
        parts.update(match.group().rstrip(_ENDS) for match in _NUMERIC_HOST.finditer(folded))
    parts.update(match.group() for match in _IBAN.finditer(folded) if _is_iban(match.group()))
    folded = _IBAN.sub(lambda match: " " if _is_iban(match[0]) else match[0], folded)
    parts.update(
        match.group().strip() for match in _DIGITS.finditer(folded) if _is_long_number(match.group())
    )
    return {compact(part) for part in parts if part}


def compact(address: str) -> str:
    """An address without the spaces that an IBAN or a telephone number may have."""
    folded = fold_value(address)
    if not folded or "@" in folded or not folded[-1].isalnum():
        return folded
    digits = re.sub(r"[ ().-]", "", folded)
    is_number = digits.lstrip("+").isdigit() and len(digits) >= LEAST_DIGITS
    return digits if is_number or _IBAN.fullmatch(folded) else folded


def _is_domain(last: str, whole: str) -> bool:
    if "/" not in whole and last in _FILE_SUFFIXES:
        return False
    return last in _DOMAINS or (len(last) == 2 and last not in _FILE_SUFFIXES)


def _is_iban(text: str) -> bool:
    return sum(map(str.isdigit, text)) >= IBAN_DIGITS


def _is_long_number(text: str) -> bool:
    return (
        sum(map(str.isdigit, text)) >= LEAST_DIGITS
        and not _DATE.search(text)
        and not _AMOUNT.fullmatch(text.strip())
    )


@lru_cache(maxsize=4096)
def is_address(value: str) -> bool:
    """Whether a whole value is shaped like an address."""
    return compact(value) in addresses_in(value)


_HOST_OF = re.compile(r"^(?:[^@/\s]+@)?([\w.-]+)(?::\d+)?(?:[/?#]|$)")


def host_of(address: str) -> str:
    """The host of a folded URL or mail address; "" for anything else."""
    match = _HOST_OF.match(address)
    return match.group(1).rstrip(".") if match and "." in match.group(1) else ""


_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
MOST_DECODED = 200


def parts_in_disguise(text: str) -> Iterator[str]:
    """What is hidden in an untrusted text: percent-encoded, and base64 that decodes to text."""
    if "%" in text:
        plain = unquote(text)
        if plain != text:
            yield plain
    for count, match in enumerate(_BASE64.finditer(text)):
        if count >= MOST_DECODED:
            return
        word = match.group().rstrip("=").replace("-", "+").replace("_", "/")
        try:
            plain_bytes = base64.b64decode(word + "=" * (-len(word) % 4), validate=True)
            hidden = plain_bytes.decode("utf-8")
        except (binascii.Error, ValueError):
            continue
        if hidden.isprintable() or "\n" in hidden:
            yield hidden


def leaf_values(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves of arguments with their paths; elements of a list share the path of the list."""
    waiting: list[tuple[str, Any]] = [(path, value)]
    while waiting:
        at, here = waiting.pop()
        if isinstance(here, dict):
            inner = [(f"{at}.{key}" if at else str(key), part) for key, part in here.items()]
            waiting.extend(reversed(inner))
        elif isinstance(here, list | tuple):
            waiting.extend((at, part) for part in reversed(here))
        else:
            yield at, here
