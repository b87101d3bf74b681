"""A number whose unit the definition does not state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rightcall.improve.causes.arguments import ArgumentPlace, examples_of, names_unit, places, with_sentence
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, codes_on
from rightcall.improve.units import units_of

STEADY = 0.6


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for place in places(evidence):
        symptoms = place.of_kind("unit")
        if not symptoms:
            continue
        stated = names_unit(place)
        factor, steady = _factor(place)
        said = next(iter(sorted(place.stats.units, key=lambda unit: -place.stats.units[unit])), "")
        unit, unit_passed = units_of(place.stats.raw.values(), said, f"{place.parameter} {place.description}")
        scale = f"{factor:g} times too {'small' if factor > 1 else 'large'}" if factor > 1 else ""
        passed = f"in {unit_passed}" if unit_passed else scale or "in another unit"
        yield Hypothesis(
            "unit_missing",
            symptoms,
            place.exposed,
            (0.5 if stated else 0.95) * (1.0 if steady else 0.7),
            f"{place.parameter} of {place.tool} is passed {passed} in {evidence.trials_of(symptoms)} of "
            f"{place.stats.expected} calls" + (f"; the goldens expect {unit}" if unit else ""),
            f"State the unit: in {unit}; or rename it to {place.parameter}_{unit.replace(' ', '_')}."
            if unit
            else f"State the unit of {place.parameter}: the goldens expect another one than is passed.",
            (place.tool,),
            (place.parameter,),
            (
                "a unit is already given" if stated else "no unit in name, description or schema",
                *examples_of(place),
            ),
            (place.change("description", with_sentence(place.description, f"in {unit}")),)
            if unit and not stated
            else (),
            codes_on(evidence, ("TD306",), (place.tool, place.parameter)),
            about="parameter",
        )


def _factor(place: ArgumentPlace) -> tuple[float, bool]:
    """The most common factor from the passed to the expected number, and whether most mistakes have it."""
    factors: Counter[float] = Counter()
    numbers = 0
    for pair, (expected, actual) in place.stats.raw.items():
        if isinstance(expected, int | float) and isinstance(actual, int | float) and expected and actual:
            factors[float(f"{expected / actual:.2g}")] += place.stats.pairs[pair]
            numbers += place.stats.pairs[pair]
    if not factors:
        return 0.0, True
    factor, times = min(factors.items(), key=lambda item: (-item[1], item[0]))
    return factor, times >= STEADY * numbers
