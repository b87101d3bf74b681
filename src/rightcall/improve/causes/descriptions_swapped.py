"""Two descriptions that are swapped."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from rightcall.improve.causes.choices import missed_tools
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, ProposedChange, Weight, codes_on
from rightcall.lint.confusability.word_use import request_words

MISSED = 0.2
BETTER = 0.02


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    missed = {
        tool: symptoms
        for tool, symptoms, targets in missed_tools(evidence)
        if sum(targets.values()) >= MISSED * evidence.tool_stats[tool].trials
    }
    for one, two in combinations(missed, 2):
        gains = [evidence.cover(a, b) - evidence.cover(a, a) for a, b in ((one, two), (two, one))]
        sent_to_itself = [evidence.wording.sends_to(name, name) for name in (one, two)]
        if min(gains) <= BETTER and not all(sent_to_itself):
            continue
        weight = Weight(0.85, [f"requests for {one} use the words of {two}'s description, and vice versa"])
        weight.add(0.13, _names_fit(evidence, one, two), "each name matches the other's description")
        weight.add(0.13, any(sent_to_itself), "a description says to use its own tool instead")
        texts = evidence.by_name[one].description, evidence.by_name[two].description
        symptoms = [*missed[one], *missed[two]]
        yield Hypothesis(
            "descriptions_swapped",
            symptoms,
            frozenset((one, two)),
            weight.value,
            f"{one} and {two} are not called in {evidence.trials_of(symptoms)} trials that need them; each description "
            "describes the other",
            f"The descriptions of {one} and {two} are swapped: exchange them.",
            (one, two),
            (),
            tuple(weight.reasons),
            (
                ProposedChange(one, ("description",), texts[0], texts[1]),
                ProposedChange(two, ("description",), texts[1], texts[0]),
            ),
            codes_on(evidence, ("TD501",), (one, two), (two, one)),
            about="pair",
        )


def _names_fit(evidence: Evidence, one: str, two: str) -> bool:
    words = {name: request_words(name.replace("_", " ").replace("-", " ")) for name in (one, two)}

    def fit(name: str, text: str) -> float:
        return evidence.wording.cover(words[name], text)

    return fit(one, two) > fit(one, one) or fit(two, one) > fit(two, two)
