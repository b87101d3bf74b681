"""The package's source as syntax trees: each file is parsed once, however many contracts look at it."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import rightcall

PACKAGE = Path(rightcall.__file__).parent


@cache
def source_files() -> tuple[Path, ...]:
    """Every Python file of the package."""
    return tuple(sorted(PACKAGE.rglob("*.py")))


@cache
def syntax_tree(path: Path) -> ast.Module:
    """The tree of one file, which nobody may change."""
    gc.disable()  # it would look at every tree that is kept, again and again
    try:
        return ast.parse(path.read_text("utf-8"))
    finally:
        gc.enable()


@cache
def modules() -> dict[str, Path]:
    """The file of each module of the package, by its dotted name."""
    return {
        ".".join(("rightcall", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(
            ".__init__"
        ): path
        for path in source_files()
    }


def imports(tree: ast.AST) -> Iterator[str]:
    """Every module of the package that is imported anywhere in a file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            full_names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in modules() else node.module or "" for name in full_names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
