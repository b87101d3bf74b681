"""Metrics of a conversation and its answers: `turns`, `termination`, `communicated_facts`, `grounded_values`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from rightcall.core.text import one_line
from rightcall.metrics.base import CallMetric, Metric, require_threshold
from rightcall.metrics.matching.base import Scope, short_json
from rightcall.metrics.matching.expectation import missing_content
from rightcall.metrics.matching.judge_case import score_calls
from rightcall.metrics.matching.reasons import reason
from rightcall.records.case import TestCase
from rightcall.records.failure import Code, Failure
from rightcall.records.score import Score


@dataclass(frozen=True)
class Turns(CallMetric):
    """The share of a conversation's turns in which the agent called what that turn expects.

    An agent may make every call of a conversation and still make one of them a turn too early. It is measured for every
    conversation, and its reason names the first turn that went wrong. A golden of one turn is one turn.

    Golden: {"input": "Where is A-7?", "expected_calls": [{"tool": "find_order", "args": {"id": "A-7"}}]}
    Fails: []
    Passes: [{"name": "find_order", "arguments": {"id": "A-7"}}]
    """

    def measure(self, case: TestCase) -> Score:
        verdict = score_calls(case.golden, case.trajectory, case.tools)
        return Score.passed_if(verdict.passed, reason(verdict.failures))


CODES_OF_ENDINGS: dict[str, Code] = {
    "max_turns": "loop_limit",
    "limit": "loop_limit",
    "refused": "refused",
    "filtered": "content_filter",
    "rejected": "request_rejected",
    "unreadable": "unreadable_result",
    "agent_error": "agent_error",
}


@dataclass(frozen=True)
class Termination(Metric):
    """Whether a conversation ended as it should, instead of running out of turns or time.

    A conversation that a limit ends was not resolved, however well its calls look. `accept` names the endings that are
    good: the script ended, the user got what they wanted, or was handed over to a human. A trajectory that does
    not record its ending is judged by its stop reason.

    Golden: {"input": "Cancel my order"}
    Fails: {"dialogue": {"ended": "max_turns", "why": "the user spoke 10 times and had more to say"}}
    Passes: {"dialogue": {"ended": "user_stop"}}
    """

    accept: tuple[str, ...] = ("script_end", "user_stop", "transfer", "stopped")

    def measure(self, case: TestCase) -> Score:
        trajectory = case.trajectory
        ended: str = trajectory.stop_reason if trajectory.stop_reason != "done" else "script_end"
        why = trajectory.error
        if trajectory.dialogue is not None:
            ended = trajectory.dialogue.ended
            why = trajectory.dialogue.why
        if ended in self.accept:
            return Score(1.0, True)
        code = CODES_OF_ENDINGS.get(ended)
        reason = f"it ended by {ended}" + (f": {why}" if why else "")
        return Score(0.0, False, reason, (Failure(code, detail=why),) if code else ())


@dataclass(frozen=True)
class CommunicatedFacts(Metric):
    """Share of the required facts that the agent told the user, in any turn.

    A user who is not told what was done asks again. `facts` are texts and matchers, by default those in the
    golden's `output_contains`; `$1,094` counts as `1094`. What the user said, or what was said before
    the agent began, does not count. Without facts the case is an error.

    Golden: {"input": "What is my balance, and send Bob 5 euros", "output_contains": ["1094", "sent"]}
    Fails: {"messages": [{"role": "assistant", "content": "Your balance is $1,094."}, {"role": "user", "content": "sent?"}]}
    Passes: {"messages": [{"role": "assistant", "content": "Your balance is $1,094."}, {"role": "assistant", "content": "Sent."}]}
    """

    facts: tuple[Any, ...] = ()
    threshold: float = 1.0

    def __post_init__(self) -> None:
        require_threshold(self.name, self.threshold)

    def nothing_to_check(self, case: TestCase) -> str:
        stated = self.facts or case.golden.output_contains
        return "" if stated else "no facts are set, and no output_contains is"

    def measure(self, case: TestCase) -> Score:
        facts = list(self.facts or case.golden.output_contains)
        if not facts:
            return Score.broken(self.nothing_to_check(case))
        text = case.trajectory.all_said
        plain = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
        scope = Scope(calls=case.trajectory.calls)
        missing = [
            fact for fact in missing_content(facts, text, scope) if missing_content([fact], plain, scope)
        ]
        value = 1 - len(missing) / len(facts)
        if value >= self.threshold:
            return Score(value, True)
        codes = tuple(Failure("missing_content", expected=fact) for fact in missing)
        shown = ", ".join(short_json(fact, 80) for fact in missing[:5])
        return Score(value, False, f"not communicated: {shown}", codes)


@dataclass(frozen=True)
class GroundedValues(Metric):
    """Share of the answer's numbers, identifiers, dates and names that come from a result, the request or the context.

    An invented price or order number is worse than none, and finding it needs no model. `1,200`, `1200` and `1.2k` are
    equal, as are dates in digits and in words; a rounded number is the number, and counts, totals and differences follow
    from the results. A name is a capitalised word within a sentence. `allow` are further texts that may be stated;
    `kinds` are those checked. An answer without values passes; without an answer the case is an error.

    Golden: {"input": "What does room 12 cost?"}
    Fails: {"output": "Room 12 costs $95 a night.", "calls": [{"name": "get_price", "status": "ok", "output": {"price": 90}}]}
    Passes: {"output": "Room 12 costs $90 a night.", "calls": [{"name": "get_price", "status": "ok", "output": {"price": 90}}]}
    """

    kinds: tuple[str, ...] = ("number", "id", "date", "name")
    allow: tuple[str, ...] = ()
    threshold: float = 1.0

    def __post_init__(self) -> None:
        require_threshold(self.name, self.threshold)

    def nothing_to_check(self, case: TestCase) -> str:
        return "" if case.trajectory.output.strip() else "there is no answer"

    def measure(self, case: TestCase) -> Score:
        if reason := self.nothing_to_check(case):
            return Score.broken(reason)
        from rightcall.metrics.answer_values import check_values

        values, missing = check_values(case, self.kinds, self.allow)
        if not values:
            return Score(1.0, True)
        share = 1 - len(missing) / len(values)
        if share >= self.threshold:
            return Score(share, True)
        texts = ", ".join(f"{value.kind} {one_line(value.text, 60)}" for value in missing[:5])
        return Score(share, False, f"in no result, request or context: {texts}")
