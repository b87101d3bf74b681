"""A date in a different format than the tool expects."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.causes.arguments import examples_of, names_date_form, places, with_sentence
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, codes_on


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for place in places(evidence):
        symptoms = place.of_kind("date")
        if not symptoms:
            continue
        told = names_date_form(place)
        yield Hypothesis(
            "date_format_missing",
            symptoms,
            place.exposed,
            0.5 if told else 0.95,
            f"{place.parameter} of {place.tool} is a date in another format in {evidence.trials_of(symptoms)} of "
            f"{place.stats.expected} calls",
            "Add format: date and say 'as YYYY-MM-DD'.",
            (place.tool,),
            (place.parameter,),
            (
                "the format is already specified"
                if told
                else "no format, pattern or example of a date in the schema",
                *examples_of(place),
            ),
            ()
            if told
            else (
                place.change("format", "date"),
                place.change("description", with_sentence(place.description, "as YYYY-MM-DD")),
            ),
            codes_on(evidence, ("TD305",), (place.tool, place.parameter)),
            about="parameter",
        )
