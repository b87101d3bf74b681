"""Shared by parameter causes: symptoms of a parameter, its words, and edits of its schema."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from rightcall.improve.counters import ParameterStats
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import ProposedChange

UNITS = [
    "second",
    "seconds",
    "sec",
    "secs",
    "ms",
    "millisecond",
    "milliseconds",
    "minute",
    "minutes",
    "min",
    "mins",
    "hour",
    "hours",
    "hr",
    "hrs",
    "day",
    "days",
    "week",
    "weeks",
    "month",
    "months",
    "year",
    "years",
    "gram",
    "grams",
    "g",
    "kg",
    "kilogram",
    "kilograms",
    "lb",
    "lbs",
    "pound",
    "pounds",
    "ounce",
    "ounces",
    "oz",
    "tonne",
    "tonnes",
    "meter",
    "meters",
    "metre",
    "metres",
    "m",
    "cm",
    "mm",
    "km",
    "kilometer",
    "kilometers",
    "kilometre",
    "kilometres",
    "mile",
    "miles",
    "foot",
    "feet",
    "inch",
    "inches",
    "celsius",
    "fahrenheit",
    "kelvin",
    "degrees",
    "percent",
    "%",
    "byte",
    "bytes",
    "kb",
    "mb",
    "gb",
    "tb",
    "bit",
    "bits",
    "kib",
    "mib",
    "gib",
    "cent",
    "cents",
    "dollar",
    "dollars",
    "euro",
    "euros",
    "usd",
    "eur",
    "gbp",
    "yen",
    "liter",
    "liters",
    "litre",
    "litres",
    "l",
    "ml",
    "watt",
    "watts",
    "kw",
    "kwh",
    "volt",
    "volts",
    "hz",
    "khz",
    "mhz",
    "ghz",
    "px",
    "pixels",
]
_UNIT = re.compile(
    rf"(?<![\w])(?:{'|'.join(map(re.escape, sorted(UNITS, key=len, reverse=True)))})(?![\w])", re.I
)
_DATE_FORM = re.compile(r"yyyy|iso[ -]?8601|\biso\b|\d{4}-\d{2}-\d{2}|rfc ?3339", re.I)


class ArgumentPlace(NamedTuple):
    """One parameter, the symptoms in which it is wrong, with their kinds, and its statistics."""

    tool: str
    parameter: str
    symptoms: dict[int, tuple[str, bool]]
    stats: ParameterStats
    schema: Mapping[str, Any]

    def of_kind(self, *kinds: str) -> list[int]:
        """Symptoms in which it is wrong in one of these ways."""
        return [number for number, (kind, _) in self.symptoms.items() if kind in kinds]

    @property
    def described(self) -> bool:
        """Whether it has a description."""
        text = self.schema.get("description")
        return isinstance(text, str) and bool(text.strip())

    @property
    def description(self) -> str:
        """Its description; empty without one."""
        text = self.schema.get("description")
        return text if isinstance(text, str) else ""

    @property
    def exposed(self) -> frozenset[tuple[str, str]]:
        """The goldens that expect it."""
        return frozenset(((self.tool, self.parameter),))

    def change(self, key: str, after: Any) -> ProposedChange:
        """An edit of one keyword of its schema."""
        path = ("input_schema", "properties", self.parameter, key)
        return ProposedChange(self.tool, path, self.schema.get(key), after)


def places(evidence: Evidence) -> Iterator[ArgumentPlace]:
    """Every parameter with wrong values, in the order of the definitions."""
    symptoms_by_place: dict[tuple[str, str], dict[int, tuple[str, bool]]] = {}
    for number, seen in enumerate(evidence.seen):
        for bad in seen.symptom.arguments:
            symptoms_by_place.setdefault((seen.symptom.tool, bad.parameter), {})[number] = (
                bad.kind,
                bad.held,
            )
    for tool, parameter in sorted(symptoms_by_place, key=lambda key: order_of(evidence, *key)):
        if parameter:
            schema = evidence.schema(tool, parameter)
            yield ArgumentPlace(
                tool,
                parameter,
                symptoms_by_place[tool, parameter],
                evidence.parameters[tool, parameter],
                schema,
            )


def order_of(evidence: Evidence, tool: str, parameter: str) -> tuple[int, str, int, str]:
    """The position of a parameter in the definitions."""
    definition = evidence.by_name.get(tool)
    names = list(definition.parameters) if definition else []
    at = names.index(parameter) if parameter in names else len(names)
    return evidence.place.get(tool, len(evidence.place)), tool, at, parameter


def names_unit(place: ArgumentPlace) -> bool:
    """Whether name, description or schema state the unit of the value."""
    name = set(re.split(r"[_\W]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", place.parameter).lower()))
    if name & set(UNITS) - {"m", "l", "g"}:
        return True
    texts = [place.description, str(place.schema.get("unit", "")), str(place.schema.get("title", ""))]
    return any(_UNIT.search(text) for text in texts)


def names_date_form(place: ArgumentPlace) -> bool:
    """Whether the schema specifies a date format."""
    return bool(
        place.schema.get("format") or place.schema.get("pattern") or _DATE_FORM.search(place.description)
    )


def commonest(pairs: Counter[tuple[str, str]], kinds: Collection[str] | None = None) -> list[tuple[str, str]]:
    """Expected and actual values, most common first."""
    return [pair for pair, _ in sorted(pairs.items(), key=lambda item: (-item[1], item[0]))]


def with_sentence(text: str, addition: str) -> str:
    """A description with another clause appended."""
    text = text.rstrip()
    if not text:
        return addition[:1].upper() + addition[1:] + "."
    end = "." if text.endswith(".") else ""
    joint = ", " if addition[:1].islower() else ". "
    return f"{text.removesuffix('.')}{joint}{addition}{end}"
