"""Agents in a case: calls that give work to an agent, whose calls count, who may make a call.

A golden that names agents is judged over the calls of all of them, in order of time and by one alignment. A call that hands
over or delegates then has the name of what it does, such as `handoff to billing`, unless the golden names its tool.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from msgspec.structs import replace

from rightcall.core.errors import InputError
from rightcall.metrics.matching.base import Scope, short_json
from rightcall.metrics.matching.compile import compile_matcher, matcher_key
from rightcall.records.call import ToolCall, agent_of, delegate_of, depth_of, handoff_of, path_of, same_name
from rightcall.records.expected_call import is_target
from rightcall.records.golden import AnyGolden, expectations_of
from rightcall.records.trajectory import Trajectory

LABELS = {"handoff": "handoff to ", "delegate": "delegation to "}
"""How the name of a call begins that gives work to an agent."""

AgentTest = Callable[[Sequence[str]], bool]
"""Whether an agent, by the path to it, is one that was asked for."""


def is_label(name: str) -> bool:
    """Whether a name says what a call does, and is not that of a tool."""
    return name.startswith(tuple(LABELS.values()))


def fits_target(pattern: dict[str, Any]) -> Callable[[str], bool]:
    """Whether a call, by its label, gives work to an agent of the pattern."""
    word = next(iter(pattern))
    targets = pattern[word]
    names = [targets] if isinstance(targets, str) else list(targets)
    if len(pattern) != 1 or not names or not all(isinstance(name, str) and name for name in names):
        raise InputError("", f"{word} must be the name of an agent or a list of names")
    label = LABELS[word]

    def fits(name: str) -> bool:
        return name.startswith(label) and any(same_name(name[len(label) :], target) for target in names)

    return fits


def target_text(pattern: dict[str, Any]) -> str:
    """A pattern of a target as text: `handoff to billing or support`."""
    word = next(iter(pattern))
    targets = pattern[word]
    return f"{LABELS[word]}{targets if isinstance(targets, str) else ' or '.join(map(str, targets))}"


def compile_agent(pattern: Any) -> AgentTest:
    """A test for agents from `by` or `answered_by`: a name, the end of a path, a list of either, or a matcher."""
    if isinstance(pattern, dict):
        if pattern.keys() == {"not"}:
            accepts = compile_agent(pattern["not"])
            return lambda path: not accepts(path)
        if matcher_key(pattern) is None:
            raise InputError("", f"by must be a name or a matcher, got {short_json(pattern)}")
        matcher = compile_matcher(pattern, Scope())
        return lambda path: matcher.score(path[-1], 0) == 1.0
    patterns = [pattern] if isinstance(pattern, str) else list(pattern)
    if not patterns or not all(isinstance(name, str) and name for name in patterns):
        raise InputError("", "by must be an agent's name, a list of names or a matcher")
    ends = [(name, tuple(name.split("/"))) for name in patterns]
    # a name may contain a slash
    return lambda path: any(path[-1] == name or tuple(path[-len(end) :]) == end for name, end in ends)


def agent_text(pattern: Any) -> str:
    """A pattern of agents as text."""
    if isinstance(pattern, str):
        return pattern
    if isinstance(pattern, dict):
        if pattern.keys() == {"not"}:
            return f"another agent than {agent_text(pattern['not'])}"
        return f"an agent whose name is {compile_matcher(pattern, Scope()).describe()}"
    return " or ".join(map(str, pattern))


def is_made_by(call: ToolCall, accepts: AgentTest) -> bool | None:
    """Whether an agent that is asked for made the call; None when the agent is not known."""
    return accepts(path_of(call)) if agent_of(call) else None


def names_of(pattern: Any) -> list[str]:
    """The agents that a pattern names; none for a matcher."""
    if pattern is None or isinstance(pattern, dict):
        return []
    patterns = [pattern] if isinstance(pattern, str) else list(pattern)
    return [name.split("/")[-1] for name in patterns if isinstance(name, str) and name]


def team_of(golden: AnyGolden, trajectory: Trajectory) -> set[str]:
    """Every agent that the golden or the trajectory names."""
    names = set(chain.from_iterable(path_of(call) for call in trajectory.calls))
    names |= set(chain.from_iterable(answer.path for answer in trajectory.answers))
    names |= set(golden.agents) | set(names_of(golden.answered_by))
    patterns = [*(call.tool for call in expectations_of(golden)), *golden.forbidden_calls]
    for pattern in patterns:
        if isinstance(pattern, dict):
            names |= set(chain.from_iterable(names_of(pattern.get(word)) for word in LABELS))
    for call in expectations_of(golden):
        names |= set(names_of(call.by))
    return {name for name in names if name}


def read_targets(
    golden: AnyGolden, trajectory: Trajectory, names_tool: Callable[[str], bool]
) -> tuple[Trajectory, frozenset[int]]:
    """The trajectory with calls named by what they do, and the places of calls that only pass work on.

    Those are not judged when the golden says nothing about hand-offs and delegations: they are how work reaches an
    agent. `names_tool` says whether the golden names a tool itself.
    """
    team = team_of(golden, trajectory)
    calls: list[ToolCall] = []
    passed_on = set[int]()
    for at, call in enumerate(trajectory.calls):
        handoff = handoff_of(call, team)
        target = handoff or delegate_of(call, team)
        if not target or names_tool(call.name):
            calls.append(call)
            continue
        label = f"{LABELS['handoff' if handoff else 'delegate']}{target}"
        written = {"name": call.name, "arguments": call.arguments}
        calls.append(replace(call, name=label, notes={**call.notes, "written": written}))
        passed_on.add(at)
    patterns = [*(call.tool for call in expectations_of(golden)), *golden.forbidden_calls]
    judged = golden.judge == "agents" or any(map(is_target, patterns))
    named = replace(trajectory, calls=tuple(calls))
    return named, frozenset() if judged else frozenset(passed_on)


def inner_places_without_name(golden: AnyGolden, calls: Sequence[ToolCall]) -> frozenset[int]:
    """Places of calls that agents used as tools made, where the golden does not name those agents."""
    tests = [compile_agent(call.by) for call in expectations_of(golden) if call.by is not None]
    tests += [compile_agent(name) for name in golden.agents]
    return frozenset(
        at
        for at, call in enumerate(calls)
        if depth_of(call) and not (agent_of(call) and any(test(path_of(call)) for test in tests))
    )
