"""`attacks` of a suite: the attacks of every run, and what they may reach at most."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from rightcall.core.options import described
from rightcall.core.seam import Limb
from rightcall.decide.config import SafetyGate, WorstCaseGate
from rightcall.records.record import Record
from rightcall.run.suite import Suite


class AttackSettings(Record, frozen=True):
    """The attacks of every run, and what they and an attacker who hijacks the model may reach at most."""

    plan: Annotated[str | dict[str, Any] | None, described("plan of attacks: auto, a file or inline")] = None
    safety: Annotated[SafetyGate | None, described("what attacks may do at most")] = None
    worst_case: Annotated[
        WorstCaseGate | None, described("what an attacker who hijacks the model may reach at most")
    ] = None


Block = str | AttackSettings | None


def attack_settings(suite: Suite) -> AttackSettings:
    """The attacks of a suite in either of its forms."""
    return _settings(suite.block("attacks"))


def _settings(block: Block) -> AttackSettings:
    return block if isinstance(block, AttackSettings) else AttackSettings(block)


class AttacksLimb(Limb):
    """Attacks of a suite, or of an option, which replaces the plan alone."""

    block = Annotated[Block, described("plan of attacks: auto or a file; or the plan with its limits")]

    def override(self, block: Block, option: str) -> AttackSettings:
        return msgspec.structs.replace(_settings(block), plan=option)

    def gate(self, block: Block) -> Mapping[str, Any]:
        settings = _settings(block)
        return {"safety": settings.safety, "worst_case": settings.worst_case}

    def plan(self, plan: Any, block: Block, folder: Path) -> Any:
        source = _settings(block).plan
        if source is None or source == "none":
            return plan
        from rightcall.limbs.attacks.attacked_plan import (
            plan_with_attacks,  # with what it loads of the linter
        )

        return plan_with_attacks(plan, source, folder)
