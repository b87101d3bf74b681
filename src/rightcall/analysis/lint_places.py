"""Which lint rules fire where: on a tool, on one of its parameters, on a pair."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from rightcall.files import pointer_parts
from rightcall.lint import lint
from rightcall.model.tool import Tool

MOST_LINTED = 400
"""Tools beyond which linting would take longer than the analysis."""


def lint_places(tools: Sequence[Tool]) -> Mapping[tuple[str, str], frozenset[str]]:
    """Codes by (tool, parameter), with "" for the tool itself, and by (tool, other tool) for pairs."""
    if not tools or len(tools) > MOST_LINTED:
        return {}
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for one in lint(tools).diagnostics:
        found[one.tool, _parameter(one.pointer)].add(one.code)
        for other in one.others:
            found[one.tool, other].add(one.code)
            found[other, one.tool].add(one.code)
    return {place: frozenset(codes) for place, codes in found.items()}


def _parameter(pointer: str) -> str:
    """The parameter that a JSON pointer refers to; "" for the tool itself."""
    parts = ["", *pointer_parts(pointer)]
    for at, part in enumerate(parts[:-1]):
        if part == "properties" and at >= 1:
            return parts[at + 1]
    return ""
