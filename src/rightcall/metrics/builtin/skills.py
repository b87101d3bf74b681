"""Metrics of skills: `trigger_recall`, `trigger_precision`, `followed`."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from rightcall.metrics.base import Metric
from rightcall.metrics.matching.call_kinds import doubt_about_loads, skill_loads, skills_of
from rightcall.metrics.matching.judge_case import score_calls
from rightcall.records.case import TestCase
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import Golden
from rightcall.records.score import Score


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


@dataclass(frozen=True)
class Followed(Metric):
    """Whether the agent did what a loaded skill prescribes: expected calls made after the load, of those expected.

    0 when the skill was not loaded. The golden expects the load, and the calls that the skill prescribes.

    Tools: [{"name": "pdf", "kind": "skill"}, {"name": "docx", "kind": "skill"}]
    Golden: {"input": "Fill in form.pdf", "expected_calls": [{"tool": "pdf"}, {"tool": "run", "args": {"file": "a.py"}}]}
    Fails: [{"name": "Skill", "arguments": {"skill": "pdf"}}]
    Passes: [{"name": "Skill", "arguments": {"skill": "pdf"}}, {"name": "run", "arguments": {"file": "a.py"}}]
    """

    def nothing_to_check(self, case: TestCase) -> str:
        if why := doubt_about_loads(case):
            return why
        if not skill_loads(case).expected:
            return "the golden expects no skill"
        return "" if _later_calls(case) else "the golden expects no call after the load"

    def measure(self, case: TestCase) -> Score:
        loads = skill_loads(case)
        missing = [name for name in loads.expected if name not in loads.loaded]
        if missing:
            return Score(0.0, False, f"not loaded: {', '.join(missing)}")
        prescribed = _later_calls(case)
        verdict = score_calls(_after_load(case), case.trajectory, case.tools)
        failed_places = {failure.expected_call for failure in verdict.failures}
        failed = [call for place, call in prescribed.items() if place in failed_places]
        names = ", ".join(str(call.tool) for call in failed)
        return Score.graded(1 - len(failed) / len(prescribed), f"loaded, but not followed: {names}")


def _later_calls(case: TestCase) -> dict[int, ExpectedCall]:
    """The expected calls that load no skill, by their place."""
    index = skills_of(case.tools)
    skills = index.tools if index is not None else {}
    return {at: call for at, call in enumerate(case.golden.expected_calls) if str(call.tool) not in skills}


def _after_load(case: TestCase) -> Golden:
    """The golden with every call that loads no skill after those that do."""
    prescribed = _later_calls(case)
    calls = [
        call if at in prescribed or call.id else replace(call, id=f"load {at}")
        for at, call in enumerate(case.golden.expected_calls)
    ]
    loads = tuple(call.id for at, call in enumerate(calls) if at not in prescribed)
    ordered = tuple(
        replace(call, after=tuple(dict.fromkeys((*call.after, *loads)))) if at in prescribed else call
        for at, call in enumerate(calls)
    )
    return replace(case.golden, expected_calls=ordered, any_of=())
