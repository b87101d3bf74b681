"""The right value, spelled differently."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.causes.arguments import commonest, places
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
                "The golden expects one spelling: compare with {text: …, ignore: [case]}, or specify the spelling.",
                (place.tool,),
                (place.parameter,),
                tuple(
                    f"expected {expected}, got {actual}"
                    for expected, actual in commonest(place.stats.pairs)[:2]
                ),
                (),
                codes_on(evidence, ("TD303", "TD304", "TD316"), (place.tool, place.parameter)),
                about="parameter",
            )
