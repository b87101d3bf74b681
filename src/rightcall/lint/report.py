"""What a lint run found, added up once and shown by every output."""

from __future__ import annotations

from collections import Counter

from rightcall.lint.rule import SEVERITIES, FixKind, Severity
from rightcall.records.record import Record
from rightcall.records.tool import ToolKind


class Diagnostic(Record, frozen=True):
    """One lint message on a tool, with its place in the file.

    `line` and `column` count from 1; 0 means that the place in the file is not known, or that there is no file: then
    `origin` says where the tool came from, such as `mcp:SERVER`. `pointer` is the JSON
    pointer from the root of the file (or of the tool, without a file). `fingerprint` stays the same when
    lines move, so that a baseline survives edits elsewhere.
    """

    code: str
    rule: str
    severity: Severity
    tool: str
    message: str
    hint: str = ""
    file: str = ""
    line: int = 0
    column: int = 0
    pointer: str = ""
    excerpt: str = ""
    fix: FixKind = "none"
    others: tuple[str, ...] = ()
    fingerprint: str = ""
    origin: str = ""


class ToolSummary(Record, frozen=True):
    """One tool: where it is from, what it costs, how many findings it has."""

    name: str
    set: str
    tokens: int
    effect: str
    errors: int = 0
    warnings: int = 0
    infos: int = 0
    kind: ToolKind = "tool"


MOST_PAIRS = 200
"""Maximum number of pairs in a report, the most similar first."""


class PairSummary(Record, frozen=True):
    """Two similar tools, and why."""

    first: str
    second: str
    score: float
    why: str
    set: str = ""


class LintReport(Record, frozen=True):
    """Findings in the order of the files, the tools, and the most similar pairs.

    `known` counts findings left out because a baseline holds them, `ignored` those ignored in place.
    """

    diagnostics: tuple[Diagnostic, ...]
    tools: tuple[ToolSummary, ...] = ()
    pairs: tuple[PairSummary, ...] = ()
    known: int = 0
    ignored: int = 0

    @property
    def tokens(self) -> int:
        """What all definitions cost in every request, estimated."""
        return sum(tool.tokens for tool in self.tools)

    def counts(self) -> dict[str, int]:
        """Findings by severity, the worst first; every severity is there."""
        seen = Counter(diagnostic.severity for diagnostic in self.diagnostics)
        return {severity: seen[severity] for severity in SEVERITIES}

    def by_rule(self) -> dict[str, int]:
        """Findings by code, most common first."""
        return dict(Counter(diagnostic.code for diagnostic in self.diagnostics).most_common())
