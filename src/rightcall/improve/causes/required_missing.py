"""A required parameter that the schema does not mark as required."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.causes.arguments import places
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, ProposedChange, codes_on


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for place in places(evidence):
        symptoms = place.of_kind("missing")
        tool = evidence.by_name.get(place.tool)
        if not symptoms or tool is None:
            continue
        required = tool.input_schema.get("required")
        required = required if isinstance(required, list) else []
        if place.parameter in required:
            continue
        always = place.stats.goldens >= 0.8 * max(1, evidence.tool_stats[place.tool].goldens)
        change = ProposedChange(
            place.tool, ("input_schema", "required"), required, [*required, place.parameter]
        )
        yield Hypothesis(
            "required_missing",
            symptoms,
            place.exposed,
            0.95 if always else 0.5,
            f"{place.parameter} of {place.tool} is left out in {evidence.trials_of(symptoms)} of "
            f"{place.stats.expected} calls",
            f"Put {place.parameter} into required."
            if always
            else f"Say when {place.parameter} must be passed.",
            (place.tool,),
            (place.parameter,),
            (
                f"{place.stats.goldens} of {evidence.tool_stats[place.tool].goldens} goldens of {place.tool} expect it",
                "it is not in required",
            ),
            (change,) if always else (),
            codes_on(evidence, ("TD312", "TD314"), (place.tool, place.parameter), (place.tool, "")),
            about="parameter",
        )
