"""Missing guidance on when to call no tool."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.improve.counters import NEGATIVE
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, ProposedChange, Weight, codes_on

_TOOL = r"(?:(?:a|any|the|these|one of the|one of these|your) )?(?:tools?|functions?)"
_GUIDANCE = re.compile(
    rf"\b(?:(?:do not|don't|never|not|without|avoid) (?:call|us|invok)(?:e|ing)? {_TOOL}"
    r"|(?:no|none of the|without (?:a|any)) tools?"
    rf"|(?:only|just) (?:call|use|invoke) {_TOOL}|(?:call|use|invoke) {_TOOL}[^.]{{0,40}} only"
    r"|only (?:when|if|where) (?:it is |they are )?(?:needed|necessary|required)"
    r"|answer (?:directly|yourself|without|in words|from)|(?:call|use) (?:nothing|none)"
    r"|if none|when none|if no (?:function|call))\b",
    re.I,
)
_IN_DESCRIPTION = re.compile(r"\bno tool\b|\bcall (?:nothing|none)\b", re.I)
SENTENCE = "If no tool fits the request, call none and answer in words."


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    symptoms = [n for n in evidence.where(group="extra") if evidence.on_negatives(n)]
    if not symptoms:
        return
    tools = {evidence.seen[n].symptom.tool for n in symptoms}
    trials = evidence.trials_of(symptoms)
    extra = sum(s.trials for s in evidence.seen if s.symptom.group == "extra")
    into = sum(s.trials for s in evidence.seen if s.symptom.group == "miss" and s.symptom.called)
    stated = bool(_GUIDANCE.search(evidence.system)) or any(
        _IN_DESCRIPTION.search(tool.description) for tool in evidence.tools
    )
    weight = Weight(0.35, [f"a tool is called in {trials} trials that need none"])
    weight.add(
        0.2, len(tools) >= 2 and trials > 0.7 * (extra + into), f"{len(tools)} different tools are called"
    )
    weight.add(0.4, not stated, "neither system prompt nor descriptions say when to call nothing")
    weight.add(-0.15, stated, "the system prompt or a description says when to call nothing")
    listed = ", ".join(sorted(tools))
    if stated:
        advice = f"It is said when to call no tool, and not followed. Say in {listed} what each is not for."
    else:
        advice = f"Nothing says when to call no tool. Add to the system prompt: {SENTENCE}"
    after = f"{evidence.system.rstrip()} {SENTENCE}".strip()
    yield Hypothesis(
        "no_abstention_guidance",
        symptoms,
        frozenset((NEGATIVE,)),
        weight.value,
        f"a tool is called in {trials} trials that need none ({listed})",
        advice,
        (),
        (),
        tuple(weight.reasons),
        () if stated else (ProposedChange("", ("system",), evidence.system, after),),
        codes_on(evidence, ("TD205",), *((tool, "") for tool in tools)),
        about="set",
    )
