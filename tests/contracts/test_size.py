"""The size of the project: every count is a ceiling that may only fall.

A change that needs more room names beside its number what went for it, and lowers another ceiling by as much.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from rightcall.cli.main import cli
from tests.support.source_tree import source_files, syntax_tree

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GENERATED = {"commands.md", "library.md", "codes.md", "suite.md"}, {"rules", "metrics"}
"""Pages that code writes, and folders of them."""
DEFINITIONS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

pytestmark = pytest.mark.stories

CEILINGS = {
    "commands at the top": 22,
    "commands": 54,
    "options": 256,
    "suite keys": 146,
    "words of docs": 46_600,
    "lines of the changelog": 59,  # what went before the first release
    "source files": 798,
    "source lines": 141_930,
    "lines of code": 91_290,
    "words in strings": 42_200,
    "records with more than 16 fields": 27,
    "fields of the largest record": 38,
    "assignments of two unrelated values": 6,
    "comprehensions with two loops": 111,
    "calls with five positional arguments": 79,
}


def text(path: Path) -> str:
    return path.read_text("utf-8")


def nodes() -> Iterator[ast.AST]:
    """Every node of the source; not at import, where every test worker would keep them."""
    for path in source_files():
        yield from ast.walk(syntax_tree(path))


def leaves(
    command: click.Command, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that does something, by its words."""
    inner = command.commands if isinstance(command, click.Group) else {}
    names = command.list_commands(click.Context(command)) if isinstance(command, click.Group) else []
    if words and (not names or getattr(command, "invoke_without_command", False)):
        yield words, command
    for name in names:
        child = inner.get(name) or command.get_command(click.Context(command), name)
        if not child.hidden:
            yield from leaves(child, (*words, name))


def documented(node: ast.AST) -> ast.Expr | None:
    """The docstring of a definition."""
    first = node.body[0] if isinstance(node, DEFINITIONS) and node.body else None
    return first if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) else None


def code_lines() -> int:
    """Lines that are neither blank nor comments, docstrings or imports."""
    number = 0
    for path in source_files():
        lines = text(path).splitlines()
        skipped = {
            at for at, line in enumerate(lines, 1) if not line.strip() or line.lstrip().startswith("#")
        }
        for node in ast.walk(syntax_tree(path)):
            place = node if isinstance(node, ast.Import | ast.ImportFrom) else documented(node)
            if place is not None:
                skipped.update(range(place.lineno, place.end_lineno + 1))
        number += len(lines) - len(skipped)
    return number


def words_in_strings() -> int:
    """Words of strings that read as sentences: three words or more, no docstrings."""
    prose = {id(node.value) for node in nodes() if isinstance(node, ast.Expr)}
    strings = (
        n.value
        for n in nodes()
        if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in prose
    )
    counts = (len(re.findall("[A-Za-z]{2,}", string)) for string in strings)
    return sum(count for count in counts if count > 2)


def is_field(node: ast.AST) -> bool:
    is_name = isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    return is_name and "ClassVar" not in ast.unparse(node.annotation)


def is_two_assignments(node: ast.AST) -> bool:
    """`a, b = x, y`; a swap of the same names is one."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return False
    sides = (node.targets[0], node.value)
    if not all(isinstance(side, ast.Tuple) for side in sides) or len(sides[0].elts) < 2:
        return False
    left, right = ({ast.unparse(item) for item in side.elts} for side in sides)
    return left != right


@pytest.fixture(scope="module")
def counts() -> dict[str, int]:
    commands = list(leaves(cli))
    options = [
        option for _, command in commands for option in command.params if isinstance(option, click.Option)
    ]
    pages, folders = GENERATED
    written = [
        page for page in DOCS.rglob("*.md") if page.name not in pages and page.parent.name not in folders
    ]
    records = [sum(map(is_field, node.body)) for node in nodes() if isinstance(node, ast.ClassDef)]
    calls = [node.args for node in nodes() if isinstance(node, ast.Call)]
    return {
        "commands at the top": len({words[0] for words, _ in commands}),
        "commands": len(commands),
        "options": sum(not option.hidden and option.name != "help" for option in options),
        "suite keys": len(re.findall("^\\| `", text(DOCS / "suite.md"), re.M)),
        "words of docs": sum(len(text(page).split()) for page in written),
        "lines of the changelog": text(ROOT / "CHANGELOG.md").count("\n"),
        "source files": len(source_files()),
        "source lines": sum(text(path).count("\n") for path in source_files()),
        "lines of code": code_lines(),
        "words in strings": words_in_strings(),
        "records with more than 16 fields": sum(fields > 16 for fields in records),
        "fields of the largest record": max(records),
        "assignments of two unrelated values": sum(map(is_two_assignments, nodes())),
        "comprehensions with two loops": sum(
            isinstance(node, COMPREHENSIONS) and len(node.generators) > 1 for node in nodes()
        ),
        "calls with five positional arguments": sum(
            sum(not isinstance(argument, ast.Starred) for argument in arguments) >= 5 for arguments in calls
        ),
    }


@pytest.mark.parametrize("name", CEILINGS)
def test_the_project_stays_within_its_size(counts, name):
    assert counts[name] <= CEILINGS[name], f"{name}: {counts[name]:,}, at most {CEILINGS[name]:,}"
