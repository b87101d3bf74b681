"""Inline ignores: a definition may disable a rule for itself, with a reason.

In any format, on the tool or on a schema inside it (there it covers what is below):

    "x-rightcall": {"ignore": {"TD301": "documented in the system prompt"}}

MCP servers may write it under `_meta.rightcall`. In YAML also as a comment on the line or the line above:

    # rightcall: ignore[TD301] documented in the system prompt

An ignore without a reason has no effect, and `unexplained-ignore` says so. Rules of the security family cannot be
disabled by the definition they are about, only by `--ignore` and [tool.rightcall.lint].
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rightcall.files.documents import JsonPath
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.lint.source.document import Document

_COMMENT = re.compile(r"#\s*rightcall:\s*ignore\[([^\]\n]*)\]\s*(.*)")


@dataclass(frozen=True)
class Ignore:
    """A rule disabled below a path, or on a line (0: everywhere below the path)."""

    rule: str
    reason: str
    path: JsonPath
    line: int = 0

    def covers(self, rule: Rule, path: JsonPath, line: int) -> bool:
        """Whether it silences a finding of the rule at this place; never without a reason, and never for security.

        Someone who poisons a definition would add the ignore too. Only the user's own settings silence those.
        """
        if (
            not self.reason
            or rule.family == "security"
            or (self.rule.upper() != rule.code and self.rule.lower() != rule.name)
        ):
            return False
        return line in (self.line, self.line + 1) if self.line else path[: len(self.path)] == self.path


def ignores_of(tool: ToolFeatures) -> list[Ignore]:
    """Those written in the definition itself."""
    ignores = list(_of(tool.source.extension, ()))
    for node in tool.nodes:
        ignores += _of(node.schema.get("x-rightcall"), node.path)
    return ignores


def comment_ignores(document: Document | None) -> list[Ignore]:
    """Those written as comments of a YAML file."""
    if document is None or document.kind != "yaml" or "rightcall:" not in document.text:
        return []
    return [
        Ignore(word.strip(), match[2].strip(), (), number)
        for number, line in enumerate(document.text.split("\n"), start=document.first_line)
        if (match := _COMMENT.search(line))
        for word in match[1].split(",")
    ]


def _of(extension: Any, path: JsonPath) -> Iterator[Ignore]:
    table = extension.get("ignore") if isinstance(extension, dict) else None
    reasons = (
        table
        if isinstance(table, dict)
        else {str(rule): "" for rule in table}
        if isinstance(table, list)
        else {}
    )
    for rule, reason in reasons.items():
        yield Ignore(str(rule), reason.strip() if isinstance(reason, str) else "", path)
