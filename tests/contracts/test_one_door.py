"""Nothing reaches a terminal but through `show/lines.py` and `show/screen.py`, where it is made inert."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import rightcall
from tests.support.source_tree import source_files, syntax_tree

PACKAGE = Path(rightcall.__file__).parent
DOORS = {"show/lines.py", "show/screen.py", "cli/output.py"}
FILES = [path for path in source_files() if str(path.relative_to(PACKAGE)) not in DOORS]
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
    return (node for node in ast.walk(syntax_tree(path)) if isinstance(node, ast.Call))


def test_nothing_is_printed_past_the_door():
    prints = [
        f"{path.relative_to(PACKAGE)}:{call.lineno}: {name_of(call.func)}"
        for path in FILES
        for call in calls(path)
        if name_of(call.func) in FORBIDDEN
    ]
    assert prints == [], "use rightcall.show.lines.tell or rightcall.show.screen.Screen"


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
