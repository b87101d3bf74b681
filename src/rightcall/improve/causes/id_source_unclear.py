"""An id taken from the wrong place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.improve.causes.arguments import ArgumentPlace, commonest, places
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, codes_on

_ID = re.compile(r"(?:^|_)(?:id|ids|ref|uuid|key|number|no)$|[a-z]I[dD]$")


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for place in places(evidence):
        symptoms = [
            number
            for number in place.symptoms
            if place.symptoms[number][0] == "foreign" or _refers(evidence, number, place)
        ]
        if not symptoms or not _ID.search(place.parameter):
            continue
        yield Hypothesis(
            "id_source_unclear",
            symptoms,
            place.exposed,
            0.8 if place.described else 0.6,
            f"{place.parameter} of {place.tool} is an id from another source in "
            f"{evidence.trials_of(symptoms)} of {place.stats.expected} calls",
            "Say where the id comes from: 'id from the result of TOOL'.",
            (place.tool,),
            (place.parameter,),
            tuple(
                f"expected {expected}, got {actual}" for expected, actual in commonest(place.stats.pairs)[:2]
            ),
            (),
            codes_on(evidence, ("TD320",), (place.tool, place.parameter)),
            about="parameter",
        )


def _refers(evidence: Evidence, number: int, place: ArgumentPlace) -> bool:
    arguments = evidence.seen[number].symptom.arguments
    return any(bad.parameter == place.parameter and bad.reference for bad in arguments)
