"""What a rule is and what it finds: a function that is its own documentation, from which the catalogue is made."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, wraps
from inspect import cleandoc
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import msgspec

from rightcall.core.errors import ConfigError, InputError, suggestion
from rightcall.core.seam import load_plugins, plugins
from rightcall.files.documents import JsonPath

if TYPE_CHECKING:
    from rightcall.lint.features.tool import ToolFeatures
    from rightcall.lint.features.toolset import SetFeatures


Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""From worst to mildest."""

FixKind = Literal["none", "safe", "suggested"]


REMOVED = msgspec.UNSET
"""Marker for a member that an edit removes."""


@dataclass(frozen=True)
class Edit:
    """Put `value` at `path` inside a tool (adding the last key when it is not there), or take it away."""

    path: JsonPath
    value: Any


class Finding(msgspec.Struct, frozen=True, gc=False):
    """A rule's finding at one place in a tool. `severity` None means the rule's own.

    `path` is inside the tool, in the canonical spelling: `("input_schema", "properties", "city")`.
    `edits` is the fix, empty when there is none; `safe` says that it cannot change what the tool means.
    `others` names further tools the finding is about. In a skill, `line` and `file` say where it is; the path does not
    change when lines move.
    """

    path: JsonPath
    message: str
    hint: str = ""
    severity: Severity | None = None
    edits: tuple[Edit, ...] = ()
    safe: bool = False
    others: tuple[str, ...] = ()
    line: int = 0
    file: str = ""

    def of(self, tool: ToolFeatures) -> tuple[ToolFeatures, Finding]:
        """The finding with its tool, as a rule about a set of tools yields it."""
        return tool, self


ToolCheck = Callable[["ToolFeatures"], Iterable[Finding]]
SetCheck = Callable[["SetFeatures"], Iterable[tuple["ToolFeatures", Finding]]]
Findings = Iterator[Finding]
SetFindings = Iterator[tuple["ToolFeatures", Finding]]

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
    "skills": "Skills",
    "installed": "Installed packages",
}
"""The families and their titles, in the order of the codes: TD0, TD1, …, then SK1; the last has no file."""

ALSO_FOR_SKILLS = frozenset(
    ("TD202", "TD203", "TD207", "TD501", "TD503", "TD505", "TD601", "TD603", "TD801", "TD802", "TD803",
     "TD804", "TD807", "TD808", "TD810", "TD811")
)  # fmt: skip
"""Rules about tools that hold for the name and the description of a skill. TD502 is SK115 there."""

Example = dict[str, Any] | list[dict[str, Any]]
"""A part of a tool in canonical spelling, or of several; the rest of the tool is in order."""


@dataclass(frozen=True)
class Rule:
    """One rule. Exactly one of `check` (called for each tool) and `check_set` (once a set) is given.

    `severity` is the usual one; a finding may carry another, and `explanation` then says when.
    `bad` and `good` are merge patches (RFC 7396) on a clean tool: what they leave out is in order.
    `targets` names the targets for which `bad` is a fault, when it is not one for everybody.
    `beside` names rules that by their nature find something in `bad` too, `settings` holds fields of
    `LintConfig` (and `locked`) under which `bad` is a fault, such as a lower limit. `worst` is the worst severity of a
    finding where an info can be worse.
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
    worst: Severity | None = None

    @property
    def only_informs(self) -> bool:
        """Whether every finding is an info. What the findings of installed packages are, nobody declared."""
        return (self.worst or self.severity) == "info" and self.family != "installed"

    @property
    def family(self) -> str:
        """The word that the name of the rule's file begins with."""
        if self.code.startswith("SK"):
            return "skills"
        return list(FAMILIES)[int(self.code[2])] if self.code.startswith("TD") else "installed"

    def applies(self, *, to_skill: bool) -> bool:
        """Whether the rule is about skills, or about tools; some are about both."""
        return self.code in ALSO_FOR_SKILLS or (self.family == "skills") is to_skill


class RuleFacts(TypedDict, total=False):
    """What a rule says besides its documentation: fields of `Rule`."""

    sources: tuple[str, ...]
    bad: Example
    good: Example
    fix: FixKind
    targets: tuple[str, ...]
    beside: tuple[str, ...]
    settings: dict[str, Any]
    worst: Severity


def tool_rule(
    code: str,
    severity: Severity,
    *,
    only_for: str = "",
    **facts: Unpack[RuleFacts],
) -> Callable[[ToolCheck], Rule]:
    """A rule about single tools, made of the function that checks one.

    The rule is named after the function. The function's docstring has the summary, the explanation, and the
    examples as JSON after `Fails:` and `Passes:`; without `Passes:`, the clean tool itself passes. With `only_for` it
    checks only tools for that target.
    """
    if only_for:
        facts["targets"] = (only_for,)

    def decorate(check: ToolCheck) -> Rule:
        @wraps(check)
        def check_for_target(tool: ToolFeatures) -> Iterable[Finding]:
            return check(tool) if only_for in tool.targets else ()

        used = check_for_target if only_for else check
        return Rule(code=code, severity=severity, check=used, **_docstring_texts(check, facts))

    return decorate


def set_rule(code: str, severity: Severity, **facts: Unpack[RuleFacts]) -> Callable[[SetCheck], Rule]:
    """A rule that compares the tools of a set, made of the function that checks one; documented as in `tool_rule`."""

    def decorate(check: SetCheck) -> Rule:
        return Rule(code=code, severity=severity, check_set=check, **_docstring_texts(check, facts))

    return decorate


def _docstring_texts(check: Callable[..., Any], facts: RuleFacts) -> dict[str, Any]:
    """The name, the texts and the examples that a function and its docstring give to its rule."""
    text, _, good = cleandoc(check.__doc__ or "").partition("\nPasses: ")
    text, _, bad = text.partition("\nFails: ")
    summary, _, explanation = text.partition("\n\n")
    return {
        "name": check.__name__.replace("_", "-"),
        "summary": summary.replace("\n", " "),
        "explanation": explanation,
        "bad": json.loads(bad or "{}"),
        "good": json.loads(good or "{}"),
        **facts,
    }


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, in the order of the codes."""
    shelf = importlib.import_module("rightcall.lint.rules")
    names = [entry.name for entry in pkgutil.iter_modules(shelf.__path__)]
    modules = [importlib.import_module(f"{shelf.__name__}.{name}") for name in names]
    rules = [value for module in modules for value in vars(module).values() if isinstance(value, Rule)]
    rules += _rules_of_packages(set(chain.from_iterable((rule.code, rule.name) for rule in rules)))
    return tuple(sorted(rules, key=lambda rule: rule.code))


def _rules_of_packages(built_in: set[str]) -> list[Rule]:
    """The rules of installed packages. One that cannot be loaded is an error: the lint would be incomplete."""
    rules = load_plugins("lint_rules", built_in)
    for name, rule in rules.items():
        if not isinstance(rule, Rule) or rule.name != name or rule.code.startswith(("TD", "SK")):
            label = plugins("lint_rules")[name].label
            raise ConfigError(
                f"{label} must be a Rule named '{name}' with a code that does not begin with TD or SK"
            )
    return list(rules.values())


def find_rule(word: str) -> Rule:
    """The rule with this code or name; raises `InputError` with the nearest one."""
    key = word.strip()
    for rule in all_rules():
        if key.upper() == rule.code or key.lower() == rule.name:
            return rule
    rule_names = list(chain.from_iterable((rule.code, rule.name) for rule in all_rules()))
    hint = suggestion(key.upper() if key[:2].upper() in ("TD", "SK") else key, rule_names)
    raise InputError("", f"unknown rule '{word}'", hint or "see `rightcall list rules`")
