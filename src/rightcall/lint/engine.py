"""Run the rules over sets of tools and tell where each finding stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rightcall.lint.catalog import rules
from rightcall.lint.config import LintConfig
from rightcall.lint.diagnostic import SEVERITIES, Diagnostic
from rightcall.lint.evidence import Evidence
from rightcall.lint.lockfile import Locked
from rightcall.lint.portions import Linted, Work, portions
from rightcall.lint.processes import side_by_side
from rightcall.lint.report import MOST_PAIRS, PairSummary, Report, ToolSummary
from rightcall.lint.source.read import tool_set
from rightcall.lint.source.tools import ToolSet
from rightcall.model.tool import Tool


def lint(
    tools: Iterable[ToolSet] | Iterable[Tool],
    *,
    config: LintConfig | None = None,
    locked: Locked | None = None,
    evidence: Evidence | None = None,
    queries: Sequence[tuple[str, str]] = (),
    processes: int = 1,
) -> Report:
    """Lint sets of tools as they were read, or a plain list of tools as one set.

    `locked` holds the hashes of a lockfile. `queries` are requests of users with the name of the tool that
    answers them: they sharpen the judgement which tools are confusable. `evidence` holds what went wrong in stored
    runs, which findings then carry; an info about a confusion that was seen is a warning. With `processes` above 1 a
    thousand tools or more are shared among so many forks of this process, where the system has them.
    """
    config = config or LintConfig()
    sets = as_sets(tools)
    work = Work(sets, config, config.chosen(rules()), locked, evidence or Evidence(), queries)
    linted: list[list[Linted]] = [[] for _ in sets]
    for done in side_by_side(work.do, portions(sets, processes), list[Linted]):
        for part in done:
            linted[part.set].append(part)
    diagnostics: list[Diagnostic] = []
    summaries: list[ToolSummary] = []
    pairs: list[PairSummary] = []
    for each, parts in zip(sets, linted, strict=True):
        here = _in_order(each, [diagnostic for part in parts for diagnostic in part.diagnostics])
        diagnostics += here
        summaries += _tool_summaries(each, parts, here)
        pairs += [pair for part in parts for pair in part.pairs]
    pairs.sort(key=lambda pair: -pair.score)
    ignored = sum(part.ignored for parts in linted for part in parts)
    return Report(tuple(diagnostics), tuple(summaries), tuple(pairs[:MOST_PAIRS]), ignored=ignored)


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


def _tool_summaries(tools: ToolSet, parts: list[Linted], here: list[Diagnostic]) -> list[ToolSummary]:
    seen = Counter((diagnostic.tool, diagnostic.severity) for diagnostic in here)
    known = [fact for part in sorted(parts, key=lambda part: part.start) for fact in part.facts]
    return [
        ToolSummary(
            tool.name,
            tools.name,
            tokens,
            effect,
            seen[tool.name, "error"],
            seen[tool.name, "warning"],
            seen[tool.name, "info"],
        )
        for tool, (tokens, effect) in zip(tools.tools, known, strict=True)
    ]
