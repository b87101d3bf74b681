"""Workflow commands of GitHub Actions: each finding annotates its line in a pull request."""

from __future__ import annotations

from rightcall.core.text import workflow_command
from rightcall.lint.output.text import printable
from rightcall.lint.report import Diagnostic, LintReport

_LEVELS = {"error": "error", "warning": "warning", "info": "notice"}


def github_text(report: LintReport) -> str:
    """One command per line."""
    return "".join(f"{_command(diagnostic)}\n" for diagnostic in report.diagnostics)


def _command(diagnostic: Diagnostic) -> str:
    properties = {"title": f"{diagnostic.code} {diagnostic.rule}"}
    if diagnostic.file:
        line = {"line": str(diagnostic.line), "col": str(diagnostic.column)} if diagnostic.line else {}
        properties = {"file": diagnostic.file, **line, **properties}
    source = f"{diagnostic.origin}: " if diagnostic.origin else ""
    message = f"{source}{diagnostic.tool}: {diagnostic.message}" + (
        f"; {diagnostic.hint}" if diagnostic.hint else ""
    )
    shown = {name: printable(value) for name, value in properties.items()}
    return workflow_command(_LEVELS[diagnostic.severity], printable(message), shown)
