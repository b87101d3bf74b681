"""The right value, spelled differently."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.causes.arguments import ArgumentPlace, examples_of, places
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, codes_on


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for place in places(evidence):
        symptoms = place.of_kind("spelling")
        if symptoms:
            yield Hypothesis(
                "value_spelling",
                symptoms,
                place.exposed,
                0.7,
                f"{place.parameter} of {place.tool} differs in case, spaces or punctuation in "
                f"{evidence.trials_of(symptoms)} of {place.stats.expected} calls",
                f"The goldens expect one spelling. If any will do, write {_lenient(place)} in them; otherwise say in "
                f"{place.parameter} how it is spelt.",
                (place.tool,),
                (place.parameter,),
                examples_of(place),
                (),
                codes_on(evidence, ("TD303", "TD304", "TD316"), (place.tool, place.parameter)),
                about="parameter",
            )


def _lenient(place: ArgumentPlace) -> str:
    value = min(place.stats.values, default="value")
    return f'{{"text": "{value}", "ignore": ["case", "space"]}}'
