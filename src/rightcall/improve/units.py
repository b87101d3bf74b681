"""Units of numbers: which one a request gives, and which one a wrongly scaled value should have been in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from rightcall.schema.types import is_number

DIMENSIONS: dict[str, dict[str, float]] = {
    "time": {"milliseconds": 0.001, "seconds": 1, "minutes": 60, "hours": 3600, "days": 86_400, "weeks": 604_800},
    "long time": {"months": 1, "years": 12},
    "money": {"cents": 0.01, "euros": 1, "dollars": 1, "pounds sterling": 1, "francs": 1, "crowns": 1},
    "mass": {"milligrams": 0.001, "grams": 1, "ounces": 28.35, "pounds": 453.59, "kilograms": 1000, "tonnes": 1e6},
    "length": {
        "millimeters": 0.001, "centimeters": 0.01, "inches": 0.0254, "feet": 0.3048, "meters": 1,
        "kilometers": 1000, "miles": 1609.3,
    },
    "volume": {"milliliters": 0.001, "centiliters": 0.01, "liters": 1},
    "data": {"bytes": 1, "KB": 1000, "MB": 1e6, "GB": 1e9, "TB": 1e12},
    "binary data": {"bytes": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3},
    "share": {"percent": 0.01, "a fraction of 1": 1},
    "power": {"watts": 1, "kilowatts": 1000, "megawatts": 1e6},
    "frequency": {"hertz": 1, "kilohertz": 1000, "megahertz": 1e6, "gigahertz": 1e9},
}  # fmt: skip
"""Sizes of units that are converted into each other, relative to one of them."""

SPELLINGS = {
    "milliseconds": "ms millisecond msec", "seconds": "second sec secs", "minutes": "minute min mins",
    "hours": "hour hr hrs h", "days": "day", "weeks": "week", "months": "month", "years": "year yr yrs",
    "cents": "cent pence penny", "euros": "euro eur €", "dollars": "dollar usd $ bucks",
    "pounds sterling": "gbp £ quid", "francs": "franc chf", "crowns": "crown sek nok dkk", "yen": "jpy ¥",
    "milligrams": "milligram mg", "grams": "gram g gramme grammes", "kilograms": "kilogram kg kilo kilos kgs",
    "tonnes": "tonne ton tons t", "pounds": "pound lb lbs", "ounces": "ounce oz",
    "millimeters": "millimeter millimetre millimetres mm", "centimeters": "centimeter centimetre centimetres cm",
    "meters": "meter metre metres m", "kilometers": "kilometer kilometre kilometres km kms", "miles": "mile mi",
    "feet": "foot ft", "inches": "inch in", "liters": "liter litre litres l",
    "milliliters": "milliliter millilitre ml", "centiliters": "centiliter centilitre cl", "bytes": "byte b",
    "KB": "kb kilobyte kilobytes", "MB": "mb megabyte megabytes", "GB": "gb gigabyte gigabytes gigs gig",
    "TB": "tb terabyte terabytes", "KiB": "kib", "MiB": "mib", "GiB": "gib", "bits": "bit",
    "percent": "% pct percentage", "watts": "watt w", "kilowatts": "kilowatt kw", "megawatts": "megawatt mw",
    "hertz": "hz", "kilohertz": "khz", "megahertz": "mhz", "gigahertz": "ghz", "celsius": "°c",
    "fahrenheit": "°f", "kelvin": "", "degrees": "degree", "pixels": "pixel px", "volts": "volt",
    "kilowatt hours": "kwh",
}  # fmt: skip
"""The other ways to write a unit."""

UNIT_OF = {word.lower(): unit for unit, words in SPELLINGS.items() for word in (unit, *words.split())}
"""Every spelling of a unit in lower case, with the unit."""

LETTERS = frozenset(("m", "l", "g", "h", "b", "t", "w", "in"))
"""Spellings that mean a unit only after a number."""

_LONGEST_FIRST = sorted(UNIT_OF, key=len, reverse=True)
_WORDS = [rf"(?<!\w){re.escape(word)}(?!\w)" for word in _LONGEST_FIRST if word not in LETTERS]
_STATED = re.compile("|".join(_WORDS), re.I)
_AFTER = re.compile(rf"\s*-?({'|'.join(map(re.escape, _LONGEST_FIRST))})(?!\w)", re.I)
_BEFORE = re.compile(r"([€$£¥])\s*$")

BY_CONTEXT = (
    (100.0, re.compile(r"rate|percent|share|ratio|discount|tax|probab", re.I), "share"),
    (100.0, re.compile(r"amount|price|cost|total|refund|fee|budget|balance|pay|charge|sum|tip|credit", re.I), "money"),
    (1000.0, re.compile(r"time|delay|interval|duration|wait", re.I), "time"),
    (1000.0, re.compile(r"weigh|mass|load", re.I), "mass"),
    (1000.0, re.compile(r"distance|length|radius|range|far", re.I), "length"),
    (1000.0, re.compile(r"size|memory|file|storage|quota", re.I), "data"),
)  # fmt: skip
"""The dimension of a factor that several have, by the words of the parameter."""

BY_FACTOR = {
    60.0: ("minutes", "hours"), 3600.0: ("seconds", "hours"), 86400.0: ("seconds", "days"), 24.0: ("hours", "days"),
    7.0: ("days", "weeks"), 168.0: ("hours", "weeks"), 1440.0: ("minutes", "days"), 12.0: ("months", "years"),
    1024.0: ("KB", "MB"), 100.0: ("hundredths", "whole units"), 1000.0: ("thousandths", "whole units"),
}  # fmt: skip
"""The smaller and the larger unit that a factor usually converts between."""

TOLERANCE = 0.006


def states_unit(text: str) -> bool:
    """Whether a text names a unit."""
    return bool(_STATED.search(text))


def unit_said(value: Any, text: str) -> str:
    """The unit that a text gives with a number; "" when it gives none."""
    if not is_number(value):
        return ""
    spellings = {str(value), f"{value:g}", f"{value:.2f}"}
    for match in re.finditer(r"(?<![\w.])\d+(?:[.,]\d+)?", text[:20_000]):
        if match[0].replace(",", ".") in spellings:
            after = _AFTER.match(text, match.end())
            before = _BEFORE.search(text[: match.start()])
            if after or before:
                return UNIT_OF[(after or before)[1].lower()]  # type: ignore[index]
    return ""


def units_of(pairs: Iterable[tuple[Any, Any]], said: str, context: str) -> tuple[str, str]:
    """The unit that is expected and the one that was passed: by the request's unit, or the parameter's words."""
    for expected, actual in pairs:
        if not is_number(expected) or not is_number(actual) or not expected or not actual:
            continue
        factor = abs(expected / actual)
        if said and (unit := _other_unit(said, factor)):
            return unit, said
        up = max(factor, 1 / factor)
        for known, words, dimension in BY_CONTEXT:
            if _close(up, known) and words.search(context):
                small, large = _neighbours(dimension, known)
                return (small, large) if factor > 1 else (large, small)
        for known, (small, large) in BY_FACTOR.items():
            if _close(up, known):
                return (small, large) if factor > 1 else (large, small)
    return "", said


def _other_unit(said: str, factor: float) -> str:
    """The unit in which a number is `factor` times as large as in the unit `said`."""
    for sizes in DIMENSIONS.values():
        for unit, size in sizes.items():
            if said in sizes and unit != said and _close(sizes[said] / size, factor):
                return unit
    return ""


def _neighbours(dimension: str, factor: float) -> tuple[str, str]:
    if dimension == "money":
        return "cents", "whole units"
    sizes = DIMENSIONS[dimension]
    return next(
        (small, large) for small in sizes for large in sizes if _close(sizes[large] / sizes[small], factor)
    )


def _close(first: float, second: float) -> bool:
    return abs(first - second) <= TOLERANCE * second
