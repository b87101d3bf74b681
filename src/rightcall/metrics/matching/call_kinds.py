"""Calls by kind: skills that were loaded, calls that a golden is not about, and cases in which a load shows nothing.

A suite without skills pays one comparison per case: whether its tools contain any is remembered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import NamedTuple

from rightcall.records.call import ToolCall
from rightcall.records.case import TestCase
from rightcall.records.golden import AnyGolden, Golden, expectations_of
from rightcall.records.skill_load import (
    SkillIndex,
    call_form,
    contains_body,
    first_texts,
    skills_named_by_user,
    with_skill_calls,
)
from rightcall.records.tool import Tool, ToolKind
from rightcall.records.trajectory import Trajectory

KINDS: dict[str, ToolKind] = {"tools": "tool", "skills": "skill", "agents": "agent"}
"""The kind of the calls that a golden judges."""
NO_TOOLS: Mapping[str, Tool] = {}
NO_PLACES: frozenset[int] = frozenset()


class _Remembered(NamedTuple):
    tools: Mapping[str, Tool]
    size: int
    skills: SkillIndex | None


_last = _Remembered(NO_TOOLS, 0, None)


def skills_of(tools: Mapping[str, Tool]) -> SkillIndex | None:
    """The skills among tools; None when there are none, which is remembered for the tools of the last case."""
    global _last  # noqa: PLW0603  one assignment of a whole value, so that threads need no lock
    last = _last
    if last.tools is tools and last.size == len(tools):
        return last.skills
    index = SkillIndex(tools) if any(tool.kind == "skill" for tool in tools.values()) else None
    _last = _Remembered(tools, len(tools), index)
    return index


def read_skills(trajectory: Trajectory, tools: Mapping[str, Tool]) -> Trajectory:
    """The trajectory with loads of skills in their normal form; the same object without skills."""
    index = skills_of(tools)
    return trajectory if index is None else with_skill_calls(trajectory, index)


def callable_tools(tools: Mapping[str, Tool]) -> Mapping[str, Tool]:
    """The tools by which a call can be unknown: none when only skills are known."""
    index = skills_of(tools)
    return NO_TOOLS if index is not None and len(index.tools) == len(tools) else tools


def kind_of_call(call: ToolCall, tools: Mapping[str, Tool]) -> ToolKind:
    """The kind of what was called; what is not known is a tool, unless work was handed over."""
    tool = tools.get(call.name)
    if tool is not None:
        return tool.kind
    return "agent" if call.notes.get("handoff") else "tool"


def places_not_judged(golden: Golden, calls: Iterable[ToolCall], tools: Mapping[str, Tool]) -> frozenset[int]:
    """Places of calls of another kind than the golden is about."""
    if golden.judge == "all":
        return NO_PLACES
    kind = KINDS[golden.judge]
    return frozenset(at for at, call in enumerate(calls) if kind_of_call(call, tools) != kind)


def places_of_upkeep(calls: Iterable[ToolCall]) -> frozenset[int]:
    """Places of calls that find or load what the agent needs, or start a program: not judged unless they are expected."""
    return frozenset(at for at, call in enumerate(calls) if call.kind in ("plumbing", "program"))


def calls_to_judge(golden: Golden, trajectory: Trajectory, tools: Mapping[str, Tool]) -> list[ToolCall]:
    """The calls that the golden is about."""
    left_out = places_not_judged(golden, trajectory.calls, tools) | places_of_upkeep(trajectory.calls)
    return [call for at, call in enumerate(trajectory.calls) if at not in left_out]


def skills_to_load(golden: AnyGolden, index: SkillIndex) -> list[str]:
    """The skills that a golden expects to be loaded."""
    tools = (call.tool for call in expectations_of(golden))
    names = list(chain.from_iterable((tool,) if isinstance(tool, str) else tool for tool in tools))
    return list(dict.fromkeys(name for name in names if name in index.tools))


def load_in_doubt(golden: AnyGolden, trajectory: Trajectory, tools: Mapping[str, Tool]) -> str:
    """Why loads of this case say nothing about the agent; empty when they do.

    `trajectory` has loads in their normal form. A golden that expects no skill is in doubt only if it judges skills.
    """
    index = skills_of(tools)
    if index is None:
        return ""
    skills = skills_to_load(golden, index)
    if not skills and golden.judge == "skills":
        skills = list(index.tools)
    if not skills:
        return ""
    texts = first_texts(trajectory, golden.system)
    named = set(skills_named_by_user(texts))
    for name in skills:
        if name in named:
            return f"not_judged: {name} was loaded by the user"
        skill = index.tools[name].skill
        if skill is not None and contains_body(texts, skill.body):
            return f"not_judged: the skill was already in the context: {name}"
    if any(call.arguments_unknown and call_form(call.name) == "loader" for call in trajectory.calls):
        return "not_judged: which skill was loaded is unknown: the arguments of the call were not recorded"
    return ""


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
