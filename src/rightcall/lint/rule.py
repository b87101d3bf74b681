"""What a rule file declares: the rule is its own documentation, and the catalogue is made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rightcall.lint.diagnostic import Finding, FixKind, Severity

if TYPE_CHECKING:
    from rightcall.lint.features.tool import ToolFeatures
    from rightcall.lint.features.toolset import SetFeatures

ToolCheck = Callable[["ToolFeatures"], Iterable[Finding]]
SetCheck = Callable[["SetFeatures"], Iterable[tuple["ToolFeatures", Finding]]]

FAMILIES: dict[str, str] = {
    "structure": "Structure",
    "naming": "Naming",
    "description": "Description",
    "parameters": "Parameters",
    "safety": "Safety and side effects",
    "ambiguity": "Ambiguity across tools",
    "budget": "Budget",
    "portability": "Provider portability",
    "security": "Security and poisoning",
    "results": "Results and errors",
}
"""Folder of the family and its title, in the order of the codes: TD0, TD1, …"""

Example = dict[str, Any] | list[dict[str, Any]]
"""A part of a tool in canonical spelling, or of several; the rest of the tool is in order."""


@dataclass(frozen=True)
class Rule:
    """One rule. Exactly one of `check` (called for each tool) and `check_set` (once a set) is given.

    `severity` is the usual one; a finding may carry another, and `explanation` then says when.
    `bad` and `good` are merge patches (RFC 7396) on a clean tool: what they leave out is in order.
    `targets` names the targets for which `bad` is a fault, when it is not one for everybody.
    `beside` names rules that by their nature find something in `bad` too, `settings` holds fields of
    `LintConfig` (and `locked`) under which `bad` is a fault, such as a lower limit.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    explanation: str
    bad: Example
    good: Example
    sources: tuple[str, ...]
    check: ToolCheck | None = None
    check_set: SetCheck | None = None
    fix: FixKind = "none"
    targets: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def family(self) -> str:
        """The folder the rule lives in."""
        return list(FAMILIES)[int(self.code[2])]
