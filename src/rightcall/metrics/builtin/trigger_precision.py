"""The metric `trigger_precision`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import Metric
from rightcall.metrics.matching.kinds import doubt_about_loads, skill_loads
from rightcall.model.case import TestCase
from rightcall.model.score import Score


@dataclass(frozen=True)
class TriggerPrecision(Metric):
    """How many of the loaded skills were expected; 1 when none was loaded.

    A skill that is loaded for nothing costs its whole body in every later request, and its instructions compete with
    the user's. Loading a skill again does not count.

    Tools: [{"name": "pdf", "kind": "skill"}, {"name": "docx", "kind": "skill"}]
    Golden: {"input": "What is a form?", "judge": "skills", "category": "negative"}
    Fails: [{"name": "Skill", "arguments": {"skill": "pdf"}}]
    Passes: [{"name": "Bash", "arguments": {"command": "ls"}}]
    """

    def nothing_to_check(self, case: TestCase) -> str:
        if why := doubt_about_loads(case):
            return why
        about_skills = case.golden.judge == "skills" or skill_loads(case).expected
        return "" if about_skills else "the golden neither expects a skill nor judges skills"

    def measure(self, case: TestCase) -> Score:
        loads = skill_loads(case)
        if not loads.wrong:
            return Score(1.0, True)
        right = len(loads.loaded) - len(loads.wrong)
        return Score.graded(right / len(loads.loaded), f"loaded for nothing: {', '.join(loads.wrong)}")
