"""Causes in skills that are not loaded or not followed."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.causes.choices import describe, such_as, tools_that_were_missed
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, Weight, codes_on
from rightcall.lint.rules.skills_front_matter import MOST_DESCRIPTION

SKILL_RULES = ("SK103", "SK104", "TD601", "TD603")


def skill_not_seen(evidence: Evidence) -> Iterator[Hypothesis]:
    """A skill that is not loaded, though its description has the users' words."""
    for skill, symptoms, targets in tools_that_were_missed(evidence):
        if evidence.by_name[skill].kind != "skill" or evidence.is_low_cover(skill):
            continue  # a description without the users' words is a narrow one
        nothing = [number for number in symptoms if not evidence.seen[number].symptom.called]
        trials = evidence.trials_of(nothing)
        if not trials:
            continue
        fired = codes_on(evidence, SKILL_RULES, (skill, ""))
        weight = Weight(
            0.55, f"not loaded in {trials} of {evidence.tool_stats[skill].trials} trials that need it"
        )
        weight.add(
            0.25, targets[""] >= 0.8 * sum(targets.values()), "no other skill or tool is used in its place"
        )
        weight.add(0.1, "SK104" in fired, "its description does not say when to use it")
        weight.add(0.1, len(evidence.tools) > 20, f"it is one of {len(evidence.tools)} in the catalogue")
        addition = "Load this skill first whenever a request is about it, before any other step."
        change = describe(evidence, skill, addition)
        yield Hypothesis(
            nothing,
            weight,
            f"{skill} is not loaded in {trials} of {evidence.tool_stats[skill].trials} trials, though its description "
            "has the words of the requests: choosing by keywords would load it",
            f"Begin the description of {skill} with “Use when …”, in the users' situations, such as in "
            f"{such_as(evidence, symptoms)}; tell the agent to look through its skills first.",
            (skill,),
            change=(change,)
            if len(change.after) <= MOST_DESCRIPTION and addition not in str(change.before)
            else (),
            lint=fired,
        )


GROUPS = ("miss", "arguments", "other")


def loaded_not_followed(evidence: Evidence) -> Iterator[Hypothesis]:
    """A skill that was loaded, and whose calls were not made."""
    for name in evidence.by_name_in_order:
        if evidence.by_name[name].kind == "skill":
            symptoms = _not_followed(evidence, name)
            if symptoms:
                yield _not_followed_hypothesis(evidence, name, symptoms)


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


def _not_followed_hypothesis(evidence: Evidence, skill: str, symptoms: list[int]) -> Hypothesis:
    trials = evidence.trials_of(symptoms)
    tools = (evidence.seen[number].symptom.tool for number in symptoms)
    missing = list(dict.fromkeys(tool for tool in tools if tool))
    listed = ", ".join(missing[:3]) or "the calls that it prescribes"
    weight = Weight(0.8, f"the load is right in {trials} trials that fail")
    weight.add(0.15, bool(missing), f"what is missing or wrong then: {listed}")
    body = evidence.by_name[skill].skill
    weight.add(0.1, body is not None and body.tokens > 5000, "its body is long")
    return Hypothesis(
        symptoms,
        weight,
        f"{skill} is loaded, but not followed, in {trials} trials: {listed}",
        f"Say in the body of {skill}, as its first step, to call {listed}; put details into references/.",
        (skill,),
    )
