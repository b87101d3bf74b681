"""A skill in whose place another is loaded."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.core.words import stem, words
from rightcall.improve.causes.choices import describe, not_for, own_words
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, Weight, codes_on
from rightcall.lint.features.mentions import STOP_WORDS
from rightcall.lint.rules.skills.front_matter import MOST_DESCRIPTION

RELATED = ("SK115", "SK116", "SK117", "TD501", "TD503", "TD505")


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    missed = {(s.symptom.tool, s.symptom.called) for s in evidence.seen if s.symptom.group == "miss"}
    for skill, other in sorted(missed, key=lambda pair: (evidence.place.get(pair[0], 0), pair)):
        if all(
            name in evidence.by_name and evidence.by_name[name].kind == "skill" for name in (skill, other)
        ):
            yield _shadow(evidence, skill, other)


def _shadow(evidence: Evidence, skill: str, other: str) -> Hypothesis:
    symptoms = evidence.where(group="miss", tool=skill, called=other)
    trials, like = evidence.trials_of(symptoms), evidence.wording.likeness(skill, other)
    shared = common_words(evidence.by_name[skill].description, evidence.by_name[other].description)
    weight = Weight(0.6, [f"{other} is loaded instead in {trials} trials"])
    weight.add(
        0.2, like > 0.3 or bool(shared), f"both descriptions say {', '.join(shared)}" if shared else ""
    )
    named = evidence.wording.names(other, skill)
    weight.add(0.1, not named, f"the description of {other} does not mention {skill}")
    sentence = not_for(evidence, own_words(evidence, skill, other), skill)
    change = describe(evidence, other, sentence)
    fits = bool(sentence) and not named and len(change.after) <= MOST_DESCRIPTION
    common = f"; both descriptions say {', '.join(shared)}" if shared else ""
    return Hypothesis(
        "skill_shadowed",
        symptoms,
        frozenset((skill, other)),
        weight.value,
        f"{other} is loaded instead of {skill} in {trials} of {evidence.tool_stats[skill].trials} trials{common}",
        f"Say in {other}: {sentence}"
        if sentence
        else f"Say in {other} what {skill} is for, and that it is not.",
        (skill, other),
        (),
        tuple(reason for reason in weight.reasons if reason),
        (change,) if fits else (),
        codes_on(evidence, RELATED, (skill, ""), (other, "")),
        about="pair",
    )


def common_words(first: str, second: str, most: int = 4) -> list[str]:
    """Words that two descriptions share, in the order of the first, one of each stem."""
    theirs = {stem(word) for word in words(second)}
    mine = {stem(word): word for word in reversed(words(first)) if word not in STOP_WORDS and len(word) > 2}
    return [word for root, word in reversed(mine.items()) if root in theirs][:most]
