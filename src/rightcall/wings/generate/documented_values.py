"""What the text of a parameter says about its values: choices, examples, formats, limits, what is searched for."""

from __future__ import annotations

import re
from functools import lru_cache

from rightcall.lint.features.mentions import STOP_WORDS, alternatives_in

_QUOTED = r"'[^'\n]{1,60}'|\"[^\"\n]{1,60}\"|`[^`\n]{1,60}`|“[^”\n]{1,60}”"
_INTRODUCTION = (
    r"(?:\be\.?g(?![a-z])\.?,?|\bfor (?:example|instance)\b,?|\bsuch as\b|\bexamples?\b(?: (?:is|are|values?))?|\bex\.)"
    r"\s*[:=]?\s*"
)
_NO_CHOICES = (
    r"\b(?:matching|like|avoid|not|never|its|via|fields?|called|named|with|using|from|instead of|than)"
)
"""Words before quoted texts that are no values to choose from."""

_QUOTED_EXAMPLES = re.compile(
    rf"{_INTRODUCTION}((?:{_QUOTED})(?:\s*(?:,|/|\bor\b|\band\b)+\s*(?:{_QUOTED}))*)", re.IGNORECASE
)
_BARE_EXAMPLE = re.compile(rf"{_INTRODUCTION}(?P<value>[\w$#@/][^,;()\n'\"`“”]{{0,59}})", re.I)
_SHOWN_FORMAT = re.compile(rf"\b(?:format|form|like)\b[:,]?\s*(?:is\s*)?({_QUOTED})", re.I)
_PLACEHOLDER = re.compile(
    r"<[^>]*>|[{}\[\]*|\\]|\.\.|…|[Yy]{4}|[Xx]{2}|\b(?:your|my)[_-]|^[~@/]?(?:path/to|owner/|org/|user(?:name)?|name|string|value|text"
    r"|id|foo|bar|example)\b",
    re.I,
)
_QUOTED_CHOICES = re.compile(
    rf"((?:{_QUOTED})(?:\s*\([^)]*\))?(?:\s*(?:,|/|\||\bor\b|\band\b)+\s*(?:{_QUOTED})(?:\s*\([^)]*\))?)+)",
    re.IGNORECASE,
)
_LISTED_CHOICE = re.compile(rf"(?m)^\s*[-*•]\s*({_QUOTED})\s*(?:[:=(–—-]|$)")
_INTRODUCED_CHOICES = re.compile(
    r"\b(?:valid|allowed|possible|supported|accepted|available) (?:values?|options?|types?|choices?)"
    r"(?: are| include)?\s*:\s*((?:[\w-]+,\s*)+(?:or |and )?[\w-]+)",
    re.IGNORECASE,
)
_RANGES = (
    re.compile(r"\b(?:between|from)\s+(-?\d[\d,.]*)\s+(?:and|to)\s+(-?\d[\d,.]*\d|\d)", re.I),
    re.compile(r"(?<![\w.-])(-?\d+(?:\.\d+)?)\s*(?:-|–|to|\.\.)\s*(-?\d+(?:\.\d+)?)(?![\w.-]*\d|/)", re.I),
)
_STEP = re.compile(
    r"\b(?:multiples?|increments?|steps?|lots?|divisible)\s+(?:of|by)\s+(\d[\d,]*(?:\.\d+)?)", re.I
)
_LISTED_NUMBERS = re.compile(
    r"\b(?:one of|either|(?:allowed|possible|valid|supported) values?(?: are)?|options?)[:\s]*[\[(]?"
    r"((?:-?\d+,?\s+(?:or\s+)?)+(?:or\s+)?-?\d+)",
    re.IGNORECASE,
)
_UNCLEAR_NUMBER = re.compile(
    r"\bround lots?\b|\bpowers? of\b|\bin lots\b|\bmultiples? of\b|\bincrements? of\b|\bbitmask\b|\bbitwise\b",
    re.IGNORECASE,
)
_MOST = re.compile(
    r"\b(?:max(?:imum)?(?: (?:is|of|value|number))*|at most|up to|no more than|limited to)\s*[:=]?\s*(\d[\d,]*)",
    re.IGNORECASE,
)
_LEAST = re.compile(
    r"\b(?:min(?:imum)?(?: (?:is|of|value|number))*|at least)\s*[:=]?\s*(\d[\d,]*)", re.IGNORECASE
)
_OPAQUE = (
    r"\bcursor\b|continuation|(?:pagination|page|access) token|base ?-?64|\barn\b|\bjson\b|stringified|encoded"
    r"|\b(?!(?:my)?sql\b)[a-z]+ql\b|\bcypher\b|lucene|odata|(?:query|search) (?:dsl|syntax)|\bwkt\b|geojson"
    r"|\bxml\b|\byaml\b|\bhtml\b|javascript|\bscript\b|(?:python|source|executable) code|code snippet|regex"
    r"|regular expression|\bformula\b|\bexpression\b|"
    r"(?:comma|newline|semicolon|pipe|space|colon)[- ](?:separated|delimited)"
    r"|\bdiff\b|\bpatch\b|element ref|\bindices\b|\bbounding box\b|\bbbox\b"
    r"|\b(?:starts?|begins?|prefixed) with\b|\bpolyline\b"
    r"|snapshot|mime type|connection string|api key|password|secret"
)

FORMATS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("opaque", _OPAQUE),
        ("lat_lon", r"\blat(?:itude)?\s*,\s*(?:lon|lng)"),
        ("lon_lat", r"\b(?:lon|lng)(?:gitude)?\s*,\s*lat"),
        ("unix_time", r"unix|epoch|(?:milli)?seconds since"),
        ("date-time", r"iso[ -]?8601|rfc[ -]?3339|date-?time|yyyy-mm-dd(?:t| ?hh)|date and time|\btimestamp\b"),
        ("date", r"yyyy-mm-dd"),
        ("time", r"\bhh:mm\b|24-hour"),
        ("uuid", r"\buuid\b|\bguid\b"),
        ("timezone", r"\biana\b|time ?zone"),
        ("country_code", r"country code|iso[ -]?3166|two-letter country|2-letter country"),
        ("currency", r"iso[ -]?4217|currency code|currency"),
        ("language_code", r"iso[ -]?639|language code|bcp[ -]?47|\blocale\b"),
        ("airport", r"\biata\b|airport code"),
        ("hex_color", r"\bhex\b"),
        ("cron", r"\bcron\b"),
        ("glob", r"\bglob\b"),
        ("selector", r"css selector"),
        ("sql", r"\bsql\b"),
        ("range", r"\ba1 notation\b|cell range|range of cells"),
        ("hash", r"commit (?:sha|hash)|\bsha\b"),
        ("ip", r"\bip(?:v4)? address\b"),
    )
)  # fmt: skip
"""What a text calls a format, and the pool of its values; `opaque` has none: nobody could invent a valid value."""


@lru_cache(maxsize=4096)
def choices_in(text: str) -> tuple[str, ...]:
    """The values of a closed list in the text; empty when it has none."""
    if listed := _LISTED_CHOICE.findall(text):
        return _strip_quotes(listed)
    if closed := alternatives_in(text):
        return tuple(closed)
    if introduced := _INTRODUCED_CHOICES.search(text):
        return tuple(re.sub(r"^(?:or|and) ", "", value.strip()) for value in introduced.group(1).split(","))
    match = _QUOTED_CHOICES.search(text)
    if match is None or re.search(
        rf"(?:{_INTRODUCTION}|{_NO_CHOICES}\s*)$", text[: match.start()], re.IGNORECASE
    ):
        return ()
    return _strip_quotes(re.findall(_QUOTED, match.group(1)))


@lru_cache(maxsize=4096)
def examples_in(text: str) -> tuple[str, ...]:
    """The values that the text gives as examples."""
    if quoted := _QUOTED_EXAMPLES.search(text) or _SHOWN_FORMAT.search(text):
        return _strip_quotes(re.findall(_QUOTED, quoted.group(1)))
    bare = _BARE_EXAMPLE.search(text)
    if bare is None:
        return ()
    value = bare.group("value").strip().rstrip(".")
    if value.endswith(":") or value.casefold() in STOP_WORDS:
        return ()
    is_description = re.match(r"(?:a|an|the|if|to|when|for|all|any|use)\b", value, re.IGNORECASE)
    is_value = len(value.split()) == 1 or (len(value.split()) <= 3 and re.search(r"[\dA-Z/_@#.:]", value))
    return _strip_quotes([value]) if is_value and not is_description else ()


@lru_cache(maxsize=4096)
def format_in(text: str) -> str:
    """The format that the text asks for, or an empty string."""
    return next((kind for kind, pattern in FORMATS if pattern.search(text)), "")


_LONGEST = re.compile(
    r"(?:max(?:imum|\.)?|at most|up to|no (?:more|longer) than|limit(?:ed to)?|within|under|exceed)\D{0,24}?(\d+)"
    r"[ -]*(?:characters?|chars?|letters)"
    r"|(\d+)[ -]*(?:characters?|chars?|letters)\b\W{0,2}(?:max|limit|or (?:less|fewer|shorter))",
    re.IGNORECASE,
)


_PREFIXED = re.compile(
    r"(?<![\w-])([A-Za-z]{1,5}[-_])(?:\*|x{2,}\b|X{2,}\b|n\b|N\b|#|\d{2,}\b)"
    r"|\b(?i:starts?|begins?|prefixed|starting|beginning) with [`'\"“]?([A-Za-z]{1,6}[-_])"
)


def prefix_in(text: str) -> str:
    """The letters that identifiers begin with, where the text shows it: “project identifier (PR-*)” has `PR-`."""
    match = _PREFIXED.search(text)
    return match.group(1) or match.group(2) if match else ""


def longest_in(text: str) -> int | None:
    """The number of characters that the text allows; None when it states none."""
    match = _LONGEST.search(text)
    return int(match.group(1) or match.group(2)) if match else None


def step_in(text: str) -> float:
    """The step between the numbers that the text allows; 0 when it states none."""
    match = _STEP.search(text)
    return float(match.group(1).replace(",", "")) if match else 0


def numbers_in(text: str) -> tuple[int, ...]:
    """The numbers of a closed list in the text: “one of 7, 14 or 30”."""
    match = _LISTED_NUMBERS.search(text)
    return tuple(map(int, re.findall(r"-?\d+", match.group(1)))) if match else ()


def has_unclear_numbers(text: str) -> bool:
    """Whether the text limits a number in a way that depends on something else, or that is not a range."""
    ranges = {match.groups() for match in _RANGES[1].finditer(text)}
    return len(ranges) > 1 or (bool(_UNCLEAR_NUMBER.search(text)) and not step_in(text))


def range_in(text: str) -> tuple[float | None, float | None]:
    """The smallest and the largest number that the text allows."""
    for pattern in _RANGES:
        if match := pattern.search(text):
            low, high = (float(end.replace(",", "").rstrip(".")) for end in match.groups())
            if low < high:
                return low, high
    least, most = _LEAST.search(text), _MOST.search(text)
    return _number(least), _number(most)


def _number(match: re.Match[str] | None) -> float | None:
    return None if match is None else float(match.group(1).replace(",", ""))


def _strip_quotes(values: list[str]) -> tuple[str, ...]:
    stripped = (value.strip().strip("'\"`“”").strip() for value in values)
    return tuple(dict.fromkeys(value for value in stripped if value and not _PLACEHOLDER.search(value)))


_SUBJECTS: tuple[tuple[str, str], ...] = (
    ("person", r"customers?|users?|people|persons?|contacts?|members?|employees?|agents?|guests?|leads?|authors?"),
    ("product", r"products?|goods|inventory"),
    ("project", r"projects?|teams?|organi[sz]ations?|workspaces?|apps?|channels?"),
    ("title", r"tasks?|events?|issues?|cards?|notes?|tickets?|meetings?|todos?|reminders?|documents?|pages?"
              r"|messages?|e?mails?|files?|posts?|conversations?"),
    ("city", r"cit(?:y|ies)|places?|locations?|address(?:es)?|geocod\w*|towns?|hotels?|airports?|stations?"),
    ("query", r"web|internet|online|news|articles?|wikipedia|videos?|papers?|books?|images?|photos?|pictures?|recipes?"
              r"|podcasts?|courses?|encyclop\w+|literature|publications?"),
)  # fmt: skip
_ENUMERATED = re.compile(
    r"\b(?:about|on|for|covering|topics?:?|like)\s+"
    r"((?:[a-z][a-z -]{2,24},\s+){2,}(?:(?:and|or)\s+)?[a-z][a-z -]{2,24}?)(?=[.;:)\n]|$)",
)
_LEFT_OUT = re.compile(r"^(?:and|or|the|a|an|any)\s+|^(?:etc|other|more)\b.*", re.IGNORECASE)
_SYNTAX = re.compile(
    r"\bquery string\b|\bsearch string\b|\bsyntax\b|\boperators?\b|\btraces?\b|\blogs?\b"
    r"|\bcategory\b|\bspans?\b|\bmetrics?\b|\bRUM\b|\btelemetry\b",
    re.IGNORECASE,
)


def topics_in(text: str) -> tuple[str, ...]:
    """The topics that a description enumerates: “questions about setup, funding, trading or events”."""
    match = _ENUMERATED.search(text)
    if match is None:
        return ()
    topics = (_LEFT_OUT.sub("", topic.strip()).strip() for topic in match.group(1).split(","))
    return tuple(topic for topic in dict.fromkeys(topics) if 1 <= len(topic.split()) <= 2)


def searched_kind(tool_name: str, purpose: str, text: str) -> str:
    """The pool of what to look for; empty when the definition does not say what is searched.

    The words of the parameter count first, then those of the name, then those of the purpose.
    """
    sentence = re.split(r"(?<=[.!?])\s|\n", purpose.strip(), maxsplit=1)[0]
    if _SYNTAX.search(text) or _SYNTAX.search(sentence):
        return ""
    asked = re.sub(r"\b(?:the )?users?\b", "", text, flags=re.IGNORECASE)  # who asks, not what is looked for
    if re.search(r"\bname\b.*\be-?mail\b|\be-?mail address", asked, re.IGNORECASE):
        return "person"
    for words in (asked, re.sub(r"[_-]|(?<=[a-z])(?=[A-Z])", " ", tool_name), sentence):
        found = [
            (match.start(), kind)
            for kind, pattern in _SUBJECTS
            if (match := re.search(rf"\b(?:{pattern})\b", words, re.IGNORECASE))
        ]
        if found:
            return min(found)[1]
    return "topic" if topics_in(purpose) else ""
