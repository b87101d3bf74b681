"""A tool's error that does not say what to do, so the agent repeats itself or gives up."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, codes_on

_HINT = re.compile(r"\b(?:use|pass|must|expected|expects?|try|instead|such as|should|provide|format)\b", re.I)


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for tool in sorted({seen.symptom.tool for seen in evidence.seen if seen.symptom.group == "recovery"}):
        symptoms = [n for n in evidence.where(group="recovery", tool=tool) if not has_hint(evidence, n)]
        if symptoms:
            text = _commonest(evidence, symptoms)
            yield Hypothesis(
                "error_without_hint",
                symptoms,
                frozenset((tool,)),
                0.95,
                f"{tool} fails and is not called correctly afterwards in {evidence.trials_of(symptoms)} of "
                f"{evidence.tool_stats[tool].trials} trials",
                f"The error '{text}' does not help. Return error, detail and hint: which value was wrong, which "
                "format is expected.",
                (tool,),
                (),
                (f"error text: {text}", "it mentions no field, no value and no next step"),
                (),
                codes_on(evidence, ("TD903",), (tool, "")),
            )


def has_hint(evidence: Evidence, number: int) -> bool:
    """Whether the text of an error says what to do: a word of advice, a field of the tool, a value in quotes."""
    symptom = evidence.seen[number].symptom
    text = symptom.detail
    definition = evidence.by_name.get(symptom.tool)
    fields = list(definition.parameters) if definition else []
    return bool(
        _HINT.search(text)
        or any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in fields)
        or '"hint"' in text
    )


def _commonest(evidence: Evidence, symptoms: list[int]) -> str:
    best = min(symptoms, key=lambda n: (-evidence.seen[n].trials, evidence.seen[n].symptom.detail))
    return evidence.seen[best].symptom.detail[:80]
