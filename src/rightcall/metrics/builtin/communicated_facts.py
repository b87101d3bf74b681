"""The metric `communicated_facts`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from rightcall.metrics.base import Metric, require_threshold
from rightcall.metrics.matching.base import Scope, short_json
from rightcall.metrics.matching.expectation import missing_content
from rightcall.model.case import TestCase
from rightcall.model.failure import Failure
from rightcall.model.score import Score


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
