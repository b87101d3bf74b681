"""The goldens on which a cause can act: those are where its change must be shown to help."""

from __future__ import annotations

from collections.abc import Iterable

from rightcall.analysis.counters import NEGATIVE, Class
from rightcall.analysis.golden_facts import expected_calls
from rightcall.model.golden import AnyGolden

Exposed = frozenset[Class] | None
"""Tools, parameters and `NEGATIVE`; None for every golden."""


def exposure_of(cause: str, tools: Iterable[str], parameters: Iterable[str], known: Iterable[str]) -> Exposed:
    """What a finding's cause can act on. A description that claims too much harms the goldens of all other tools."""
    tools, parameters = tuple(tools), tuple(parameters)
    if cause == "no_abstention_guidance":
        return frozenset((NEGATIVE,))
    if cause == "overbroad_description":
        return frozenset((NEGATIVE, *(name for name in known if name not in tools)))
    if parameters:
        return frozenset((tool, name) for tool in tools for name in parameters)
    return frozenset(tools) if tools else None


def is_exposed(golden: AnyGolden, exposure: Exposed) -> bool:
    """Whether a golden is one that a cause, or its change, can act on."""
    if exposure is None:
        return True
    expected = expected_calls(golden)
    if not expected:
        return NEGATIVE in exposure
    return any(tool in exposure or any((tool, name) in exposure for name in args) for tool, args in expected)


def wanted_tool(golden: AnyGolden) -> str:
    """The first tool that a golden wants; "" for one that wants no call."""
    return next((tool for tool, _ in expected_calls(golden)), "")
