"""Causes: a closed list, one file each (those determined by a code share `by_code`).

A cause is a module with `hypotheses(evidence)`, which returns a `Hypothesis` for every supported place.
How likely each is, given all of them, is decided in `improve.rank`. To add one: a file here, and its name in
`improve.hypothesis.Cause`.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, get_args

from rightcall.improve.hypothesis import Cause

if TYPE_CHECKING:
    from rightcall.improve.evidence import Evidence
    from rightcall.improve.hypothesis import Hypothesis

_FILES = {module.name for module in iter_modules(__path__)}

CAUSES = (*(name for name in get_args(Cause) if name in _FILES), "by_code")
"""The causes that have a file, in the order of `Cause`; then those determined by a code."""


def all_hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    """All hypotheses."""
    for name in CAUSES:
        yield from import_module(f"{__name__}.{name}").hypotheses(evidence)
