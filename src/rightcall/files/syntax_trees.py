"""Python sources as syntax trees."""

from __future__ import annotations

import ast
from threading import Lock

_one_at_a_time = Lock()


def syntax_tree(source: bytes) -> ast.Module:
    """Raises `SyntaxError`, `ValueError`, `RecursionError` or `MemoryError` for what is not Python.

    Python 3.11 may raise `SystemError` while two threads parse (github.com/python/cpython/issues/106905).
    """
    with _one_at_a_time:
        return ast.parse(source)
