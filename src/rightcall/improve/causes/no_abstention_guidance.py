"""Missing guidance on when to call no tool."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.improve.counters import NEGATIVE
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, ProposedChange, Weight, codes_on

_GUIDANCE = re.compile(
    r"\b(?:(?:do not|don't|never) (?:call|use)|no tool|without (?:calling|using) (?:a |any )?tools?"
    r"|only (?:call|use) (?:a |the )?tools?|answer (?:directly|yourself|without|in words)|call nothing"
    r"|if no(?:ne| tool)|when no(?:ne| tool)"
    r"|not (?:call|use) (?:a |any )?tools?)\b",
    re.I,
)
SENTENCE = "If no tool fits the request, call none and answer in words."


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    symptoms = [n for n in evidence.where(group="extra") if evidence.on_negatives(n)]
    if not symptoms:
        return
    tools = {evidence.seen[n].symptom.tool for n in symptoms}
    trials = evidence.trials_of(symptoms)
    extra = sum(s.trials for s in evidence.seen if s.symptom.group == "extra")
    into = sum(s.trials for s in evidence.seen if s.symptom.group == "miss" and s.symptom.called)
    texts = [evidence.system, *(tool.description for tool in evidence.tools)]
    told = bool(_GUIDANCE.search(evidence.system)) or any("no tool" in text.lower() for text in texts[1:])
    weight = Weight(0.35, [f"a tool is called in {trials} trials that need none"])
    weight.add(
        0.2, len(tools) >= 2 and trials > 0.7 * (extra + into), f"{len(tools)} different tools are called"
    )
    weight.add(0.4, not told, "neither system prompt nor descriptions say when to call nothing")
    after = f"{evidence.system.rstrip()} {SENTENCE}".strip()
    yield Hypothesis(
        "no_abstention_guidance",
        symptoms,
        frozenset((NEGATIVE,)),
        weight.value,
        f"a tool is called in {trials} trials that need none ({', '.join(sorted(tools))})",
        f"Nothing says when to call no tool. Add to the system prompt: {SENTENCE}",
        (),
        (),
        tuple(weight.reasons),
        () if told else (ProposedChange("", ("system",), evidence.system, after),),
        codes_on(evidence, ("TD205",), *((tool, "") for tool in tools)),
        about="set",
    )
