"""Where the functions of tools are defined, so that findings point to a line and not to a module."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable
from pathlib import Path
from typing import Any

HOLDERS = ("function", "func", "fn", "coroutine", "_func", "_tool_func", "on_invoke_tool", "tool_function")
"""Fields in which tools of RightCall and of frameworks keep their function."""


def tool_places(source: str, names: Iterable[str]) -> dict[str, tuple[str, int]]:
    """File and line of each tool of `package.module:attribute`, by name.

    A tool whose function cannot be found is in the file of the module, at line 0.
    """
    module = importlib.import_module(source.partition(":")[0])
    functions = {name: function for value in _objects(module, source) for name, function in _functions(value)}
    file = _path_text(Path(module.__file__)) if module.__file__ else source
    places = {}
    for name in names:
        code = getattr(functions.get(name), "__code__", None)
        places[name] = (_path_text(Path(code.co_filename)), code.co_firstlineno) if code else (file, 0)
    return places


def _objects(module: Any, source: str) -> list[Any]:
    """What the module holds, and what the named attribute holds, which counts more."""
    held: Any = module
    for part in source.partition(":")[2].split("."):
        held = getattr(held, part, None)
    return [*vars(module).values(), *(held if isinstance(held, list | tuple) else [held])]


def _functions(value: Any) -> Iterable[tuple[str, Any]]:
    """The function in a tool, under the name of the tool."""
    function = next((f for name in HOLDERS if inspect.isroutine(f := getattr(value, name, None))), value)
    function = inspect.unwrap(function) if callable(function) else None
    if inspect.isfunction(function):
        own = getattr(getattr(value, "tool", value), "name", None)
        yield (own if isinstance(own, str) else function.__name__), function


def _path_text(path: Path) -> str:
    """The path as seen from here, if it is below."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
