"""Descriptions of values that cannot be stored: functions and other Python objects in goldens and metrics."""

from __future__ import annotations

import hashlib
import re
from typing import Any


def described(value: Any) -> Any:
    """A hook for encoders: a function becomes a matcher that names it, anything else its repr."""
    return {"python_function": name_of(value)} if callable(value) else stable_repr(value)


def fingerprinted(value: Any) -> Any:
    """The same with the hash of a function's source, for fingerprints that must change with the function."""
    if not callable(value):
        return described(value)
    return {"python_function": f"{name_of(value)} {source_hash(value)}"}


def name_of(function: Any) -> str:
    """`<function is_city>`: the same in every process."""
    kind = "class" if isinstance(function, type) else "function"
    return f"<{kind} {getattr(function, '__name__', type(function).__name__)}>"


def source_hash(function: Any) -> str:
    """A short hash of the source, or of the compiled code if the source is unavailable."""
    import inspect
    import tokenize

    try:
        content = inspect.getsource(function).encode()
    except (
        OSError,
        TypeError,
        SyntaxError,
        tokenize.TokenError,
    ):  # a page or a notebook, which is not only code
        code = getattr(function, "__code__", None)
        plain = stable_repr(function if code is None else (code.co_code, code.co_consts))
        content = plain.encode()
    return hashlib.sha256(content).hexdigest()[:12]


def stable_repr(value: Any) -> str:
    """`repr` without addresses in memory, which differ from process to process."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))
