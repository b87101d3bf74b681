"""DeepEval's names that have no equivalent: importing one says where its replacement is written down."""

from __future__ import annotations

from typing import NoReturn

PAGE = "docs/coming-from-deepeval.md"


def refuse_name(name: str) -> NoReturn:
    """The `__getattr__` of modules with DeepEval's paths."""
    if name[:1].isupper():
        raise ImportError(f"DeepEval's {name} has no equivalent here; {PAGE} says what to use instead")
    raise AttributeError(name)
