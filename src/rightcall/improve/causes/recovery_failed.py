"""An error that says what to do, and an agent that does not do it."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.causes.error_without_hint import has_hint
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for tool in sorted({seen.symptom.tool for seen in evidence.seen if seen.symptom.group == "recovery"}):
        symptoms = [n for n in evidence.where(group="recovery", tool=tool) if has_hint(evidence, n)]
        if symptoms:
            trials, of = evidence.trials_of(symptoms), evidence.tool_stats[tool].trials
            yield Hypothesis(
                "recovery_failed",
                symptoms,
                frozenset((tool,)),
                0.7,
                f"{tool} fails with a hint that is not followed in {trials} of {of} trials",
                f"The hint was not followed in {trials} of {of} trials. State the right format in the definition, "
                "before the first call.",
                (tool,),
                (),
                (f"error text: {evidence.seen[symptoms[0]].symptom.detail[:80]}",),
            )
