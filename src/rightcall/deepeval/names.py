"""DeepEval's names that have no equivalent: importing one says what to use instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def refuse_names(module: str, instead: Mapping[str, str]) -> Callable[[str], Any]:
    """`__getattr__` of a module: an `ImportError` that says what to use instead of a name of DeepEval's."""

    def get(name: str) -> Any:
        if name in instead:
            raise ImportError(f"DeepEval's {name} has no equivalent in {module}; {instead[name]}")
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    return get
