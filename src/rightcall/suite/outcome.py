"""Whether a run is good."""

from __future__ import annotations

from typing import Literal

from rightcall.model.record import Record
from rightcall.model.run import Summary
from rightcall.suite.plan import Plan

MOST_ERRORS = 0.05
"""Share of trials without an answer from which nothing can be said of the agent."""


class Verdict(Record, frozen=True):
    """One word, and the sentence that says why."""

    word: Literal["PASS", "FAIL", "INCONCLUSIVE", "ERROR"]
    sentence: str


def verdict_of(plan: Plan, summary: Summary, stopped: str) -> Verdict:
    """Without a gate every case must pass."""
    whole = summary.overall
    tried = whole.cases + whole.errors
    if whole.errors > MOST_ERRORS * tried:
        sentence = f"{whole.errors:,} of {tried:,} cases got no answer from the provider"
        return Verdict("ERROR", sentence)
    if stopped:
        return Verdict("INCONCLUSIVE", f"the run was stopped: {stopped}")
    failed = whole.cases - whole.passed
    if failed:
        return Verdict("FAIL", f"{failed:,} of {whole.cases:,} cases did not pass")
    return Verdict("PASS", f"all {whole.cases:,} cases passed")
