"""Causes: a closed list, one file each (those determined by a code share `by_code`).

A cause is a module with `hypotheses(evidence)`, which returns a `Hypothesis` for every supported place.
How likely each is, given all of them, is decided in `analysis.ranking`. To add one: a file here, its name in `CAUSES`
and in `analysis.hypothesis.Cause`.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rightcall.analysis.evidence import Evidence
    from rightcall.analysis.hypothesis import Hypothesis

CAUSES = (
    "enum_missing",
    "unit_missing",
    "date_format_missing",
    "required_missing",
    "parameter_description_missing",
    "parameters_swapped",
    "parameter_unclear",
    "type_unclear",
    "value_spelling",
    "id_source_unclear",
    "request_lacks_information",
    "error_without_hint",
    "recovery_failed",
    "narrow_description",
    "ambiguous_name",
    "overbroad_description",
    "unknown_tool",
    "descriptions_swapped",
    "confusable_pair",
    "no_abstention_guidance",
    "golden_looks_wrong",
    "by_code",
)
"""Parameter causes first, then tools, pairs, the whole set: ties are broken in this order."""


def all_hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    """All hypotheses."""
    for name in CAUSES:
        yield from import_module(f"{__name__}.{name}").hypotheses(evidence)
