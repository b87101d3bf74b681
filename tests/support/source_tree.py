"""The package's source as syntax trees: each file is parsed once, however many contracts look at it."""

from __future__ import annotations

import ast
import gc
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
