"""A possible cause of some failures, with its evidence and the proposed change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import msgspec

from rightcall.improve.counters import Class
from rightcall.improve.evidence import Evidence
from rightcall.records.record import Record

MOST_PLAUSIBLE = 0.97

Cause = Literal[
    "changed", "not_offered", "tools_silent", "parameter_renamed", "tool_breaks",
    "enum_missing", "unit_missing", "date_format_missing", "required_missing",
    "parameter_description_missing", "parameters_swapped", "type_unclear",
    "value_spelling", "missing_lookup", "request_lacks_information",
    "error_without_hint", "skill_not_seen", "loaded_not_followed",
    "use_forbidden", "narrow_description", "ambiguous_name", "overbroad_description", "unknown_tool",
    "descriptions_swapped", "skill_shadowed", "confusable_pair", "agent_confused", "handoff_missing_facts",
    "no_abstention_guidance", "golden_looks_wrong",
    "out_of_order", "repeats", "refusal", "gives_up_or_loops", "slow_or_costly", "acts_without_asking",
    "nobody_approves", "caller_not_permitted",
    "flaky", "unexplained",
]  # fmt: skip
"""Parameter causes first, then tools, pairs, the whole set: ties are broken in this order."""


class ProposedChange(Record, frozen=True):
    """A proposed edit: the current and the new value at `path` of a tool's definition.

    Without a tool it is an edit of the system prompt.
    """

    tool: str
    path: tuple[str | int, ...]
    before: Any = msgspec.field(name="from")
    after: Any = msgspec.field(name="to")


@dataclass(frozen=True)
class Hypothesis:
    """One cause at one place. `symptoms` are numbers of what it explains.

    `exposed` are the goldens it could act on, None for all, by default those of its tools. `cause` is set by
    `all_hypotheses`: the name of the function that yields it. What one answer alone says is not `certain`. What the
    calls and the definitions of one golden show is `decisive`.
    """

    symptoms: Sequence[int]
    weight: Weight
    what: str
    advice: str
    tools: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    change: tuple[ProposedChange, ...] = ()
    lint: tuple[str, ...] = ()
    exposed: frozenset[Class] | None = frozenset()
    about: Literal["parameter", "tool", "pair", "set", "golden"] = "tool"
    cause: Cause = "unexplained"
    certain: bool = True
    decisive: bool = False

    def __post_init__(self) -> None:
        if self.exposed == frozenset():
            object.__setattr__(self, "exposed", frozenset(self.tools))


class Weight:
    """How well the evidence fits a cause, 0 to 1, regardless of the number of failures, and the reasons."""

    def __init__(self, value: float, *reasons: str) -> None:
        self._value = value
        self.reasons = list(reasons)

    def add(self, amount: float, holds: bool, reason: str) -> None:
        """Add a reason if it applies."""
        if holds:
            self._value += amount
            self.reasons += [reason] if reason else []

    def scale(self, factor: float) -> None:
        """Believe less in it, for another reason than those listed."""
        self._value = min(MOST_PLAUSIBLE, self._value) * factor

    @property
    def plausibility(self) -> float:
        return max(0.01, min(MOST_PLAUSIBLE, self._value))


def codes_on(evidence: Evidence, related: Iterable[str], *places: tuple[str, str]) -> tuple[str, ...]:
    """Those of the related lint rules that fire on one of the places."""
    codes = set(related)
    return tuple(
        sorted(set(chain.from_iterable(evidence.lint_on(tool, name) & codes for tool, name in places)))
    )


def quote_values(values: Iterable[Any], most: int = 4) -> str:
    """A few values in a sentence."""
    shown = [str(value)[:40] for value in values]
    return ", ".join(shown[:most]) + (f" and {len(shown) - most} more" if len(shown) > most else "")
