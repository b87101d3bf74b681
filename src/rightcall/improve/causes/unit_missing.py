"""A number in a different unit than the tool expects."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.causes.arguments import commonest, names_unit, places, with_sentence
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, codes_on

OF_FACTOR = {
    60.0: ("minutes", "hours"), 3600.0: ("seconds", "hours"), 86400.0: ("seconds", "days"), 24.0: ("hours", "days"),
    7.0: ("days", "weeks"), 168.0: ("hours", "weeks"), 1440.0: ("minutes", "days"), 12.0: ("months", "years"),
    100.0: ("cents", "whole units"), 1000.0: ("thousandths", "whole units"), 1024.0: ("KB", "MB"),
}  # fmt: skip
"""The smaller and the larger unit that a factor usually converts between."""


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for place in places(evidence):
        symptoms = place.of_kind("unit")
        if not symptoms:
            continue
        told = names_unit(place)
        trials = evidence.trials_of(symptoms)
        unit, unit_passed = _units(place.stats.raw.values())
        words = f"in {unit}" if unit else "in the unit that the goldens expect"
        yield Hypothesis(
            "unit_missing",
            symptoms,
            place.exposed,
            0.5 if told else 0.95,
            f"{place.parameter} of {place.tool} is passed {f'in {unit_passed}' if unit_passed else 'in another unit'} "
            f"in {trials} of {place.stats.expected} calls",
            f"State the unit: {words}; or rename it to {place.parameter}_{unit or 'UNIT'}.",
            (place.tool,),
            (place.parameter,),
            ("a unit is already given" if told else "no unit in name, description or schema",
             *(f"expected {expected}, got {actual}" for expected, actual in commonest(place.stats.pairs)[:2])),
            (place.change("description", with_sentence(place.description, f"in {unit}")),) if unit and not told else (),
            codes_on(evidence, ("TD306",), (place.tool, place.parameter)),
            about="parameter",
        )  # fmt: skip


def _units(pairs: object) -> tuple[str, str]:
    """The unit that is expected and the one that was given, if the values reveal it."""
    for expected, actual in pairs:  # type: ignore[attr-defined]
        if (
            not isinstance(expected, int | float)
            or not isinstance(actual, int | float)
            or not expected
            or not actual
        ):
            continue
        for factor, (small, large) in OF_FACTOR.items():
            if abs(expected / actual - factor) < 0.006 * factor:
                return small, large
            if abs(actual / expected - factor) < 0.006 * factor:
                return large, small
    return "", ""
