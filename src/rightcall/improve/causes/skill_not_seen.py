"""A skill that is not loaded, though its description has the users' words."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.causes.choices import describe, such_as, tools_that_were_missed
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, Weight, codes_on
from rightcall.lint.rules.skills.front_matter import MOST_DESCRIPTION

RELATED = ("SK103", "SK104", "TD601", "TD603")


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for skill, symptoms, targets in tools_that_were_missed(evidence):
        if evidence.by_name[skill].kind != "skill" or evidence.is_low_cover(skill):
            continue  # a description without the users' words is a narrow one
        nothing = [number for number in symptoms if not evidence.seen[number].symptom.called]
        trials = evidence.trials_of(nothing)
        if not trials:
            continue
        fired = codes_on(evidence, RELATED, (skill, ""))
        weight = Weight(
            0.55, [f"not loaded in {trials} of {evidence.tool_stats[skill].trials} trials that need it"]
        )
        weight.add(
            0.25, targets[""] >= 0.8 * sum(targets.values()), "no other skill or tool is used in its place"
        )
        weight.add(0.1, "SK104" in fired, "its description does not say when to use it")
        weight.add(0.1, len(evidence.tools) > 20, f"it is one of {len(evidence.tools)} in the catalogue")
        addition = "Load this skill first whenever a request is about it, before any other step."
        change = describe(evidence, skill, addition)
        yield Hypothesis(
            "skill_not_seen",
            nothing,
            frozenset((skill,)),
            weight.value,
            f"{skill} is not loaded in {trials} of {evidence.tool_stats[skill].trials} trials, though its description "
            "has the words of the requests: choosing by keywords would load it",
            f"Begin the description of {skill} with “Use when …”, in the users' situations, such as in "
            f"{such_as(evidence, symptoms)}; tell the agent to look through its skills first.",
            (skill,),
            (),
            tuple(weight.reasons),
            (change,) if len(change.after) <= MOST_DESCRIPTION and addition not in str(change.before) else (),
            fired,
        )
