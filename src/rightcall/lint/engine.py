"""Runs the rules over sets of tools, and locates what they found, unless it is ignored there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple

from rightcall.core.digest import hex_digest
from rightcall.files.documents import JsonPath, pointer
from rightcall.lint.config import LintConfig
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import Locked, SetFeatures
from rightcall.lint.known_findings import ignores_of
from rightcall.lint.report import MOST_PAIRS, Diagnostic, LintReport, PairSummary, ToolSummary
from rightcall.lint.rule import SEVERITIES, Finding, FixKind, Rule, all_rules
from rightcall.lint.source.tools import SourceTool, ToolSet, tool_set
from rightcall.records.tool import Tool

UNREADABLE = "SK101"
"""The rule that reports a skill that cannot be read: no other has anything to look at."""

SAME_NAME = "SK116"
"""The rule that compares skills of one name; for all others they are one."""


def lint(
    tools: Iterable[ToolSet] | Iterable[Tool],
    *,
    config: LintConfig | None = None,
    locked: Locked | None = None,
    queries: Sequence[tuple[str, str]] = (),
    only: Collection[str] | None = None,
    infos: bool = True,
) -> LintReport:
    """Lint sets of tools as they were read, or a plain list of tools as one set.

    `locked` holds the hashes of a lockfile. `queries` are user requests with the name of the tool that
    answers them: they help to judge which tools are confusable. With `only`, the rules about single tools look at the
    tools of these names alone. Without `infos`, rules that find nothing worse are left out.
    """
    config = config or LintConfig()
    reports = [
        _lint_set(SetFeatures(tool_set, config, locked=locked, queries=queries), config, only, infos)
        for tool_set in as_sets(tools)
    ]
    pairs = sorted(chain.from_iterable(report.pairs for report in reports), key=lambda pair: -pair.score)
    return LintReport(
        tuple(chain.from_iterable(report.diagnostics for report in reports)),
        tuple(chain.from_iterable(report.tools for report in reports)),
        tuple(pairs[:MOST_PAIRS]),
        ignored=sum(report.ignored for report in reports),
    )


def _lint_set(
    tools: SetFeatures,
    config: LintConfig,
    only: Collection[str] | None,
    infos: bool,
) -> LintReport:
    shown, ignored = not_ignored(find(tools, config, only, infos=infos), config)
    diagnostics = _in_order(tools, [diagnostic_of(located, where) for located, where in shown])
    return LintReport(
        tuple(diagnostics), _tool_summaries(tools, diagnostics), _pair_summaries(tools), ignored=ignored
    )


def as_sets(tools: Iterable[ToolSet] | Iterable[Tool]) -> list[ToolSet]:
    """Sets as they are; plain tools as one set."""
    entries = list(tools)
    sets = [entry for entry in entries if isinstance(entry, ToolSet)]
    plain = [entry for entry in entries if isinstance(entry, Tool)]
    return [*sets, tool_set(plain)] if plain else sets


def _in_order(tools: SetFeatures, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """By tool as they stand in the set, the worst first, then by place."""
    order = {tool.name: index for index, tool in reversed(list(enumerate(tools.tools)))}
    rank = {severity: index for index, severity in enumerate(SEVERITIES)}

    def place(diagnostic: Diagnostic) -> tuple[int, int, str, int, int, str, str]:
        where = diagnostic.file, diagnostic.line, diagnostic.column
        return order[diagnostic.tool], rank[diagnostic.severity], *where, diagnostic.code, diagnostic.message

    return sorted(diagnostics, key=place)


def _tool_summaries(tools: SetFeatures, diagnostics: Sequence[Diagnostic]) -> tuple[ToolSummary, ...]:
    seen = Counter((diagnostic.tool, diagnostic.severity) for diagnostic in diagnostics)
    return tuple(
        ToolSummary(
            tool.name,
            tools.name,
            tool.tokens,
            tool.effect.kind,
            errors=seen[tool.name, "error"],
            warnings=seen[tool.name, "warning"],
            infos=seen[tool.name, "info"],
            kind="skill" if tool.is_skill else "tool",
        )
        for tool in tools.tools
    )


def _pair_summaries(tools: SetFeatures) -> tuple[PairSummary, ...]:
    tools = tools.distinct
    if "pairs" not in tools.__dict__:  # computed only when a rule asked for them
        return ()
    return tuple(
        PairSummary(pair.first.name, pair.second.name, round(pair.score, 4), pair.why, set=tools.name)
        for pair in tools.pairs[:MOST_PAIRS]
    )


class Found(NamedTuple):
    """A finding together with the tool and the rule, before it is turned into a message."""

    tool: ToolFeatures
    rule: Rule
    finding: Finding


def find(
    tools: SetFeatures, config: LintConfig, only: Collection[str] | None = None, *, infos: bool = True
) -> list[Found]:
    """Everything the chosen rules find in a set, tool by tool, before ignores."""
    chosen = [rule for rule in config.select_rules(all_rules()) if infos or not rule.only_informs]
    by_tool: dict[int, list[Found]] = {id(tool): [] for tool in tools.tools}
    plain_tools = tools.without_skills
    single_tools = [tool for tool in plain_tools.tools if only is None or tool.name in only]
    for rule in chosen:  # one rule over all tools is a fifth faster than one tool after the other
        check = rule.check
        if check is not None and rule.applies(to_skill=False):
            for tool in single_tools:
                for finding in check(tool):
                    by_tool[id(tool)].append(Found(tool, rule, finding))
    if tools.has_skills:
        for located in _find_in_skills(tools, chosen, only):
            by_tool[id(located.tool)].append(located)
    for rule in chosen:
        if rule.check_set is not None and (tools.has_skills or rule.applies(to_skill=False)):
            seen = plain_tools
            if tools.has_skills and rule.applies(to_skill=True):
                seen = tools if rule.code == SAME_NAME else tools.distinct
            for tool, finding in rule.check_set(seen) if seen.tools else ():
                by_tool[id(tool)].append(Found(tool, rule, finding))
    return list(chain.from_iterable(by_tool.values()))


def _find_in_skills(
    tools: SetFeatures, chosen: Sequence[Rule], only: Collection[str] | None
) -> Iterator[Found]:
    """What rules find in single skills, one skill after the other: its body is read once, and forgotten."""
    rules = [rule for rule in chosen if rule.check is not None and rule.applies(to_skill=True)]
    for tool in tools.tools:
        if tool.is_skill and (only is None or tool.name in only):
            unreadable = bool(tool.folder.problem)
            for rule in rules:
                if rule.check is not None and (not unreadable or rule.code == UNREADABLE):
                    yield from (Found(tool, rule, finding) for finding in rule.check(tool))
            tool.release()


class Where(NamedTuple):
    """The location of a finding in its file."""

    line: int
    column: int
    excerpt: str
    pointer: str


def not_ignored(everything: Iterable[Found], config: LintConfig) -> tuple[list[tuple[Found, Where]], int]:
    """The findings to show, with their locations, and how many were ignored."""
    inline_ignores = cache(ignores_of)
    places: dict[tuple[int, JsonPath], Where] = {}  # rules often refer to the same place
    shown = []
    ignored = 0
    for located in everything:
        tool, rule, finding = located
        where = places.get((id(tool), finding.path))
        if where is None:
            where = _place(tool.source, finding)
            if tool.source.skill is None:
                places[id(tool), finding.path] = where
        if config.ignores(tool.name, rule) or any(
            ignore.covers(rule, finding.path) for ignore in inline_ignores(tool)
        ):
            ignored += 1
        else:
            shown.append((located, where))
    return shown, ignored


def _place(source: SourceTool, finding: Finding) -> Where:
    if source.skill is not None:
        key_lines = source.skill.text.key_lines
        line = finding.line or (key_lines.get(str(finding.path[0]), 1) if finding.path else 1)
        return Where(line, 1, "", pointer(finding.path))
    real = source.document_path(finding.path)
    if source.document is None:
        return Where(source.line, min(source.line, 1), "", pointer(real))
    return Where(*source.document.locate(real), pointer(real))


def _file_of(source: SourceTool, finding: Finding) -> str:
    if source.document is not None:
        return source.document.name
    if source.skill is not None and finding.file:
        return str(source.skill.path / finding.file)
    return "" if source.origin.startswith("mcp:") else source.origin


def diagnostic_of(located: Found, where: Where) -> Diagnostic:
    tool, rule, finding = located
    source = tool.source
    key = f"{rule.code}|{tool.name}|{finding.path}|{sorted(finding.others)}"
    return Diagnostic(
        code=rule.code,
        rule=rule.name,
        severity=finding.severity or rule.severity,
        tool=tool.name,
        message=finding.message,
        hint=finding.hint,
        file=_file_of(source, finding),
        line=where.line,
        column=where.column,
        pointer=where.pointer,
        excerpt=where.excerpt,
        fix=fix_kind(located),
        others=finding.others,
        origin=source.origin if source.origin.startswith("mcp:") else "",
        fingerprint=hex_digest(key, 16),
    )


def fix_kind(located: Found) -> FixKind:
    """Whether the finding can be fixed in its file, and without review."""
    if not located.finding.edits or not located.tool.source.fixable or located.tool.source.document is None:
        return "none"
    return "safe" if located.finding.safe else "suggested"
