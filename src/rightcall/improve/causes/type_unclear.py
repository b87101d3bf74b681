"""The right value with the wrong JSON type."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.causes.arguments import examples_of, places
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, codes_on

TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for place in places(evidence):
        symptoms = place.of_kind("type")
        if not symptoms:
            continue
        types = {TYPES[type(expected)] for expected, _ in place.stats.raw.values() if type(expected) in TYPES}
        type_name = next(iter(types)) if len(types) == 1 else ""
        change = place.change("type", type_name)
        yield Hypothesis(
            "type_unclear",
            symptoms,
            place.exposed,
            0.8,
            f"{place.parameter} of {place.tool} has the right value with the wrong type in "
            f"{evidence.trials_of(symptoms)} of {place.stats.expected} calls",
            f"Tighten the type{f': {type_name}' if type_name else ''}.",
            (place.tool,),
            (place.parameter,),
            examples_of(place),
            (change,) if type_name and change.before != type_name else (),
            codes_on(evidence, ("TD303", "TD316"), (place.tool, place.parameter)),
            about="parameter",
        )
