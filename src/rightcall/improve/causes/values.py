"""Causes in the form of a value: what the schema does not list, convert, type or spell."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from rightcall.core.text import percent, pluralize
from rightcall.improve.causes.parameters import (
    ArgumentPlace,
    examples_of,
    names_date_form,
    names_unit,
    places,
    places_with,
    with_sentence,
)
from rightcall.improve.counters import most_common
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, Weight, quote_values
from rightcall.improve.units import units_of
from rightcall.lint.features.mentions import alternatives_in

MOST_VALUES = 8
_QUOTED = re.compile(r"""(?<!\w)['"`“‘]([\w][\w .-]{0,39})['"`”’](?!\w)""")


def enum_missing(evidence: Evidence) -> Iterator[Hypothesis]:
    """A few fixed values that the schema does not list, so the user's own words are passed."""
    for place in places(evidence):
        unlisted = _guesses_at_a_list(place)
        symptoms = unlisted or place.of_kind("copied", "spelling", "invented", "other", "missing")
        schema = place.schema
        quoted = (match[1] for match in _QUOTED.finditer(place.description))
        values = {*filter(None, place.stats.values), *alternatives_in(place.description), *quoted}
        expected = len(place.stats.values)
        if (
            not symptoms
            or schema.get("enum")
            or schema.get("format")
            or schema.get("type") not in ("string", None)
            or not 1 <= expected <= MOST_VALUES
            or _are_identifiers(place)
            or (place.stats.goldens <= expected and 2 * place.stats.lacking_trials < place.stats.expected)
            or not (unlisted or _steady(place))
        ):
            continue
        worded = [n for n in place.of_kind("copied", "spelling") if not place.symptoms[n].looked_up]
        left_out = place.of_kind("missing") if not worded and _few_for_many(place) else []
        if not worded and not left_out and not unlisted:
            continue
        meanings: list[str] = []
        if left_out:
            explained = left_out
            fits = 0.6
            instead = "is left out instead of being"
            why = "it is required and left out"
        elif unlisted:
            explained = unlisted
            fits = 0.5
            instead = "gets something else than"
            why = "what is given instead is neither a value nor the user's word for one"
        else:
            kinds = place.stats.kinds
            share = (kinds["copied"] + kinds["spelling"]) / max(1, kinds.total())
            # a value of another kind is one more that is not on the list: the same cause
            explained = worded + (place.of_kind("invented", "other") if share >= 0.6 else [])
            fits = 0.55 + 0.4 * (share >= 0.6)
            instead = "gets the user's words instead of"
            why = f"{percent(share, 0)} of its errors are the user's own words"
            meanings = [
                f"{value}: {words}" for value, words in sorted(_spellings(place).items())[:MOST_VALUES]
            ]
        many = f"{pluralize(expected, 'different value')} in {pluralize(place.stats.goldens, 'golden')}, and no enum"
        listed = sorted(values)
        yield place.hypothesis(
            explained,
            Weight(fits * (1.0 if place.described else 0.85), many, why, *examples_of(place)),
            place.in_calls(f"{instead} one of {pluralize(len(listed), 'value')}", explained),
            _advice(place, listed, meanings),
            (place.change("enum", listed),) if len(listed) > 1 else (),
            ("TD304",),
            decisive=bool(worded) and fits > 0.9,
        )


def _advice(place: ArgumentPlace, listed: list[str], meanings: list[str]) -> str:
    """What to write; the goldens show some of the values, and only the author knows all of them."""
    if len(listed) < 2:
        return (
            f"List the values that {place.parameter} accepts as its enum; the goldens show only {listed[0]}."
        )
    means = f" Say what each means: {'; '.join(meanings)}." if meanings else ""
    return f"Add an enum, and complete this list: {quote_values(listed, 8)}.{means}"


LONGEST_CODE = 4
"""Characters of a code such as S3 or P1: one of a list, where a longer one with digits is the number of a thing."""


def _are_identifiers(place: ArgumentPlace) -> bool:
    """Whether the expected values are numbers of things: each is one of many, and no list would contain them."""
    values = place.stats.values
    numbered = sum(len(value) > LONGEST_CODE and any(map(str.isdigit, value)) for value in values)
    said_codes = not place.stats.lacking_trials and any(map(str.isdigit, "".join(values)))
    return 2 * numbered > len(values) or said_codes


def _few_for_many(place: ArgumentPlace) -> bool:
    """Whether a required parameter has few values in many goldens: an undeclared closed list."""
    tool = place.evidence.by_name.get(place.tool)
    required = tool.input_schema.get("required") if tool is not None else None
    values = len(place.stats.values)
    return place.parameter in (required or ()) and values >= 2 and place.stats.goldens >= 3 * values


def _guesses_at_a_list(place: ArgumentPlace) -> list[int]:
    """Wrong values that nobody said, where few values stand in many goldens: the model does not know the list."""
    if place.of_kind("copied", "spelling", "missing") or not _few_for_many(place):
        return []
    kinds = ("invented", "foreign", "other")
    wrong = sum(place.stats.kinds[kind] for kind in kinds)
    return place.of_kind(*kinds) if 2 * wrong > place.stats.expected else []


def _steady(place: ArgumentPlace) -> bool:
    """Whether each expected value mostly maps to the same wrong value, or is one of few."""
    by_value: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (expected, actual), times in place.stats.pairs.items():
        by_value[expected][actual] += times
    if not by_value:
        return False
    steady = sum(max(counts.values()) for counts in by_value.values())
    return steady >= 0.5 * sum(sum(counts.values()) for counts in by_value.values())


def _spellings(place: ArgumentPlace) -> dict[str, str]:
    actual_by_expected: dict[str, str] = {}
    for (expected, actual), _ in most_common(place.stats.pairs):
        actual_by_expected.setdefault(expected, actual)
    return actual_by_expected


STEADY = 0.6


def unit_missing(evidence: Evidence) -> Iterator[Hypothesis]:
    """A number whose unit the definition does not state."""
    for place, symptoms in places_with(evidence, "unit"):
        stated = names_unit(place)
        given = "a unit is already given" if stated else "no unit in name, description or schema"
        factor, steady = _factor(place)
        said = next(iter(sorted(place.stats.units, key=lambda unit: -place.stats.units[unit])), "")
        unit, unit_passed = units_of(place.stats.raw.values(), said, f"{place.parameter} {place.description}")
        scale = f"{factor:g} times too {'small' if factor > 1 else 'large'}" if factor > 1 else ""
        passed = f"in {unit_passed}" if unit_passed else scale or "in another unit"
        yield place.hypothesis(
            symptoms,
            Weight((0.5 if stated else 0.95) * (1.0 if steady else 0.7), given, *examples_of(place)),
            place.in_calls(f"is passed {passed}", symptoms)
            + (f"; the goldens expect {unit}" if unit else ""),
            f"State the unit: in {unit}; or rename it to {place.parameter}_{unit.replace(' ', '_')}."
            if unit
            else f"State the unit of {place.parameter}: the goldens expect another one than is passed.",
            (place.change("description", with_sentence(place.description, f"in {unit}")),)
            if unit and not stated
            else (),
            ("TD306",),
            decisive=not stated and steady,
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


def date_format_missing(evidence: Evidence) -> Iterator[Hypothesis]:
    """A date in a different format than the tool expects."""
    for place, symptoms in places_with(evidence, "date"):
        told = names_date_form(place)
        form = (
            "the format is already specified"
            if told
            else "no format, pattern or example of a date in the schema"
        )
        yield place.hypothesis(
            symptoms,
            Weight(0.5 if told else 0.95, form, *examples_of(place)),
            place.in_calls("is a date in another format", symptoms),
            "Add format: date and say 'as YYYY-MM-DD'.",
            ()
            if told
            else (
                place.change("format", "date"),
                place.change("description", with_sentence(place.description, "as YYYY-MM-DD")),
            ),
            ("TD305",),
            decisive=not told,
        )


TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


def type_unclear(evidence: Evidence) -> Iterator[Hypothesis]:
    """The right value with the wrong JSON type."""
    for place, symptoms in places_with(evidence, "type"):
        types = {TYPES[type(expected)] for expected, _ in place.stats.raw.values() if type(expected) in TYPES}
        type_name = next(iter(types)) if len(types) == 1 else ""
        change = place.change("type", type_name)
        yield place.hypothesis(
            symptoms,
            Weight(0.8, *examples_of(place)),
            place.in_calls("has the right value with the wrong type", symptoms),
            f"Tighten the type{f': {type_name}' if type_name else ''}.",
            (change,) if type_name and change.before != type_name else (),
            ("TD303", "TD316"),
        )


def value_spelling(evidence: Evidence) -> Iterator[Hypothesis]:
    """The right value, spelled differently."""
    for place, symptoms in places_with(evidence, "spelling"):
        lenient = f'{{"text": "{min(place.stats.values, default="value")}", "ignore": ["case", "space"]}}'
        yield place.hypothesis(
            symptoms,
            Weight(0.7, *examples_of(place)),
            place.in_calls("differs in case, spaces or punctuation", symptoms),
            f"The goldens expect one spelling. If any will do, write {lenient} in them; otherwise say in "
            f"{place.parameter} how it is spelt.",
            rules=("TD303", "TD304", "TD316"),
        )
