"""What a lint run found, added up once and shown by every output."""

from __future__ import annotations

from collections import Counter

from rightcall.lint.diagnostic import SEVERITIES, Diagnostic
from rightcall.lint.evidence import RuleEffect
from rightcall.model.record import Record


class ToolSummary(Record, frozen=True):
    """One tool: where it is from, what it costs, how many findings it has."""

    name: str
    set: str
    tokens: int
    effect: str
    errors: int = 0
    warnings: int = 0
    infos: int = 0


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

    `known` counts findings left out because a baseline holds them, `ignored` those ignored in place. `effects` ranks
    rules by what stored runs showed, when some were given.
    """

    diagnostics: tuple[Diagnostic, ...]
    tools: tuple[ToolSummary, ...] = ()
    pairs: tuple[PairSummary, ...] = ()
    known: int = 0
    ignored: int = 0
    effects: tuple[RuleEffect, ...] = ()

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
