"""Which lint rules matter: whether tools with a finding fail more often than tools without it.

This compares different tools, so it ranks suspicions and proves nothing: a flagged tool may be hard for another
reason. For proof, run before and after the change and use `rightcall compare`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rightcall import stats
from rightcall.analysis.tool_evidence import Calls, RunEvidence
from rightcall.lint import Broken, LintReport, RuleEffect, find_rule

BREAKS: dict[str, Broken] = {
    "structure": "arguments",
    "naming": "choice",
    "description": "choice",
    "parameters": "arguments",
    "safety": "either",
    "ambiguity": "choice",
    "portability": "arguments",
    "security": "either",
    "results": "either",
}
"""The mistakes that each family of rules predicts. Budget rules concern the whole set, not one tool."""


def rule_effects(report: LintReport, runs: Sequence[RunEvidence]) -> tuple[RuleEffect, ...]:
    """The effect of each rule that flags some but not all of the tools used in the runs, most certain first."""
    flagged: dict[str, set[str]] = {}
    for found in report.diagnostics:
        flagged.setdefault(found.code, set()).update((found.tool, *found.others))
    known = {tool.name for tool in report.tools}
    seen = [(tool, calls) for run in runs for (_, tool), calls in run.calls.items() if tool in known]
    effects = []
    for code, tools in flagged.items():
        rule = find_rule(code)
        broken = BREAKS.get(rule.family)
        these = [calls for tool, calls in seen if tool in tools]
        others = [calls for tool, calls in seen if tool not in tools]
        if broken and these and others:
            effects.append(_effect(code, rule.name, broken, these, others))
    return tuple(sorted(effects, key=lambda effect: (-effect.low, -effect.difference, effect.code)))


def _effect(code: str, name: str, broken: Broken, these: list[Calls], others: list[Calls]) -> RuleEffect:
    one, two = _rate(these, broken), _rate(others, broken)
    intervals = [stats.Interval(rate.low, rate.high) for rate in (one, two)]
    low, high = stats.difference_of_groups(one.mean, intervals[0], two.mean, intervals[1])
    return RuleEffect(
        code, name, broken,
        sum(_wrong(calls, broken) for calls in these), one.trials, one.cases,
        sum(_wrong(calls, broken) for calls in others), two.trials, two.cases,
        one.mean - two.mean, low, high,
    )  # fmt: skip


def _rate(group: Iterable[Calls], broken: Broken) -> stats.Estimate:
    """The mean rate over goldens; tools of one golden, and a golden in two runs, are one cluster."""
    group = list(group)
    trials = [
        [1.0] * _wrong(calls, broken) + [0.0] * (calls.trials - _wrong(calls, broken)) for calls in group
    ]
    return stats.estimate(stats.sample(trials, [calls.cluster for calls in group]))


def _wrong(calls: Calls, broken: Broken) -> int:
    if broken == "choice":
        return calls.not_called
    return calls.misfilled if broken == "arguments" else calls.wrong
