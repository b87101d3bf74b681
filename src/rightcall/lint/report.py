"""What a lint run found, added up once and shown by every output, and what stored runs showed about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rightcall.core.groups import group_by
from rightcall.files.documents import JsonPath
from rightcall.lint.rule import SEVERITIES, FixKind, Severity
from rightcall.model.record import Record
from rightcall.model.tool import ToolKind


class Diagnostic(Record, frozen=True):
    """One lint message on a tool, with its place in the file.

    `line` and `column` count from 1; 0 means that the place in the file is not known, or that there is no file: then
    `origin` says where the tool came from, such as `mcp:SERVER`. `pointer` is the JSON
    pointer from the root of the file (or of the tool, without a file). `fingerprint` stays the same when
    lines move, so that a baseline survives edits elsewhere. `evidence` says what stored runs showed.
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
    evidence: str = ""
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


class Confusion(Record, frozen=True):
    """`confused` times in `trials` trials a model called `called` where `wanted` was expected."""

    wanted: str
    called: str
    confused: int
    trials: int
    run: str = ""


class Misfilled(Record, frozen=True):
    """In `wrong` of `trials` trials that expected the tool, this parameter was not filled as it should be."""

    tool: str
    parameter: str
    wrong: int
    trials: int
    run: str = ""


class LintEvidence:
    """Confusions by pair of tools, whichever way round they were, and parameters that were filled wrongly."""

    def __init__(self, confusions: Iterable[Confusion] = (), misfilled: Iterable[Misfilled] = ()) -> None:
        confused = (seen for seen in confusions if seen.confused)
        self._by_pair = group_by(confused, lambda seen: frozenset((seen.wanted, seen.called)))
        wrong = (seen for seen in misfilled if seen.wrong)
        self._by_parameter = group_by(wrong, lambda seen: (seen.tool, seen.parameter))

    def of_parameter(self, tool: str, path: JsonPath) -> str:
        """One line on how often the parameter at a path was filled wrongly; "" when it never was."""
        if not self._by_parameter or path[:2] != ("input_schema", "properties") or len(path) < 3:
            return ""
        return "; ".join(
            f"{seen.parameter} was wrong in {seen.wrong} of {seen.trials} trials{_of_run(seen.run)}"
            for seen in self._by_parameter.get((tool, str(path[2])), ())
        )

    def of_confusion(self, tool: str, others: Iterable[str]) -> str:
        """One line on how often the tool was confused with one of the others; "" when never seen."""
        return "; ".join(
            f"{seen.called} was called for {seen.wanted} "
            f"{'once' if seen.confused == 1 else f'{seen.confused} times'} in {seen.trials} "
            f"trial{'s' * (seen.trials != 1)}{_of_run(seen.run)}"
            for other in others
            for seen in self._by_pair.get(frozenset((tool, other)), ())
        )


def _of_run(run: str) -> str:
    return f" of run {run}" if run else ""
