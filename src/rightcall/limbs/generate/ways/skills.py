"""Trigger goldens from skills: requests that should load a skill, and adjacent ones that should not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import msgspec

from rightcall.limbs.generate.kit import Kit
from rightcall.limbs.generate.plans import PlanKind, PlannedSlot
from rightcall.limbs.generate.production import Job, Made
from rightcall.limbs.generate.ways.text import job_stream
from rightcall.limbs.generate.ways.tools import ToolJob
from rightcall.records.tool import Tool

PER_SKILL = 8
"""Half of them need the skill."""


@dataclass(frozen=True)
class SkillJob(ToolJob):
    """A golden that is judged by the skills that the agent loads."""

    async def make(self) -> Made:
        made = await super().make()
        if made.golden is None:
            return made
        fields = {
            "judge": "skills",
            "no_calls": False,
            "cluster": self.slot.tools[0],
            "tags": ("generated", "trigger"),
        }
        return replace(made, golden=msgspec.structs.replace(made.golden, **fields))


def skill_jobs(skills: Sequence[Tool], kit: Kit) -> Callable[[int, int], Sequence[Job]]:
    """Four requests for each skill, and four about its subject that do not need it."""

    def job(place: int) -> Job:
        number, which = divmod(place, len(skills))
        kind: PlanKind = "one" if number < PER_SKILL // 2 else "none"
        return SkillJob(PlannedSlot(place, kind, (skills[which].name,), number), kit)

    return job_stream(job, len(skills) * PER_SKILL)
