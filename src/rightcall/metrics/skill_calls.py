"""Which skills a case expects and which were loaded: what the metrics of skills are computed from."""

from __future__ import annotations

from typing import NamedTuple

from rightcall.metrics.matching.kinds import load_in_doubt, read_skills, skills_of, skills_to_load
from rightcall.model.case import TestCase


class SkillLoads(NamedTuple):
    """The skills that a golden expects, and those that were loaded, each once, in order."""

    expected: tuple[str, ...]
    loaded: tuple[str, ...]

    @property
    def right(self) -> tuple[str, ...]:
        return tuple(name for name in self.expected if name in self.loaded)

    @property
    def wrong(self) -> tuple[str, ...]:
        return tuple(name for name in self.loaded if name not in self.expected)


def skill_loads(case: TestCase) -> SkillLoads:
    """The loads of a case; empty when its tools contain no skill."""
    index = skills_of(case.tools)
    if index is None:
        return SkillLoads((), ())
    calls = read_skills(case.trajectory, case.tools).calls
    loaded = dict.fromkeys(call.name for call in calls if call.name in index.tools and call.status != "error")
    return SkillLoads(tuple(skills_to_load(case.golden, index)), tuple(loaded))


def doubt_about_loads(case: TestCase) -> str:
    """Why the loads of a case cannot be measured; empty when they can."""
    if skills_of(case.tools) is None:
        return "no skills are known; name them under tools: {skills: [DIR]}"
    return load_in_doubt(case.golden, read_skills(case.trajectory, case.tools), case.tools)
