"""Which lint rules matter: where they fire, and whether tools with a finding fail more often than tools without it.

This compares different tools, so it ranks suspicions and proves nothing: a flagged tool may be hard for another
reason. For proof, run before and after the change and use `rightcall compare`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from rightcall.files.documents import pointer_parts
from rightcall.lint.engine import lint
from rightcall.lint.report import Broken, LintReport, RuleEffect
from rightcall.lint.rule import find_rule
from rightcall.model.tool import Tool
from rightcall.run.tool_evidence import Calls, RunEvidence
from rightcall.stats.clusters import sample
from rightcall.stats.intervals import Interval, difference_of_groups
from rightcall.stats.mean_interval import Estimate, estimate

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
    for diagnostic in report.diagnostics:
        flagged.setdefault(diagnostic.code, set()).update((diagnostic.tool, *diagnostic.others))
    tool_names = {tool.name for tool in report.tools}
    seen = [(tool, calls) for run in runs for (_, tool), calls in run.calls.items() if tool in tool_names]
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
    flagged_rate, other_rate = _rate(these, broken), _rate(others, broken)
    intervals = [Interval(rate.low, rate.high) for rate in (flagged_rate, other_rate)]
    low, high = difference_of_groups(flagged_rate.mean, intervals[0], other_rate.mean, intervals[1])
    return RuleEffect(
        code, name, broken,
        sum(_wrong(calls, broken) for calls in these), flagged_rate.trials, flagged_rate.cases,
        sum(_wrong(calls, broken) for calls in others), other_rate.trials, other_rate.cases,
        flagged_rate.mean - other_rate.mean, low, high,
    )  # fmt: skip


def _rate(group: Iterable[Calls], broken: Broken) -> Estimate:
    """The mean rate over goldens; tools of one golden, and a golden in two runs, are one cluster."""
    group = list(group)
    trials = [
        [1.0] * _wrong(calls, broken) + [0.0] * (calls.trials - _wrong(calls, broken)) for calls in group
    ]
    return estimate(sample(trials, [calls.cluster for calls in group]))


def _wrong(calls: Calls, broken: Broken) -> int:
    if broken == "choice":
        return calls.not_called
    return calls.misfilled if broken == "arguments" else calls.wrong


MOST_LINTED = 400
"""Tools beyond which linting would take longer than the analysis."""


def lint_places(tools: Sequence[Tool]) -> Mapping[tuple[str, str], frozenset[str]]:
    """Codes by (tool, parameter), with "" for the tool itself, and by (tool, other tool) for pairs."""
    if not tools or len(tools) > MOST_LINTED:
        return {}
    codes_by_place: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for diagnostic in lint(tools).diagnostics:
        codes_by_place[diagnostic.tool, _parameter(diagnostic.pointer)].add(diagnostic.code)
        for other in diagnostic.others:
            codes_by_place[diagnostic.tool, other].add(diagnostic.code)
            codes_by_place[other, diagnostic.tool].add(diagnostic.code)
    return {place: frozenset(codes) for place, codes in codes_by_place.items()}


def _parameter(pointer: str) -> str:
    """The parameter that a JSON pointer refers to; "" for the tool itself."""
    parts = ["", *pointer_parts(pointer)]
    for at, part in enumerate(parts[:-1]):
        if part == "properties" and at >= 1:
            return parts[at + 1]
    return ""
