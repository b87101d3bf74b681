"""The metric `trigger_recall`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import Metric
from rightcall.metrics.matching.kinds import doubt_about_loads, skill_loads
from rightcall.model.case import TestCase
from rightcall.model.score import Score


@dataclass(frozen=True)
class TriggerRecall(Metric):
    """How many of the expected skills were loaded, whoever loaded them: the agent or an agent that it uses.

    A case says nothing if the skill was already in the context, or if the user loaded it. Reports show the same for each
    skill, with intervals, in their table of tools.

    Tools: [{"name": "pdf", "kind": "skill"}, {"name": "docx", "kind": "skill"}]
    Golden: {"input": "Fill in this form", "judge": "skills", "expected_calls": [{"tool": "pdf"}]}
    Fails: [{"name": "Skill", "arguments": {"skill": "docx"}}]
    Passes: [{"name": "Skill", "arguments": {"skill": "pdf"}}]
    """

    def nothing_to_check(self, case: TestCase) -> str:
        if why := doubt_about_loads(case):
            return why
        return "" if skill_loads(case).expected else "the golden expects no skill"

    def measure(self, case: TestCase) -> Score:
        loads = skill_loads(case)
        missing = [name for name in loads.expected if name not in loads.loaded]
        return Score.graded(len(loads.right) / len(loads.expected), f"not loaded: {', '.join(missing)}")
