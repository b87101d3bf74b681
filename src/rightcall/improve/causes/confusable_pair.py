"""Two tools that are confused with each other."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.causes.choices import describe, not_for, own_words
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, Weight, codes_on

RELATED = ("TD502", "TD503", "TD504", "TD505", "TD506", "TD108")
ALIKE = 0.6
"""Similarity from which two texts say the same, so that neither has words that the other lacks."""
PAIR = frozenset(("TD502", "TD505"))


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    missed = {(s.symptom.tool, s.symptom.called) for s in evidence.seen if s.symptom.group == "miss"}
    names = evidence.by_name_in_order
    pairs = {frozenset(pair) for pair in missed if all(name in evidence.by_name for name in pair)}
    pairs = {
        pair for pair in pairs if any(evidence.by_name[name].kind != "skill" for name in pair)
    }  # skill_shadowed
    for pair in sorted(pairs, key=lambda p: sorted(evidence.place[name] for name in p)):
        if len(pair) == 2:
            first, second = sorted(pair, key=names.index)
            yield _pair(evidence, first, second)


def _pair(evidence: Evidence, first: str, second: str) -> Hypothesis:
    ways = [evidence.where(group="miss", tool=a, called=b) for a, b in ((first, second), (second, first))]
    symptoms = [*ways[0], *ways[1]]
    like = evidence.wording.likeness(first, second)
    named = evidence.wording.names(first, second), evidence.wording.names(second, first)
    fired = codes_on(evidence, RELATED, (first, second), (second, first))
    if like > ALIKE and not all(named):
        symptoms += evidence.where(group="miss", tool=first, called="")
        symptoms += evidence.where(group="miss", tool=second, called="")
    weight = Weight(0.5, [f"confused with each other in {evidence.trials_of(ways[0] + ways[1])} trials"])
    weight.add(0.25, like > 0.45 or bool(PAIR & set(fired)), f"the descriptions' similarity is {like:.2f}")
    weight.add(0.15, not any(named), "neither description mentions the other")
    weight.add(0.08, all(evidence.trials_of(way) for way in ways), "in both directions")
    weight.add(-0.25, like < 0.2, f"the descriptions' similarity is only {like:.2f}")
    lost = [
        a
        for a, b in ((first, second), (second, first))
        if evidence.is_low_cover(a) and evidence.trials_of(ways[a == second])
    ]
    one_way = not all(evidence.trials_of(way) for way in ways)
    weight.add(
        -0.15,
        one_way and bool(lost) and like < ALIKE,
        "one way only, from a tool whose description lacks its users' words",
    )
    sent_home = any(evidence.wording.sends_to(name, name) for name in (first, second))
    weight.add(
        -0.2, sent_home, "a description says to use its own tool instead: it belongs to the other tool"
    )
    mine, theirs = own_words(evidence, first, second), own_words(evidence, second, first)
    sentences = [not_for(evidence, theirs, second), not_for(evidence, mine, first)]
    return Hypothesis(
        "confusable_pair",
        symptoms,
        frozenset((first, second)),
        weight.value,
        f"{first} and {second} are confused with each other in {evidence.trials_of(ways[0] + ways[1])} trials",
        f"Say in {first}: {sentences[0]} And in {second}: {sentences[1]}"
        if all(sentences)
        else f"Say in {first} and in {second} what each is for, and what it is not for.",
        (first, second),
        (),
        tuple(weight.reasons),
        tuple(
            describe(evidence, tool, sentence)
            for tool, sentence, other in ((first, sentences[0], second), (second, sentences[1], first))
            if sentence and not evidence.wording.names(tool, other)
        ),
        fired,
        about="pair",
    )
