"""A description that lacks the users' words, so the tool is missed."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.causes.choices import (
    describe,
    destinations,
    missing_words,
    such_as,
    tools_that_were_missed,
)
from rightcall.improve.causes.confusable_pair import ALIKE
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, Weight, codes_on
from rightcall.lint.confusability.word_use import is_generic_name

RELATED = ("TD201", "TD202", "TD203", "TD204", "TD205", "TD214")


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for tool, symptoms, targets in tools_that_were_missed(evidence):
        trials = sum(targets.values())
        low = evidence.is_low_cover(tool)
        if evidence.by_name[tool].kind == "skill" and not low:
            continue  # it has the users' words: skill_not_seen or skill_shadowed
        weight = Weight(0.45, [f"missed in {trials} of {evidence.tool_stats[tool].trials} trials"])
        weight.add(0.2, targets[""] >= 0.4 * trials, f"nothing is called in {targets['']} of them")
        weight.add(0.1, len(targets) >= 2, f"{len(targets)} different things happen instead")
        weight.add(
            0.25, low, "its description covers far fewer of its users' words than those of other tools"
        )
        twin = max(targets, key=lambda name: (targets[name], name))
        alike = targets[twin] > trials / 2 and evidence.wording.likeness(tool, twin) > ALIKE
        weight.add(-0.25, alike, f"it is mostly taken for {twin}, whose description is almost the same")
        words = missing_words(evidence, tool)
        generic = is_generic_name(tool) or bool(evidence.lint_on(tool) & {"TD103", "TD107"})
        listed_words = ", ".join(words)
        yield Hypothesis(
            "narrow_description",
            symptoms,
            frozenset((tool,)),
            min(0.97, weight.value) * (1.0 if not generic else 0.85 if low else 0.6),
            f"{tool} is not called in {trials} of {evidence.tool_stats[tool].trials} trials that need it; called "
            f"instead: {destinations(targets)}",
            f"{tool} is missed when users say {listed_words}. Say in its description what they want, in these words."
            if listed_words
            else f"{tool} is missed in requests such as {such_as(evidence, symptoms)}. Say in its description what "
            "those users want.",
            (tool,),
            (),
            tuple(weight.reasons),
            (describe(evidence, tool, f"Use it for requests that mention {listed_words}."),)
            if words and low
            else (),
            codes_on(evidence, RELATED, (tool, "")),
        )
