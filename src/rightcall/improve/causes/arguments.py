"""Shared by parameter causes: symptoms of a parameter, its words, and edits of its schema."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rightcall.improve.counters import ParameterStats, most_common
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, ProposedChange, Weight, codes_on
from rightcall.improve.symptom import BadArgument
from rightcall.improve.units import states_unit

_DATE_FORM = re.compile(r"yyyy|iso[ -]?8601|\biso\b|\d{4}-\d{2}-\d{2}|rfc ?3339", re.I)


class ArgumentPlace(NamedTuple):
    """One parameter, the symptoms in which it is wrong, with their kinds, and its statistics."""

    evidence: Evidence
    tool: str
    parameter: str
    symptoms: dict[int, BadArgument]
    stats: ParameterStats
    schema: Mapping[str, Any]

    def of_kind(self, *kinds: str) -> list[int]:
        """Symptoms in which it is wrong in one of these ways."""
        return [number for number, bad in self.symptoms.items() if bad.kind in kinds]

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

    def in_calls(self, what: str, symptoms: Sequence[int]) -> str:
        """What is wrong with it, and in how many of the calls that expect it."""
        trials = self.evidence.trials_of(symptoms)
        return f"{self.parameter} of {self.tool} {what} in {trials} of {self.stats.expected} calls"

    def hypothesis(
        self,
        symptoms: Sequence[int],
        weight: Weight,
        what: str,
        advice: str,
        change: tuple[ProposedChange, ...] = (),
        rules: tuple[str, ...] = (),
    ) -> Hypothesis:
        """A cause in this parameter, which can act on the goldens that expect it."""
        place = self.tool, self.parameter
        fired, exposed = codes_on(self.evidence, rules, place), frozenset((place,))
        names = (self.tool,), (self.parameter,)
        return Hypothesis(symptoms, weight, what, advice, *names, change, fired, exposed, "parameter")

    def change(self, key: str, after: Any) -> ProposedChange:
        """An edit of one keyword of its schema."""
        path = ("input_schema", "properties", self.parameter, key)
        return ProposedChange(self.tool, path, self.schema.get(key), after)


def places(evidence: Evidence) -> Iterator[ArgumentPlace]:
    """Every parameter with wrong values, in the order of the definitions."""
    symptoms_by_place: dict[tuple[str, str], dict[int, BadArgument]] = {}
    for number, seen in enumerate(evidence.seen):
        for bad in seen.symptom.arguments:
            symptoms_by_place.setdefault((seen.symptom.tool, bad.parameter), {})[number] = bad
    for tool, parameter in sorted(symptoms_by_place, key=lambda key: order_of(evidence, *key)):
        if parameter:
            stats, schema = evidence.parameters[tool, parameter], evidence.schema(tool, parameter)
            yield ArgumentPlace(evidence, tool, parameter, symptoms_by_place[tool, parameter], stats, schema)


def places_with(evidence: Evidence, *kinds: str) -> Iterator[tuple[ArgumentPlace, list[int]]]:
    """Every parameter that is wrong in one of these ways, with the symptoms that are."""
    return ((place, symptoms) for place in places(evidence) if (symptoms := place.of_kind(*kinds)))


def order_of(evidence: Evidence, tool: str, parameter: str) -> tuple[int, str, int, str]:
    """The position of a parameter in the definitions."""
    definition = evidence.by_name.get(tool)
    names = list(definition.parameters) if definition else []
    at = names.index(parameter) if parameter in names else len(names)
    return evidence.place.get(tool, len(evidence.place)), tool, at, parameter


def names_unit(place: ArgumentPlace) -> bool:
    """Whether name, description or schema state the unit of the value."""
    name = re.sub(r"[_\W]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", place.parameter))
    schema = place.schema
    return any(
        map(states_unit, (name, place.description, str(schema.get("unit", "")), str(schema.get("title", ""))))
    )


def names_date_form(place: ArgumentPlace) -> bool:
    """Whether the schema specifies a date format."""
    return bool(
        place.schema.get("format") or place.schema.get("pattern") or _DATE_FORM.search(place.description)
    )


def examples_of(place: ArgumentPlace) -> tuple[str, ...]:
    """Expected and actual values as evidence, most common first."""
    pairs = [pair for pair, _ in most_common(place.stats.pairs)[:2]]
    return tuple(f"expected {expected}, got {actual or 'an empty text'}" for expected, actual in pairs)


def with_sentence(text: str, addition: str) -> str:
    """A description with another clause appended."""
    text = text.rstrip()
    if not text:
        return addition[:1].upper() + addition[1:] + "."
    end = "." if text.endswith(".") else ""
    joint = ", " if addition[:1].islower() else ". "
    return f"{text.removesuffix('.')}{joint}{addition}{end}"
