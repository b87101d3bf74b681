"""Workflow commands of GitHub Actions: each finding annotates its line in a pull request."""

from __future__ import annotations

from rightcall.lint.diagnostic import Diagnostic
from rightcall.lint.output.text import printable
from rightcall.lint.report import LintReport

_LEVELS = {"error": "error", "warning": "warning", "info": "notice"}


def github_text(report: LintReport) -> str:
    """One command a line."""
    return "".join(f"{_command(diagnostic)}\n" for diagnostic in report.diagnostics)


def _command(diagnostic: Diagnostic) -> str:
    properties = {"title": f"{diagnostic.code} {diagnostic.rule}"}
    if diagnostic.file:
        line = {"line": str(diagnostic.line), "col": str(diagnostic.column)} if diagnostic.line else {}
        properties = {"file": diagnostic.file, **line, **properties}
    said = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    source = f"{diagnostic.origin}: " if diagnostic.origin else ""
    message = f"{source}{diagnostic.tool}: {diagnostic.message}" + (
        f"; {diagnostic.hint}" if diagnostic.hint else ""
    )
    return f"::{_LEVELS[diagnostic.severity]} {said}::{_data(message)}"


def _data(text: str) -> str:
    """Text as a command carries it: a line break would end the command."""
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
