"""Two parameters with swapped values."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from rightcall.improve.causes.arguments import order_of
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, ProposedChange, codes_on


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    symptoms_by_pair: dict[tuple[str, str, str], list[int]] = {}
    for number, seen in enumerate(evidence.seen):
        names = [bad.parameter for bad in seen.symptom.arguments if bad.kind == "swapped"]
        tool = seen.symptom.tool
        for first_name, second_name in combinations(
            sorted(names, key=lambda name: order_of(evidence, tool, name)), 2
        ):
            symptoms_by_pair.setdefault((tool, first_name, second_name), []).append(number)
    for (tool, first_name, second_name), symptoms in symptoms_by_pair.items():
        first, second = evidence.schema(tool, first_name), evidence.schema(tool, second_name)
        paths = [("input_schema", "properties", name, "description") for name in (first_name, second_name)]
        texts = [str(schema.get("description", "")) for schema in (first, second)]
        change = (
            ProposedChange(tool, paths[0], texts[0], texts[1]),
            ProposedChange(tool, paths[1], texts[1], texts[0]),
        )
        yield Hypothesis(
            "parameters_swapped",
            symptoms,
            frozenset(((tool, first_name), (tool, second_name))),
            0.97,
            f"{first_name} and {second_name} of {tool} are swapped in {evidence.trials_of(symptoms)} calls",
            f"{first_name} and {second_name} are swapped: exchange or clarify their descriptions.",
            (tool,),
            (first_name, second_name),
            ("both are wrong in the same calls, each with the value of the other",),
            change if all(texts) else (),
            codes_on(evidence, ("TD302",), (tool, first_name), (tool, second_name)),
            about="parameter",
        )
