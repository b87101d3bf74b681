"""A parameter without a description."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.causes.arguments import places
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, codes_on, quote_values


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for place in places(evidence):
        if (
            place.described
            or not place.schema
            or place.parameter not in _parameter_names(evidence, place.tool)
        ):
            continue
        symptoms = [n for n in place.symptoms if place.symptoms[n].kind != "extra"] or list(place.symptoms)
        examples = [value for value in sorted(place.stats.values) if value][:2]
        yield Hypothesis(
            "parameter_description_missing",
            symptoms,
            place.exposed,
            0.96,
            f"{place.parameter} of {place.tool} is wrong in {evidence.trials_of(symptoms)} of "
            f"{place.stats.expected} calls, and it has no description",
            f"Describe {place.parameter}: what it is and its format"
            + (f", with an example such as {quote_values(examples)}." if examples else "."),
            (place.tool,),
            (place.parameter,),
            ("no description", _kinds(place.stats.kinds)),
            (),
            codes_on(evidence, ("TD301", "TD302", "TD110"), (place.tool, place.parameter)),
            about="parameter",
        )


def _parameter_names(evidence: Evidence, tool: str) -> frozenset[str]:
    definition = evidence.by_name.get(tool)
    return frozenset(definition.parameters) if definition else frozenset()


def _kinds(kinds: dict[str, int]) -> str:
    return "mistakes: " + ", ".join(
        f"{kind} {n}" for kind, n in sorted(kinds.items(), key=lambda i: (-i[1], i[0]))
    )
