"""Nothing reaches a terminal but through `report/lines.py` and `report/screen.py`, where it is made inert."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import rightcall

PACKAGE = Path(rightcall.__file__).parent
DOORS = {"report/lines.py", "report/screen.py", "cli/output.py"}
FILES = sorted(path for path in PACKAGE.rglob("*.py") if str(path.relative_to(PACKAGE)) not in DOORS)
FORBIDDEN = {
    "print",
    "Console",
    "click.echo",
    "click.secho",
    "sys.stdout.write",
    "sys.stderr.write",
    "rich.print",
}
OURS = {"color", "mark"}
"""What a template may be filled with before it is one: our own words, never a value."""


def name_of(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{name_of(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def calls(path: Path) -> Iterator[ast.Call]:
    return (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_is_printed_past_the_door(path: Path):
    found = [
        f"line {call.lineno}: {name_of(call.func)}" for call in calls(path) if name_of(call.func) in FORBIDDEN
    ]
    assert not found, "use rightcall.show.lines.tell or rightcall.show.screen.Screen"


def test_templates_with_markup_hold_no_values():
    """`say(f"[bold]{name}[/bold]")` would let a name be markup: values are separate arguments."""
    for path in FILES:
        for call in calls(path):
            if name_of(call.func).endswith(".say") and isinstance(call.args[0], ast.JoinedStr):
                filled = {
                    name_of(part.value)
                    for part in call.args[0].values
                    if isinstance(part, ast.FormattedValue)
                }
                assert filled <= OURS, f"{path}:{call.lineno}"
