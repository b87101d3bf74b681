"""A function reads as one thought: its body, without signature and docstring, fits on a screen."""

from __future__ import annotations

import ast
from pathlib import Path

import rightcall
from tests.support.source_tree import source_files, syntax_tree

SOURCE = Path(rightcall.__file__).parent
MOST_LINES = 60


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_no_function_is_longer_than_a_screen():
    long = [
        f"{path.relative_to(SOURCE)}:{node.lineno} {node.name}: {body_lines(node)} lines"
        for path in source_files()
        for node in ast.walk(syntax_tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and body_lines(node) > MOST_LINES
    ]
    assert long == [], f"move what is a thought of its own into a function with a name (limit: {MOST_LINES})"
