"""A few fixed values that the schema does not list, so the user's own words are passed."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from rightcall.core.text import percent, pluralize
from rightcall.improve.causes.arguments import ArgumentPlace, examples_of, places
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, codes_on, quote_values
from rightcall.lint.features.mentions import alternatives_in

MOST_VALUES = 8
_QUOTED = re.compile(r"""(?<!\w)['"`“‘]([\w][\w .-]{0,39})['"`”’](?!\w)""")


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for place in places(evidence):
        unlisted = _guesses_at_a_list(place, evidence)
        symptoms = unlisted or place.of_kind("copied", "spelling", "invented", "other", "missing")
        schema = place.schema
        values = dict.fromkeys((*sorted(filter(None, place.stats.values)), *_values_described(place)))
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
        left_out = place.of_kind("missing") if not worded and _few_for_many(place, evidence) else []
        if not worded and not left_out and not unlisted:
            continue
        wrong = sum(place.stats.kinds.values())
        share = (place.stats.kinds["copied"] + place.stats.kinds["spelling"]) / max(1, wrong)
        weight = 0.6 if left_out else 0.5 if unlisted else 0.55 + 0.4 * (share >= 0.6)
        meanings = [f"{value}: {words}" for value, words in sorted(_spellings(place).items())[:MOST_VALUES]]
        # a value of another kind is one more that is not on the list: the same cause
        explained = (
            left_out or unlisted or worded + [n for n in place.of_kind("invented", "other") if share >= 0.6]
        )
        instead = "is left out instead of being" if left_out else "gets the user's words instead of"
        instead = "gets something else than" if unlisted else instead
        listed = sorted(values)
        yield Hypothesis(
            "enum_missing",
            explained,
            place.exposed,
            weight * (1.0 if place.described else 0.85),
            f"{place.parameter} of {place.tool} {instead} one of {pluralize(len(listed), 'value')} in "
            f"{evidence.trials_of(explained)} of {place.stats.expected} calls",
            _advice(place, listed, [] if left_out or unlisted else meanings),
            (place.tool,),
            (place.parameter,),
            (f"{pluralize(expected, 'different value')} in {pluralize(place.stats.goldens, 'golden')}, and no enum",
             "it is required and left out" if left_out
             else "what is given instead is neither a value nor the user's word for one" if unlisted
             else f"{percent(share, 0)} of its errors are the user's own words", *examples_of(place)),
            (place.change("enum", listed),) if len(listed) > 1 else (),
            codes_on(evidence, ("TD304", "TD318"), (place.tool, place.parameter)),
            about="parameter",
        )  # fmt: skip


def _advice(place: ArgumentPlace, listed: list[str], meanings: list[str]) -> str:
    """What to write; the goldens show some of the values, and only the author knows all of them."""
    if len(listed) < 2:
        return (
            f"List the values that {place.parameter} accepts as its enum; the goldens show only {listed[0]}."
        )
    means = f" Say what each means: {'; '.join(meanings)}." if meanings else ""
    return f"Add an enum, and complete this list: {quote_values(listed, 8)}.{means}"


def _values_described(place: ArgumentPlace) -> list[str]:
    """Values that the description gives in quotes, or as a closed list."""
    return [*alternatives_in(place.description), *(match[1] for match in _QUOTED.finditer(place.description))]


def _are_identifiers(place: ArgumentPlace) -> bool:
    """Whether the expected values are numbers of things: each is one of many, and no list would contain them."""
    values = place.stats.values
    return 2 * sum(any(letter.isdigit() for letter in value) for value in values) > len(values)


def _few_for_many(place: ArgumentPlace, evidence: Evidence) -> bool:
    """Whether a required parameter has few values in many goldens: an undeclared closed list."""
    tool = evidence.by_name.get(place.tool)
    required = tool.input_schema.get("required") if tool is not None else None
    values = len(place.stats.values)
    return place.parameter in (required or ()) and values >= 2 and place.stats.goldens >= 3 * values


def _guesses_at_a_list(place: ArgumentPlace, evidence: Evidence) -> list[int]:
    """Wrong values that nobody said, where few values stand in many goldens: the model does not know the list."""
    if place.of_kind("copied", "spelling", "missing") or not _few_for_many(place, evidence):
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
    for (expected, actual), _ in sorted(place.stats.pairs.items(), key=lambda item: (-item[1], item[0])):
        actual_by_expected.setdefault(expected, actual)
    return actual_by_expected
