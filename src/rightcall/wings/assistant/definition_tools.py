"""Tools about definitions and goldens: lint, explain, check, propose a fix."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from rightcall.api.goldens import check_dataset, load_dataset
from rightcall.api.tool_lint import lint_sets
from rightcall.core.errors import InputError, RightCallError
from rightcall.files.python_object import is_object_name
from rightcall.lint.config import LintConfig, find_settings
from rightcall.lint.explain import rule_facts
from rightcall.lint.fixer import fix
from rightcall.lint.rule import find_rule
from rightcall.lint.source.read import read_paths
from rightcall.lint.source.tools import ToolSet
from rightcall.run.suite import load_suite
from rightcall.tools.definitions.function import tool
from rightcall.wings.assistant.project import Project
from rightcall.wings.assistant.reply import first

MOST_FINDINGS = 40
LARGEST_FILE = 1_000_000

Definitions = Annotated[
    str,
    Meta(
        description="File of tool definitions, or a suite, relative to the project: 'tools.json'",
        max_length=500,
    ),
]
FixKind = Literal["safe", "review"]


class DefinitionTools:
    def __init__(self, project: Project) -> None:
        self._project = project

    @tool(read_only=True, open_world=False)
    def lint_definitions(
        self,
        path: Definitions,
        severity: Annotated[
            Literal["error", "warning", "info"],
            Meta(description="Lowest severity to report. Defaults to 'warning'."),
        ] = "warning",
    ) -> dict[str, Any]:
        """Find what makes models choose or fill the tools of a file wrongly, without running anything.

        Use when tool definitions were written or changed. Returns counts by severity, findings with code,
        tool, line, message and hint. Call explain_rule for the reason behind a code
        and propose_fix for a correction.
        """
        report = lint_sets(self._sets(path), LintConfig(**find_settings().fields()))
        severities = ("error", "warning", "info")[: ("error", "warning", "info").index(severity) + 1]
        shown = [
            {
                name: value
                for name in ("code", "severity", "tool", "message", "hint", "file", "line", "fix", "others")
                if (value := getattr(diagnostic, name))
            }
            for diagnostic in report.diagnostics
            if diagnostic.severity in severities
        ]
        return {
            "path": str(self._definitions(path)),
            "counts": report.counts(),
            "tools": len(report.tools),
            "findings": first(shown, MOST_FINDINGS),
        }

    @tool(read_only=True, open_world=False)
    def explain_rule(
        self,
        code: Annotated[
            str,
            Meta(
                description="Code or name of a lint rule: 'TD401', 'destructive-no-warning'", max_length=100
            ),
        ],
    ) -> dict[str, Any]:
        """Explain one lint rule: what it checks, why it matters, a failing and a corrected example, and sources.

        Use when a code that lint_definitions reported is unclear. Returns the rule's facts as fields.
        """
        return rule_facts(find_rule(code))

    @tool(read_only=True, open_world=False)
    def check_dataset(
        self,
        dataset: Annotated[
            str, Meta(description="File of goldens, relative to the project: 'goldens.jsonl'", max_length=500)
        ],
        tools: Annotated[
            str | None,
            Meta(description="File of tool definitions to check arguments against. Defaults to none."),
        ] = None,
    ) -> dict[str, Any]:
        """Find mistakes in goldens before a run: unknown tools, impossible arguments, contradictions.

        Use when goldens were written or changed. Returns the number of goldens and the findings with their lines.
        Runs nothing.
        """
        path = self._project.file(dataset)
        problems = check_dataset(path, tools=self._project.file(tools) if tools else ())
        return {
            "path": str(path),
            "goldens": len(load_dataset(path)),
            "errors": sum(problem.severity == "error" for problem in problems),
            "findings": first(problems, MOST_FINDINGS),
        }

    @tool(read_only=True, open_world=False)
    def propose_fix(
        self,
        path: Definitions,
        kind: Annotated[
            FixKind, Meta(description="'safe' cannot change a meaning, 'review' may. Defaults to 'safe'.")
        ] = "safe",
    ) -> dict[str, Any]:
        """Propose corrections of lint findings in a file of tool definitions, as a diff; no file is changed.

        Use when lint_definitions reported findings. Returns the diff, to be shown to the user, and what it corrects.
        Findings without an automatic correction are left out.
        """
        fix = self._first_fix(path, kind)
        return {
            "path": str(self._definitions(path)),
            "diff": fix.diff if fix else "",
            "corrected": sorted(set(fix.codes)) if fix else [],
        }

    def _definitions(self, source: str) -> Path:
        """The file of definitions that a path names: itself, or the tools of a suite."""
        path = self._project.file(source)
        if path.suffix.lower() not in (".yaml", ".yml", ".json"):
            return path
        try:
            tools = load_suite(path).tools
        except RightCallError:  # not a suite
            return path
        if isinstance(tools, list) or tools is None:
            return path
        if not isinstance(tools, str) or tools.startswith("mcp:") or is_object_name(tools):
            raise InputError(
                source, "its tools are code or a server's", "lint it with `rightcall lint` in a terminal"
            )
        return self._project.file(str(path.parent / tools))

    def _sets(self, source: str) -> list[ToolSet]:
        return read_paths([self._definitions(source)])

    def _first_fix(self, source: str, kind: str) -> Any:
        """The corrections of one kind in a file, or None. A file of many documents is corrected one at a time."""
        config = LintConfig(**find_settings().fields())
        return next(iter(fix(self._sets(source), config=config, suggested=kind == "review")), None)
