"""Two descriptions that are swapped."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from rightcall.improve.causes.choices import tools_that_were_missed
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, ProposedChange, Weight, codes_on
from rightcall.lint.confusability.word_use import request_words

MISSED = 0.2
BETTER = 0.02


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    missed = {
        tool: symptoms
        for tool, symptoms, targets in tools_that_were_missed(evidence)
        if sum(targets.values()) >= MISSED * evidence.tool_stats[tool].trials
    }
    for first, second in combinations(missed, 2):
        gains = [evidence.cover(a, b) - evidence.cover(a, a) for a, b in ((first, second), (second, first))]
        sent_to_itself = [evidence.wording.sends_to(name, name) for name in (first, second)]
        if min(gains) <= BETTER and not all(sent_to_itself):
            continue
        weight = Weight(
            0.85, [f"requests for {first} use the words of {second}'s description, and vice versa"]
        )
        weight.add(0.13, _names_fit(evidence, first, second), "each name matches the other's description")
        weight.add(0.13, any(sent_to_itself), "a description says to use its own tool instead")
        texts = evidence.by_name[first].description, evidence.by_name[second].description
        symptoms = [*missed[first], *missed[second]]
        yield Hypothesis(
            "descriptions_swapped",
            symptoms,
            frozenset((first, second)),
            weight.value,
            f"{first} and {second} are not called in {evidence.trials_of(symptoms)} trials that need them; each "
            "description describes the other",
            f"The descriptions of {first} and {second} are swapped: exchange them.",
            (first, second),
            (),
            tuple(weight.reasons),
            (
                ProposedChange(first, ("description",), texts[0], texts[1]),
                ProposedChange(second, ("description",), texts[1], texts[0]),
            ),
            codes_on(evidence, ("TD501",), (first, second), (second, first)),
            about="pair",
        )


def _names_fit(evidence: Evidence, first: str, second: str) -> bool:
    words = {name: request_words(name.replace("_", " ").replace("-", " ")) for name in (first, second)}

    def fit(name: str, text: str) -> float:
        return evidence.wording.cover(words[name], text)

    return fit(first, second) > fit(first, first) or fit(second, first) > fit(second, second)
