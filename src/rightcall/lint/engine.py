"""Runs the rules over sets of tools and locates each finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rightcall.lint.checks import diagnostic_of, features_of, found_in_set, found_in_tools, not_ignored
from rightcall.lint.config import LintConfig
from rightcall.lint.diagnostic import SEVERITIES, Diagnostic
from rightcall.lint.evidence import LintEvidence
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.lockfile import Locked
from rightcall.lint.report import MOST_PAIRS, LintReport, PairSummary, ToolSummary
from rightcall.lint.rule import Rule, all_rules
from rightcall.lint.source.read import tool_set
from rightcall.lint.source.tools import ToolSet
from rightcall.model.tool import Tool


def lint(
    tools: Iterable[ToolSet] | Iterable[Tool],
    *,
    config: LintConfig | None = None,
    locked: Locked | None = None,
    evidence: LintEvidence | None = None,
    queries: Sequence[tuple[str, str]] = (),
) -> LintReport:
    """Lint sets of tools as they were read, or a plain list of tools as one set.

    `locked` holds the hashes of a lockfile. `queries` are user requests with the name of the tool that
    answers them: they sharpen the judgement which tools are confusable. `evidence` holds what went wrong in stored
    runs, which findings then carry; an info about a confusion that was seen is a warning.
    """
    config = config or LintConfig()
    job = LintJob(config, config.chosen(all_rules()), locked, evidence or LintEvidence(), queries)
    reports = [job.report(each) for each in as_sets(tools)]
    pairs = sorted((pair for each in reports for pair in each.pairs), key=lambda pair: -pair.score)
    return LintReport(
        tuple(diagnostic for each in reports for diagnostic in each.diagnostics),
        tuple(tool for each in reports for tool in each.tools),
        tuple(pairs[:MOST_PAIRS]),
        ignored=sum(each.ignored for each in reports),
    )


@dataclass(frozen=True)
class LintJob:
    """How sets are linted: the chosen rules, and what is known besides the definitions."""

    config: LintConfig
    chosen: Sequence[Rule]
    locked: Locked | None
    evidence: LintEvidence
    queries: Sequence[tuple[str, str]]

    def report(self, tools: ToolSet) -> LintReport:
        """What the rules find in one set."""
        features = features_of(tools, self.config, self.locked, self.queries)
        found = [*found_in_set(features, self.chosen), *found_in_tools(features.tools, self.chosen)]
        shown, ignored = not_ignored(found, self.config)
        diagnostics = _in_order(tools, [diagnostic_of(each, where, self.evidence) for each, where in shown])
        summaries = _tool_summaries(tools, features, diagnostics)
        return LintReport(tuple(diagnostics), summaries, _pair_summaries(tools, features), ignored=ignored)


def as_sets(tools: Iterable[ToolSet] | Iterable[Tool]) -> list[ToolSet]:
    """Sets as they are; plain tools as one set."""
    given = list(tools)
    sets = [each for each in given if isinstance(each, ToolSet)]
    plain = [each for each in given if isinstance(each, Tool)]
    return [*sets, tool_set(plain)] if plain else sets


def _in_order(tools: ToolSet, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """By tool as they stand in the set, the worst first, then by place."""
    order = {tool.name: index for index, tool in reversed(list(enumerate(tools.tools)))}
    rank = {severity: index for index, severity in enumerate(SEVERITIES)}

    def place(each: Diagnostic) -> tuple[int, int, str, int, int, str, str]:
        where = each.file, each.line, each.column
        return order[each.tool], rank[each.severity], *where, each.code, each.message

    return sorted(diagnostics, key=place)


def _tool_summaries(
    tools: ToolSet, features: SetFeatures, diagnostics: Sequence[Diagnostic]
) -> tuple[ToolSummary, ...]:
    seen = Counter((diagnostic.tool, diagnostic.severity) for diagnostic in diagnostics)
    return tuple(
        ToolSummary(
            tool.name,
            tools.name,
            tool.tokens,
            tool.effect.kind,
            seen[tool.name, "error"],
            seen[tool.name, "warning"],
            seen[tool.name, "info"],
        )
        for tool in features.tools
    )


def _pair_summaries(tools: ToolSet, features: SetFeatures) -> tuple[PairSummary, ...]:
    if "pairs" not in features.__dict__:  # computed only when a rule asked for them
        return ()
    return tuple(
        PairSummary(pair.first.name, pair.second.name, round(pair.score, 4), pair.why, tools.name)
        for pair in features.pairs[:MOST_PAIRS]
    )
