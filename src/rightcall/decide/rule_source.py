"""How capabilities add to the rules of a gate: `core/seam.py` lists their sources as `rules`, by keys and by facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from rightcall.decide.config import Gate
from rightcall.decide.rules import Check, GateRule


@runtime_checkable
class AdvisedRule(GateRule, Protocol):
    """A requirement that knows what would decide it."""

    def hint(self, check: Check, alpha: float) -> str: ...


Facts = Mapping[str, Any]
"""What is known of a run besides its outcomes, by name; what was asked for and is not there is unknown."""


class RuleSource:
    """What a capability adds to gates, for a key of theirs or because of a fact. This one adds nothing."""

    def rules(self, gate: Gate, facts: Facts) -> Sequence[GateRule]:
        """The rules of its key, in display order; a fact that is missing leaves them undecided."""
        return ()

    def replace(self, rule: GateRule, gate: Gate, facts: Facts) -> GateRule:
        """A rule of the gate as the facts change it."""
        return rule

    def trials_of_estimate(self, gate: Gate, facts: Facts) -> int:
        """How many trials without an answer are accounted for."""
        return 0
