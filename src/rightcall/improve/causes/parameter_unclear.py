"""A described parameter that still gets wrong values."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.causes.arguments import examples_of, places
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, codes_on

UNCLEAR = ("foreign", "invented", "copied", "enum_neighbour", "other", "missing")


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for place in places(evidence):
        symptoms = place.of_kind(*UNCLEAR)
        wrong = sum(place.stats.kinds.values())
        telling = sum(place.stats.kinds[kind] for kind in UNCLEAR[:4])
        if not symptoms or not place.described or telling <= 0.6 * wrong:
            continue
        yield Hypothesis(
            "parameter_unclear",
            symptoms,
            place.exposed,
            0.4,
            f"{place.parameter} of {place.tool} gets another value in {evidence.trials_of(symptoms)} of "
            f"{place.stats.expected} calls",
            f"Say in {place.parameter} what it is not, and give an example.",
            (place.tool,),
            (place.parameter,),
            examples_of(place),
            (),
            codes_on(evidence, ("TD302", "TD110"), (place.tool, place.parameter)),
            about="parameter",
        )
