"""Causes in the whole set of tools, in a golden, and those determined by the failure code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.core.text import pluralize
from rightcall.improve.causes.choices import tools_that_were_missed
from rightcall.improve.causes.parameters import places
from rightcall.improve.counters import NEGATIVE
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Cause, Hypothesis, ProposedChange, Weight, codes_on, quote_values

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


def not_offered(evidence: Evidence) -> Iterator[Hypothesis]:
    """Tools and parameters that goldens expect and that no request had: the setup is to blame, and no golden."""
    for place in places(evidence):
        if place.is_not_offered and (symptoms := place.of_kind("missing")):
            yield place.hypothesis(
                symptoms,
                Weight(0.97, f"{place.tool} has no parameter of that name"),
                f"{place.parameter} of {place.tool}, expected in {pluralize(place.stats.goldens, 'golden')}, is not "
                "among the parameters that the agent is offered",
                f"Add {place.parameter} to {place.tool}, or correct what the goldens expect.",
                decisive=True,
            )
    tools = sorted(evidence.not_offered.keys() - evidence.called)
    symptoms = [n for n in evidence.where(group="miss") if evidence.seen[n].symptom.tool in tools]
    symptoms = [n for n in symptoms if not evidence.seen[n].suspect]
    if not symptoms:
        return
    goldens = frozenset().union(*(evidence.not_offered[tool] for tool in tools))
    listed = quote_values(tools)
    yield Hypothesis(
        symptoms,
        Weight(0.97, f"the agent was offered {quote_values(evidence.by_name_in_order)}"),
        f"{listed}, expected by {pluralize(len(goldens), 'golden')}, {'is' if len(tools) == 1 else 'are'} not among "
        "the tools that the agent is offered",
        f"Offer {listed} to the agent, or correct what the goldens expect.",
        tuple(tools),
        exposed=frozenset(tools),
        about="set",
        decisive=True,
    )


_FORBIDS = re.compile(
    r"\b(?:never|do not|don't|without|avoid) (?:us|call|invok)(?:e|ing)? (?:the |any |your )?(?:tools?|functions?)\b"
    r"|\bfrom (?:your )?memory\b|\bnever call\b",
    re.I,
)
_NOT_ITSELF = re.compile(
    r"\bdeprecated\b|\bno longer (?:available|supported|in use)\b"
    r"|\b(?:do not|don't|never) (?:use|call)(?: (?:this|it)\b|[.!]|$)",
    re.I,
)
SILENT = 0.8
FEWEST_SILENT = 3


def forbids_itself(evidence: Evidence, tool: str) -> str:
    """The sentence of a tool's description that says not to use it; empty when none does."""
    return _sentence_with(_NOT_ITSELF, evidence.by_name[tool].description) if tool in evidence.by_name else ""


def _sentence_with(pattern: re.Pattern[str], text: str) -> str:
    sentences = (sentence.strip() for sentence in re.split(r"(?<=[.!?])\s|\n", text))
    return next((sentence for sentence in sentences if pattern.search(sentence)), "")


def use_forbidden(evidence: Evidence) -> Iterator[Hypothesis]:
    """A tool that is not called, and whose description says not to use it."""
    for tool, symptoms, targets in tools_that_were_missed(evidence):
        if sentence := forbids_itself(evidence, tool):
            yield Hypothesis(
                symptoms,
                Weight(0.97, f"its description says “{sentence}”"),
                f"{tool} is not called in {sum(targets.values())} of {evidence.tool_stats[tool].trials} trials that "
                "need it, and its description says not to use it",
                f"Strike “{sentence}” from the description of {tool}, or let the goldens expect what replaces it.",
                tools=(tool,),
                decisive=True,
            )


def silent_tools(evidence: Evidence) -> frozenset[str]:
    """Tools whose requests mostly end without any call, where that is so for several tools at once, or for all."""
    silent = set()
    expected = [
        tool
        for tool, stats in evidence.tool_stats.items()
        if stats.goldens and not forbids_itself(evidence, tool)
    ]
    for tool in expected:
        quiet = evidence.trials_of(evidence.where(group="miss", tool=tool, called=""))
        if quiet >= SILENT * evidence.tool_stats[tool].trials:
            silent.add(tool)
    enough = len(silent) >= FEWEST_SILENT or (
        len(silent) == len(expected) and sum(evidence.tool_stats[tool].goldens for tool in silent) > 1
    )
    return frozenset(silent) if enough else frozenset()


def tools_silent(evidence: Evidence) -> Iterator[Hypothesis]:
    """Several tools that are not called at all: no description is to blame for that, but the prompt or a setting."""
    silent = silent_tools(evidence)
    if not silent:
        return
    symptoms = [n for n in evidence.where(group="miss", called="") if evidence.seen[n].symptom.tool in silent]
    order = _sentence_with(_FORBIDS, evidence.system or "")
    trials = evidence.trials_of(symptoms)
    of = sum(evidence.tool_stats[tool].trials for tool in silent)
    quote = f"the instructions say “{order}”" if order else ""
    yield Hypothesis(
        symptoms,
        Weight(0.97, *([quote] if quote else [])),
        f"no tool was called in {trials} of {of} trials that need one",
        f"Strike “{order}” from the instructions." if order
        else "Look at the instructions and at the setting of the tools: several tools are silent at once.",
        exposed=silent,
        about="set",
    )  # fmt: skip


def no_abstention_guidance(evidence: Evidence) -> Iterator[Hypothesis]:
    """Missing guidance on when to call no tool."""
    symptoms = [n for n in evidence.where(group="extra") if evidence.seen[n].negative]
    if not symptoms:
        return
    tools = {evidence.seen[n].symptom.tool for n in symptoms}
    trials = evidence.trials_of(symptoms)
    extra = sum(s.trials for s in evidence.seen if s.symptom.group == "extra")
    into = sum(s.trials for s in evidence.seen if s.symptom.group == "miss" and s.symptom.called)
    if evidence.system is None:
        return  # nobody knows what the instructions say
    stated = bool(_GUIDANCE.search(evidence.system)) or any(
        _IN_DESCRIPTION.search(tool.description) for tool in evidence.tools
    )
    weight = Weight(0.35, f"a tool is called in {trials} trials that need none")
    weight.add(
        0.2, len(tools) >= 2 and trials > 0.7 * (extra + into), f"{len(tools)} different tools are called"
    )
    weight.add(0.4, not stated, "neither system prompt nor descriptions say when to call nothing")
    weight.add(-0.15, stated, "the system prompt or a description says when to call nothing")
    listed = ", ".join(sorted(tools))
    if stated:
        advice = f"It is stated when to call no tool, but not followed. Say in {listed} what each is not for."
    else:
        advice = f"Nothing says when to call no tool. Add to the system prompt: {SENTENCE}"
    after = f"{evidence.system.rstrip()} {SENTENCE}".strip()
    yield Hypothesis(
        symptoms,
        weight,
        f"a tool is called in {trials} trials that need none ({listed})",
        advice,
        change=() if stated else (ProposedChange("", ("system",), evidence.system, after),),
        lint=codes_on(evidence, ("TD205",), *((tool, "") for tool in tools)),
        exposed=frozenset((NEGATIVE,)),
        about="set",
    )


def golden_looks_wrong(evidence: Evidence) -> Iterator[Hypothesis]:
    """Goldens that most trials contradict in the same way, supported by the request."""
    symptoms = [number for number, seen in enumerate(evidence.seen) if seen.suspect and seen.trials > 0]
    if not symptoms:
        return
    goldens = tuple(sorted(evidence.suspects))
    shown = [_behaviour_text(golden, evidence) for golden in goldens[:3]]
    models = min(
        (behaviour.agents for behaviour in evidence.suspects.values() if not behaviour.sentence), default=0
    )
    verb = "is" if len(goldens) == 1 else "are"
    tools = sorted(
        {evidence.suspects[golden].wanted for golden in goldens}, key=lambda name: evidence.place.get(name, 0)
    )
    yield Hypothesis(
        symptoms,
        Weight(0.9 if evidence.others else 0.75, *shown),
        f"{pluralize(len(goldens), 'golden')} {verb} contradicted by what agents do in most trials",
        f"{f'{models} models contradict' if models > 1 else 'Look at'} {quote_values(goldens, 4)}. Review them before "
        "changing a tool.",
        tools=tuple(tools),
        about="golden",
        certain=models != 1,
    )


def _behaviour_text(golden: str, evidence: Evidence) -> str:
    behaviour = evidence.suspects[golden]
    if behaviour.sentence:
        return f"{golden}: {behaviour.sentence}"
    if behaviour.called != behaviour.wanted:
        return f"{golden}: the golden expects {behaviour.wanted}, the agent calls {behaviour.called}"
    name, expected, actual = behaviour.values[0]
    return f"{golden}: the golden expects {name}={expected}, the agent passes {actual}"


KNOWN: tuple[tuple[Cause, tuple[str, ...], str, str, tuple[str, ...]], ...] = (
    ("out_of_order", ("order_violation",), "calls come in the wrong order",
     "Say in the later tool which call must come before it.", ()),
    ("repeats", ("duplicate_call", "retry"), "the same call is made again",
     "Say what a result means and not to repeat the call; return a clear confirmation.", ("TD403", "TD904")),
    ("refusal", ("refused", "content_filter"), "the model refuses",
     "Look at the requests; a system prompt that says what the agent may do often helps.", ()),
    ("gives_up_or_loops",
     ("loop_limit", "agent_error", "request_rejected", "unreadable_result", "bad_json", "over_calling", "lost_handoff",
      "handoff_loop", "too_deep"),
     "the agent stops or loops",
     "Look at the last messages of the cases; return errors that say what to do.", ("TD904",)),
    ("slow_or_costly", ("over_latency",), "cases exceed their time budget",
     "Shorten results and definitions, or give the model fewer steps.", ("TD904",)),
    ("acts_without_asking", ("unconfirmed", "missing_confirmation"), "the agent acts without asking",
     "Let the tool need an approval, or say in its description to ask the user first.", ("TD402",)),
    ("nobody_approves", ("waiting_for_approval", "needless_confirmation"), "the agent waits for an approval",
     "Say in the suite what the approver answers (`approvals`), or let the tool need no approval.", ()),
    ("caller_not_permitted", ("permission_denied", "unauthorized_call"), "a caller lacks the role of a tool",
     "Check the tool's `roles` where it runs, and the golden's `as`.", ()),
)  # fmt: skip


def by_code(evidence: Evidence) -> Iterator[Hypothesis]:
    """Causes determined by the failure code."""
    for cause, codes, what, advice, related in KNOWN:
        symptoms = [
            n
            for n, seen in enumerate(evidence.seen)
            if seen.symptom.code in codes and seen.symptom.group in ("other", "stopped")
        ]
        tools = sorted({evidence.seen[n].symptom.tool for n in symptoms} - {""})
        if symptoms:
            yield Hypothesis(
                symptoms,
                Weight(0.8),
                f"{what} in {evidence.trials_of(symptoms)} trials",
                advice,
                tools=tuple(tools) if len(tools) == 1 else (),
                lint=codes_on(evidence, related, *((tool, "") for tool in tools)),
                exposed=None,
                about="set",
                cause=cause,
            )
