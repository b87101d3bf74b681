"""What a golden that names agents checks besides calls: hand-offs, depth, budgets of agents, who gave the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rightcall.core.text import pluralize
from rightcall.metrics.matching.base import equality_key
from rightcall.metrics.matching.expectation import fits, forbids
from rightcall.metrics.matching.teamwork import (
    LABELS,
    AgentTest,
    agent_text,
    compile_agent,
    inner_places_without_name,
    is_made_by,
    read_targets,
)
from rightcall.records.call import ToolCall, agent_of, path_of, same_name
from rightcall.records.expected_call import is_target
from rightcall.records.failure import Failure
from rightcall.records.golden import AnyGolden, Golden, expectations_of
from rightcall.records.trajectory import AgentAnswer, Trajectory

LOOP = 3
"""How often the same hand-off, with nothing new in between, is a loop."""
HANDOFF = LABELS["handoff"]


def read_team(golden: AnyGolden, trajectory: Trajectory) -> tuple[Trajectory, frozenset[int], frozenset[int]]:
    """The trajectory with calls named by what they do; places that are not judged; places judged only if expected."""
    patterns = [call.tool for call in expectations_of(golden)]
    patterns += [_tool_of(pattern) for pattern in golden.forbidden_calls]
    tests = [fits(pattern) for pattern in patterns if pattern and not is_target(pattern)]
    named, passed_on = read_targets(golden, trajectory, lambda name: any(test(name) for test in tests))
    inner = inner_places_without_name(golden, named.calls)
    return named, passed_on, inner - passed_on


def _tool_of(pattern: Any) -> Any:
    """The tool of an entry of `forbidden_calls`; None when it names no tool."""
    forbids(pattern)  # refuses what is wrong with it
    return pattern if not isinstance(pattern, dict) or "regex" in pattern else pattern.get("tool")


def agents_seen(
    golden: Golden, trajectory: Trajectory, pairs: Sequence[tuple[ToolCall, AgentTest | None]]
) -> tuple[int, int]:
    """How many calls whose agent matters have one that is known, and how many one that is not.

    `pairs` are aligned calls, each with the agents that may make it.
    """
    asked = [is_made_by(call, test) is not None for call, test in pairs if test is not None]
    for pattern in golden.forbidden_calls:
        if isinstance(pattern, dict) and "by" in pattern:
            without = forbids({word: part for word, part in pattern.items() if word != "by"})
            asked += [bool(agent_of(call)) for call in trajectory.calls if without(call)]
    if golden.answered_by is not None:
        asked.append(bool(final_agent(trajectory)))
    return sum(asked), len(asked) - sum(asked)


def final_agent(trajectory: Trajectory) -> tuple[str, ...]:
    """The path to the agent that gave the final answer; empty when it is not known."""
    last = next((answer for answer in reversed(trajectory.answers) if len(answer.path) < 2), None)
    return tuple(last.path) or (last.agent,) if last is not None and last.agent else ()


def team_failures(golden: Golden, trajectory: Trajectory) -> list[Failure]:
    """Failures of hand-offs, depth and budgets, and of the agent that answered. `trajectory` is a `read_team` one."""
    loops = list(_loops(golden, trajectory))
    lost = [] if loops else list(_handoffs_without_answer(trajectory))
    return [
        *loops,
        *lost,
        *([] if loops else _wrong_answerer(golden, trajectory, lost)),
        *_too_deep(golden, trajectory),
        *_over_budget(golden, trajectory),
    ]


def _is_done(call: ToolCall) -> bool:
    """Whether a hand-off took place."""
    refused = call.approval is not None and call.approval.decision == "rejected"
    return call.name.startswith(HANDOFF) and call.status != "error" and not refused


def _loops(golden: Golden, trajectory: Trajectory) -> Iterator[Failure]:
    """The same hand-off for the third time without an effect or a new result in between, or more than allowed."""
    times: Counter[tuple[tuple[str, ...], str]] = Counter()
    results: set[Any] = set()
    done = 0
    for at, call in enumerate(trajectory.calls):
        if _is_done(call):
            done += 1
            agent = agent_of(call)
            target = call.name[len(HANDOFF) :]
            times[path_of(call), target] += 1
            if agent and times[path_of(call), target] == LOOP:
                detail = f"{agent} handed off to {target} {LOOP} times without a new result in between"
                yield Failure(
                    "handoff_loop", call.name, expected=LOOP - 1, actual=LOOP, detail=detail, call=at
                )
                return
        elif call.status == "ok" and not call.name.startswith(HANDOFF):
            key = (call.name, equality_key(call.arguments), equality_key(call.output))
            if key not in results:
                results.add(key)
                times.clear()
    if golden.max_handoffs is not None and done > golden.max_handoffs:
        detail = f"{pluralize(done, 'hand-off')}, at most {golden.max_handoffs} allowed"
        yield Failure("handoff_loop", expected=golden.max_handoffs, actual=done, detail=detail)


def _handoffs_without_answer(trajectory: Trajectory) -> Iterator[Failure]:
    """Hand-offs that no answer of their target follows. Nothing is said where an unknown agent may have answered."""
    for at, call in enumerate(trajectory.calls):
        if not _is_done(call):
            continue
        target = call.name[len(HANDOFF) :]
        later = _answers_after(at, call, trajectory)
        if later is None or any(not agent or same_name(agent, target) for agent in later):
            continue
        last = later[-1] if later else None
        yield Failure("lost_handoff", call.name, expected=target, actual=last, call=at)


def _answers_after(at: int, call: ToolCall, trajectory: Trajectory) -> list[str] | None:
    """The agents that worked after a call, "" for unknown ones; None when it is not recorded who did."""
    others = [other for other in trajectory.calls[at + 1 :] if other.step is None or other.step != call.step]
    later = [agent_of(other) for other in others]
    if not trajectory.answers:
        return None if trajectory.output.strip() else later
    own = next((n for n, answer in enumerate(trajectory.answers) if answer.step == call.step), None)
    if own is None or call.step is None:
        return None
    return later + [answer.agent or "" for answer in trajectory.answers[own + 1 :]]


def _wrong_answerer(golden: Golden, trajectory: Trajectory, lost: Sequence[Failure]) -> Iterator[Failure]:
    """The final answer of another agent than `answered_by`; lost, if the last hand-off went to the right one."""
    path = final_agent(trajectory)
    if golden.answered_by is None or not path or compile_agent(golden.answered_by)(path):
        return
    expected = agent_text(golden.answered_by)
    actual = "/".join(path)
    handoffs = [at for at, call in enumerate(trajectory.calls) if _is_done(call)]
    last = handoffs[-1] if handoffs else None
    if last is None or not compile_agent(golden.answered_by)((trajectory.calls[last].name[len(HANDOFF) :],)):
        yield Failure("wrong_agent", expected=expected, actual=actual)
    elif not any(failure.call == last for failure in lost):
        label = trajectory.calls[last].name
        detail = f"{actual} gave the final answer"
        yield Failure("lost_handoff", label, expected=expected, actual=actual, detail=detail, call=last)


def _too_deep(golden: Golden, trajectory: Trajectory) -> Iterator[Failure]:
    if golden.max_depth is None:
        return
    paths = [(path_of(call), at) for at, call in enumerate(trajectory.calls)]
    paths += [(tuple(answer.path), -1) for answer in trajectory.answers]
    path, at = max(paths, key=lambda place: len(place[0]), default=((), -1))
    if len(path) - 1 > golden.max_depth:
        text = " → ".join(name or "?" for name in path)
        place = at if at >= 0 else None
        yield Failure("too_deep", expected=golden.max_depth, actual=len(path) - 1, detail=text, call=place)


def _over_budget(golden: Golden, trajectory: Trajectory) -> Iterator[Failure]:
    for name, budget in golden.agents.items():
        test = compile_agent(name)
        calls = sum(is_made_by(call, test) is True for call in trajectory.calls)
        answers = _answers_of(test, trajectory)
        if budget.max_calls is not None and calls > budget.max_calls:
            yield Failure("over_calling", expected=budget.max_calls, actual=calls, agent=name)
        tokens = sum(answer.tokens or 0 for answer in answers)
        if budget.max_tokens is not None and tokens > budget.max_tokens:
            detail = f"{name} used {tokens:,} tokens, at most {budget.max_tokens:,} are allowed"
            yield Failure("loop_limit", expected=budget.max_tokens, actual=tokens, detail=detail, agent=name)
        taken = round(time_of(answers, trajectory.calls, test), 3)
        if budget.max_latency_ms is not None and taken > budget.max_latency_ms:
            yield Failure("over_latency", expected=budget.max_latency_ms, actual=taken, agent=name)


def _answers_of(test: AgentTest, trajectory: Trajectory) -> list[AgentAnswer]:
    return [answer for answer in trajectory.answers if answer.agent and test(answer.path or (answer.agent,))]


def time_of(answers: Sequence[AgentAnswer], calls: Sequence[ToolCall], test: AgentTest) -> float:
    """How long an agent's own answers and tools took, in ms; calls that other agents worked on do not count."""
    own = [call for call in calls if is_made_by(call, test) is True]
    tools = [call for call in own if not call.name.startswith(LABELS["delegate"])]
    return sum(a.latency_ms or 0.0 for a in answers) + sum(call.latency_ms or 0.0 for call in tools)


def budget_problem(golden: Golden, trajectory: Trajectory) -> str:
    """Why a budget of an agent cannot be judged; empty when all can."""
    for name, budget in golden.agents.items():
        answers = _answers_of(compile_agent(name), trajectory)
        for field, measure in (("max_tokens", "tokens"), ("max_latency_ms", "latency_ms")):
            if getattr(budget, field) is None:
                continue
            if not trajectory.answers:
                return f"the golden has agents.{name}.{field}, but the answers of agents were not recorded"
            if any(getattr(answer, measure) is None for answer in answers):
                return f"the golden has agents.{name}.{field}, but {measure} of {name} were not recorded"
    return ""


def without_consequences(failures: Sequence[Failure], golden: Golden) -> list[Failure]:
    """One cause, one code: failures that follow from a hand-off that went wrong are left out.

    An agent that was not reached makes no calls; one that was reached instead makes those of the other; and work done
    by another agent needs no hand-off.
    """
    looped = any(failure.code == "handoff_loop" for failure in failures)
    gone = [str(failure.expected) for failure in failures if failure.code == "lost_handoff"]
    swapped = [
        (failure.tool[len(HANDOFF) :], str(failure.actual)[len(HANDOFF) :])
        for failure in failures
        if failure.code == "wrong_tool"
        and failure.tool.startswith(HANDOFF)
        and str(failure.actual).startswith(HANDOFF)
    ]
    gone += [expected for expected, _ in swapped]
    swapped_calls = {failure.call for failure in failures if failure.code == "wrong_tool"}
    replaced = [
        str(failure.expected) for failure in failures if failure.code == "wrong_agent" and failure.tool
    ]
    calls = list(golden.expected_calls)

    def follows(failure: Failure) -> bool:
        label = failure.tool.startswith(HANDOFF)
        if failure.code in ("unexpected_call", "duplicate_call", "retry"):
            return looped and label
        if failure.code in ("missing_call", "no_call"):
            place = failure.expected_call
            by = calls[place].by if place is not None and place < len(calls) and not golden.any_of else None
            unreached = by is not None and any(compile_agent(by)((name,)) for name in gone)
            return looped or unreached or (label and failure.tool[len(HANDOFF) :] in replaced)
        if failure.code == "lost_handoff":  # it went to the wrong agent, or another one did the work
            return failure.call in swapped_calls or str(failure.expected) in replaced
        if failure.code == "wrong_tool":
            return looped and str(failure.actual).startswith(HANDOFF)
        if failure.code == "wrong_agent":
            return (str(failure.expected), str(failure.actual)) in swapped
        return False

    return [failure for failure in failures if not follows(failure)]
