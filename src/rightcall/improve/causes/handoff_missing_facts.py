"""An agent that was not told what it needed: the request has the value, the call that gave it the work does not."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    symptoms_of: dict[tuple[str, str], list[int]] = {}
    for number, seen in enumerate(evidence.seen):
        if seen.symptom.untold:
            symptoms_of.setdefault((seen.symptom.untold, seen.symptom.tool), []).append(number)
    for (agent, tool), symptoms in sorted(symptoms_of.items()):
        arguments = (argument for n in symptoms for argument in evidence.seen[n].symptom.arguments)
        names = tuple(dict.fromkeys(argument.parameter for argument in arguments if argument.held))
        trials, what = evidence.trials_of(symptoms), ", ".join(names)
        yield Hypothesis(
            "handoff_missing_facts",
            symptoms,
            None,
            0.9,
            f"{agent} was not told {what} in {trials} trials, though the request has it",
            f"Let the call that gives {agent} its work carry {what}: a parameter for it, or a sentence in its "
            "description that everything the user said about it must be passed on.",
            (tool,),
            names,
            (f"the request contains the value, and the call that gave {agent} the work does not",),
        )
