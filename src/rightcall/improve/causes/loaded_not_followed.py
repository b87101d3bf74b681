"""A skill that was loaded, and whose calls were not made."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, Weight

GROUPS = ("miss", "arguments", "other")


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for name in evidence.by_name_in_order:
        if evidence.by_name[name].kind == "skill":
            symptoms = _not_followed(evidence, name)
            if symptoms:
                yield _hypothesis(evidence, name, symptoms)


def _not_followed(evidence: Evidence, skill: str) -> list[int]:
    """Symptoms of goldens that expect the skill and more, in which something else than the load went wrong first."""
    numbers = {
        number
        for case in evidence.cases
        if skill in case.classes and len(case.classes) > 1
        for number, _ in case.cells
    }
    kinds = {tool.name: tool.kind for tool in evidence.tools}
    return sorted(
        number
        for number in numbers
        if (symptom := evidence.seen[number].symptom).group in GROUPS
        and symptom.tool != skill
        and kinds.get(symptom.tool, "tool") == "tool"
        and kinds.get(symptom.called, "tool") != "skill"
    )


def _hypothesis(evidence: Evidence, skill: str, symptoms: list[int]) -> Hypothesis:
    trials = evidence.trials_of(symptoms)
    tools = (evidence.seen[number].symptom.tool for number in symptoms)
    missing = list(dict.fromkeys(tool for tool in tools if tool))
    listed = ", ".join(missing[:3]) or "the calls that it prescribes"
    weight = Weight(0.8, [f"the load is right in {trials} trials that fail"])
    weight.add(0.15, bool(missing), f"what is missing or wrong then: {listed}")
    body = evidence.by_name[skill].skill
    weight.add(0.1, body is not None and body.tokens > 5000, "its body is long")
    return Hypothesis(
        "loaded_not_followed",
        symptoms,
        frozenset((skill,)),
        weight.value,
        f"{skill} is loaded, but not followed, in {trials} trials: {listed}",
        f"Say in the body of {skill}, as its first step, to call {listed}; put details into references/.",
        (skill,),
        (),
        tuple(weight.reasons),
    )
