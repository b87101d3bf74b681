"""Two tools that are confused with each other."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.causes.choices import describe, is_low_cover, not_for, own_words
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, Weight, codes_on

RELATED = ("TD502", "TD503", "TD504", "TD505", "TD506", "TD108")
PAIR = frozenset(("TD502", "TD505"))


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    missed = {(s.symptom.tool, s.symptom.called) for s in evidence.seen if s.symptom.group == "miss"}
    names = evidence.by_name_in_order
    known = {frozenset(pair) for pair in missed if all(name in evidence.by_name for name in pair)}
    for pair in sorted(known, key=lambda p: sorted(evidence.place[name] for name in p)):
        if len(pair) == 2:
            one, two = sorted(pair, key=names.index)
            yield _pair(evidence, one, two)


def _pair(evidence: Evidence, one: str, two: str) -> Hypothesis:
    ways = [evidence.where(group="miss", tool=a, called=b) for a, b in ((one, two), (two, one))]
    symptoms = [*ways[0], *ways[1]]
    like = evidence.wording.likeness(one, two)
    named = evidence.wording.names(one, two), evidence.wording.names(two, one)
    fired = codes_on(evidence, RELATED, (one, two), (two, one))
    if like > 0.6 and not all(named):
        symptoms += evidence.where(group="miss", tool=one, called="")
        symptoms += evidence.where(group="miss", tool=two, called="")
    weight = Weight(0.5, [f"confused with each other in {evidence.trials_of(ways[0] + ways[1])} trials"])
    weight.add(0.25, like > 0.45 or bool(PAIR & set(fired)), f"the descriptions' similarity is {like:.2f}")
    weight.add(0.15, not any(named), "neither description mentions the other")
    weight.add(0.08, all(evidence.trials_of(way) for way in ways), "in both directions")
    weight.add(-0.25, like < 0.2, f"the descriptions' similarity is only {like:.2f}")
    lost = [
        a
        for a, b in ((one, two), (two, one))
        if is_low_cover(evidence, a) and evidence.trials_of(ways[a == two])
    ]
    one_way = not all(evidence.trials_of(way) for way in ways)
    weight.add(
        -0.15, one_way and bool(lost), "one way only, from a tool whose description lacks its users' words"
    )
    sent_home = any(evidence.wording.sends_to(name, name) for name in (one, two))
    weight.add(
        -0.2, sent_home, "a description says to use its own tool instead: it belongs to the other tool"
    )
    mine, theirs = own_words(evidence, one, two), own_words(evidence, two, one)
    sentences = [not_for(evidence, theirs, two), not_for(evidence, mine, one)]
    return Hypothesis(
        "confusable_pair",
        symptoms,
        frozenset((one, two)),
        weight.value,
        f"{one} and {two} are confused with each other in {evidence.trials_of(ways[0] + ways[1])} trials",
        f"Say in {one}: {sentences[0]} And in {two}: {sentences[1]}"
        if all(sentences)
        else f"Say in {one} and in {two} what each is for, and what it is not for.",
        (one, two),
        (),
        tuple(weight.reasons),
        tuple(
            describe(evidence, tool, sentence)
            for tool, sentence, other in ((one, sentences[0], two), (two, sentences[1], one))
            if sentence and not evidence.wording.names(tool, other)
        ),
        fired,
        about="pair",
    )
