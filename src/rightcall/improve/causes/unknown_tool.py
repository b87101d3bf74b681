"""A tool that does not exist."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from difflib import get_close_matches

from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, codes_on


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    symptoms_by_name: defaultdict[str, list[int]] = defaultdict(list)
    for number in evidence.where(group="invented"):
        symptoms_by_name[evidence.seen[number].symptom.called].append(number)
    for name, symptoms in sorted(symptoms_by_name.items()):
        mentioned = [tool for tool in evidence.by_name_in_order if evidence.wording.names(tool, name)]
        near = get_close_matches(name, evidence.by_name_in_order, 1)
        if mentioned:
            advice = f"{name} does not exist; the description of {mentioned[0]} mentions it."
        else:
            advice = f"{name} does not exist" + (f"; it looks like {near[0]}." if near else ".")
        tools_meant = {evidence.seen[n].symptom.tool for n in symptoms} - {""}
        place = tuple(mentioned[:1] or sorted(tools_meant)[:1])
        yield Hypothesis(
            "unknown_tool",
            symptoms,
            None,
            0.9,
            f"{name}, which does not exist, is called in {evidence.trials_of(symptoms)} trials",
            advice,
            place,
            (),
            tuple(f"mentioned by {tool}" for tool in mentioned[:2]),
            (),
            codes_on(evidence, ("TD210",), *((tool, "") for tool in mentioned)),
        )
