"""A few fixed values that the schema does not list, so the user's own words are passed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from rightcall.core.text import percent
from rightcall.improve.causes.arguments import ArgumentPlace, places
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, codes_on, quote_values

MOST_VALUES = 8


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for place in places(evidence):
        symptoms = place.of_kind("copied", "spelling", "invented", "other", "missing")
        schema, values = place.schema, place.stats.values
        if (
            not symptoms
            or schema.get("enum")
            or schema.get("format")
            or schema.get("type") not in ("string", None)
            or not 1 <= len(values) <= MOST_VALUES
            or (place.stats.goldens <= len(values) and 2 * place.stats.lacking_trials < place.stats.expected)
            or not _steady(place)
        ):
            continue
        worded = place.of_kind("copied", "spelling")
        left_out = place.of_kind("missing") if not worded and _few_for_many(place, evidence) else []
        if not worded and not left_out:
            continue
        wrong = sum(place.stats.kinds.values())
        share = (place.stats.kinds["copied"] + place.stats.kinds["spelling"]) / max(1, wrong)
        weight = 0.6 if left_out else 0.55 + 0.4 * (share >= 0.6)
        listed = sorted(values)
        meanings = [f"{value}: {words}" for value, words in sorted(_spellings(place).items())[:MOST_VALUES]]
        explained = worded or left_out
        instead = "is left out instead of being" if left_out else "gets the user's words instead of"
        yield Hypothesis(
            "enum_missing",
            explained,
            place.exposed,
            weight * (1.0 if place.described else 0.85),
            f"{place.parameter} of {place.tool} {instead} one of {len(listed)} values in "
            f"{evidence.trials_of(explained)} of {place.stats.expected} calls",
            f"Add enum {quote_values(listed, 8)}"
            + (f"; say what each means: {'; '.join(meanings)}" if meanings and not left_out else "") + ".",
            (place.tool,),
            (place.parameter,),
            (f"{len(listed)} different values in {place.stats.goldens} goldens, and no enum",
             "it is required and left out" if left_out
             else f"{percent(share, 0)} of its errors are the user's own words"),
            (place.change("enum", listed),),
            codes_on(evidence, ("TD304", "TD318"), (place.tool, place.parameter)),
            about="parameter",
        )  # fmt: skip


def _few_for_many(place: ArgumentPlace, evidence: Evidence) -> bool:
    """Whether a required parameter has few values in many goldens: an undeclared closed list."""
    tool = evidence.by_name.get(place.tool)
    required = tool.input_schema.get("required") if tool is not None else None
    values = len(place.stats.values)
    return place.parameter in (required or ()) and values >= 2 and place.stats.goldens >= 3 * values


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
