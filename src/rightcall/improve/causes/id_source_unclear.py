"""An id taken from the wrong place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.improve.causes.arguments import examples_of, places
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, codes_on

_ID = re.compile(r"(?:^|_)(?:id|ids|ref|uuid|key|number|no)$|[a-z]I[dD]$")


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for place in places(evidence):
        symptoms = [
            number
            for number in place.symptoms
            if place.symptoms[number].kind == "foreign" or place.symptoms[number].reference
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
            examples_of(place),
            (),
            codes_on(evidence, ("TD320",), (place.tool, place.parameter)),
            about="parameter",
        )
