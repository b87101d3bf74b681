"""Sentences about the judges of a run, and about what each role used."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.core.text import percent, pluralize
from rightcall.model.run import Summary
from rightcall.model.trajectory import Usage


def role_notes(summary: Summary) -> Iterator[str]:
    """What agent, simulated user and judge used, where there is more than an agent."""
    if summary.roles:
        yield "used by role: " + "; ".join(f"{role} {_used(usage)}" for role, usage in summary.roles.items())


def _used(usage: Usage) -> str:
    cost = f", ${usage.cost_usd:.4f}" if usage.cost_usd is not None else ""
    return f"{usage.tokens:,} tokens{cost}"


def judge_notes(summary: Summary) -> Iterator[str]:
    """What each judge said, how often it agreed with itself, and how often it said nothing."""
    for name, judge in summary.judges.items():
        parts = []
        if judge.rate is not None:
            parts.append(f"the judge passes {percent(judge.rate)} of {pluralize(judge.verdicts, 'case')}")
        if judge.self_consistency is not None:
            parts.append(f"its votes agree in {percent(judge.self_consistency)} (self-consistency)")
        if judge.no_verdict:
            parts.append(f"no verdict on {pluralize(judge.no_verdict, 'case')}")
        yield f"{name} is judged by a model: {'; '.join(parts)}"
