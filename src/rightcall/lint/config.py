"""The configuration of the linter: rules, targets and severities."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from rightcall.core.errors import ConfigError, InputError, suggestion
from rightcall.files.documents import read_document
from rightcall.lint.features.toolset import SetLimits
from rightcall.lint.rule import FAMILIES, SEVERITIES, Rule, Severity, all_rules
from rightcall.schema.provider_limits import check_target

FailOn = Literal["error", "warning", "info", "never"]

_KEYS = ("select", "ignore", "target", "fail-on", "per-tool-ignores", "prefix", "max-tools", "max-tokens")
_ELSEWHERE = ("baseline", "lock")


@dataclass(frozen=True, kw_only=True)
class LintConfig(SetLimits):
    """What `[tool.rightcall.lint]` and the options of `rightcall lint` say.

    Rules are named by code (`TD301`), by the beginning of one (`TD3`), by name or by family. An empty
    `select` means all. `targets` None means: the provider whose spelling each definition uses.
    `per_tool_ignores` maps patterns of tool names (`legacy_*`) to rules. `prefix` is what a client puts
    before every name, such as `mcp__github__`.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: FailOn = "error"
    per_tool_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.targets is not None:
            limited_as = dict.fromkeys(map(check_target, self.targets))
            object.__setattr__(self, "targets", tuple(limited_as))
        if self.fail_on not in (*SEVERITIES, "never"):
            raise ConfigError(f"fail-on must be error, warning, info or never, got '{self.fail_on}'")

    def select_rules(self, rules: Iterable[Rule]) -> list[Rule]:
        """The rules that run. A word that names no rule is a `ConfigError`."""
        every = list(rules)
        for word in (*self.select, *self.ignore, *chain.from_iterable(self.per_tool_ignores.values())):
            if not any(names_rule(word, rule) for rule in every):
                rule_names = list(chain.from_iterable((rule.code, rule.name) for rule in every)) + list(
                    FAMILIES
                )
                raise ConfigError(f"unknown rule '{word}'; {suggestion(word, rule_names)}".rstrip("; "))
        return [
            rule
            for rule in every
            if (not self.select or any(names_rule(word, rule) for word in self.select))
            and not any(names_rule(word, rule) for word in self.ignore)
        ]

    def ignores(self, tool: str, rule: Rule) -> bool:
        """Whether the rule is disabled for tools of this name."""
        return any(
            fnmatch.fnmatchcase(tool, pattern) and any(names_rule(word, rule) for word in words)
            for pattern, words in self.per_tool_ignores.items()
        )

    def fails(self, severity: Severity) -> bool:
        """Whether a finding of this severity makes the command fail."""
        return self.fail_on != "never" and SEVERITIES.index(severity) <= SEVERITIES.index(self.fail_on)


def names_rule(word: str, rule: Rule) -> bool:
    """Whether a word of `select` or `ignore` matches this rule."""
    return (
        word.upper() in ("ALL", rule.code)
        or word.lower() in (rule.name, rule.family)
        or (word[:2].upper() in ("TD", "SK") and len(word) < 5 and rule.code.startswith(word.upper()))
    )


def config_from(table: Mapping[str, Any], where: str = "[tool.rightcall.lint]") -> dict[str, Any]:
    """The fields of a `LintConfig` from a table of pyproject.toml; unknown or ill-typed keys are errors."""
    problems: list[str] = []
    fields: dict[str, Any] = {}
    for key, value in table.items():
        name = key.replace("_", "-")
        if name in _ELSEWHERE:
            continue
        field_name = "targets" if name == "target" else name.replace("-", "_")
        if name not in _KEYS:
            problems.append(f"{where}: unknown key '{key}'; {suggestion(name, _KEYS)}".rstrip("; "))
        elif name in ("select", "ignore", "target"):
            words = _words(value)
            problems += [f"{where}: {key} must be a list of strings"] if words is None else []
            fields[field_name] = words
        elif name == "per-tool-ignores":
            if not isinstance(value, Mapping) or any(_words(words) is None for words in value.values()):
                problems.append(f"{where}: {key} must map patterns to lists of rules")
            else:
                fields[field_name] = {pattern: _words(words) for pattern, words in value.items()}
        elif not isinstance(value, int if name.startswith("max-") else str):
            problems.append(f"{where}: {key} has the wrong type: {value!r}")
        else:
            fields[field_name] = value
    if problems:
        raise ConfigError(*problems)
    return fields


def _words(value: Any) -> tuple[str, ...] | None:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return tuple(value)
    return None


@dataclass(frozen=True)
class LintSettings:
    """The table and its file; both empty when no pyproject.toml has one."""

    table: dict[str, Any] = field(default_factory=dict)
    file: Path | None = None

    @property
    def where(self) -> str:
        """The location shown in errors."""
        return f"{self.file}: [tool.rightcall.lint]"

    def fields(self) -> dict[str, Any]:
        """The fields of a `LintConfig`; invalid ones raise a `ConfigError` that names the file."""
        fields = config_from(self.table, self.where)
        if fields:
            try:
                LintConfig(**fields).select_rules(all_rules())
            except ConfigError as error:
                raise ConfigError(*(f"{self.where}: {problem}" for problem in error.problems)) from None
        return fields

    def path(self, key: str) -> Path | None:
        """A path from the table, relative to the folder of pyproject.toml; None when absent."""
        value = self.table.get(key)
        if value is None or self.file is None:
            return None
        if not isinstance(value, str):
            raise ConfigError(f"{self.where}: {key} must be a path, got {value!r}")
        whole = self.file.parent / value
        return Path(value) if self.file.parent == Path.cwd() else whole


def find_settings() -> LintSettings:
    """The settings of the nearest pyproject.toml, in this folder or a parent."""
    for folder in (Path.cwd(), *Path.cwd().parents):
        path = folder / "pyproject.toml"
        if path.is_file():
            table: Any = read_document(path) if path.read_bytes().strip() else {}
            for key in ("tool", "rightcall", "lint"):
                table = table.get(key, {})
                if not isinstance(table, dict):
                    raise InputError(str(path), f"[tool.rightcall.lint] is not a table: {key} is {table!r}")
            return LintSettings(table, path)
    return LintSettings()
