"""Derives failures with evidence from an alignment, never from message text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import chain
from typing import Any

from msgspec.structs import replace

from rightcall.metrics.matching.alignment import Alignment, CallPair
from rightcall.metrics.matching.approvals import places_of_waiting_calls, requests_without_answer
from rightcall.metrics.matching.base import NUMBERS, equality_key
from rightcall.metrics.matching.expectation import Slot, forbids, pattern_text
from rightcall.metrics.matching.matchers.references import Ref
from rightcall.metrics.matching.matchers.values import Exact
from rightcall.metrics.matching.teamwork import agent_text, is_label, is_made_by
from rightcall.records.call import ToolCall, depth_of, path_of
from rightcall.records.expected_call import is_target
from rightcall.records.failure import Code, Failure
from rightcall.records.golden import Golden, names_agents
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory
from rightcall.tools.definitions.validate import is_valid, problems

MOST_VIOLATIONS = 1000
"""Maximum schema violations reported per case."""

STOPS: dict[str, Code] = {
    "limit": "loop_limit",
    "refused": "refused",
    "filtered": "content_filter",
    "rejected": "request_rejected",
    "unreadable": "unreadable_result",
    "agent_error": "agent_error",
    "infra_error": "infra_error",
}

CUT_OFF = "the answer was cut off at its token limit before its first word or call"
ANSWER_IT = "say in the suite what to answer (`approvals`), or in the golden that it should ask (`confirm`)"


def explain(
    golden: Golden, aligned: Alignment, tools: Mapping[str, Tool], trajectory: Trajectory
) -> list[Failure]:
    """Every failure of a case but missing content, in the order of the expected calls, then the actual ones."""
    slots = aligned.table.slots
    calls = aligned.table.calls
    pairs = aligned.pairs
    free = aligned.free
    partner = {pair.slot: pair for pair in pairs}
    failures = list(_forbidden_calls(golden, calls))
    open_slots: list[int] = []
    taken = {pair.call for pair in pairs}
    unordered = {pair.slot: pair for pair in free if pair.strict}
    for number, slot in enumerate(slots):
        pair = partner.get(number)
        if pair and pair.strict:
            continue
        if pair and slot.required:
            failures += argument_failures(slot, calls[pair.call], pair.call)
        elif slot.required and number in unordered and unordered[number].call not in taken:
            taken.add(unordered[number].call)
            failures.append(_out_of_order(slot, unordered[number].call, slots))
        elif slot.required:
            open_slots.append(number)
    left = [at for at in range(len(calls)) if at not in taken]
    invented = _unknown_tool_places(golden, calls, tools) if left else frozenset()
    failures += _open_slot_failures(slots, open_slots, calls, left, invented=invented)
    failures += _surplus(golden, calls, left, invented, slots=slots)
    strict = {pair.call for pair in pairs if pair.strict}
    failures += schema_violations(calls, strict, tools)
    failures += _limits(golden, calls, trajectory)
    return failures


def _forbidden_calls(golden: Golden, calls: Sequence[ToolCall]) -> Iterator[Failure]:
    for pattern in golden.forbidden_calls:
        is_forbidden = forbids(pattern)
        for at, call in enumerate(calls):
            if is_forbidden(call):
                yield Failure("forbidden_call", call.name, actual=call.arguments, call=at)


def forbidden_among(
    golden: Golden, slots: Sequence[Slot], others: Sequence[tuple[int, ToolCall]]
) -> Iterator[Failure]:
    """Forbidden calls among those that do not count: a failed call may still have had its effect.

    `others` are such calls, each with its position in the trajectory.
    """
    for failure in _forbidden_calls(golden, [call for _, call in others]):
        yield replace(failure, call=others[failure.call or 0][0])
    for at, call in others:
        arguments = call.arguments or {}
        fitting = [slot for slot in slots if slot.fits(call.name)]
        for name in dict.fromkeys(chain.from_iterable(slot.call.forbidden_args for slot in fitting)):
            if name in arguments:
                yield Failure("forbidden_arg", call.name, name, actual=arguments[name], call=at)


def argument_failures(slot: Slot, call: ToolCall, at: int) -> list[Failure]:
    """What is wrong with the arguments of a call of the right tool."""
    tool = call.name
    arguments = call.arguments
    expected_call = slot.call
    failures: list[Failure] = []
    if slot.by is not None and is_made_by(call, slot.by) is False:
        asked_for = agent_text(expected_call.by)
        made_by = "/".join(path_of(call))
        failures.append(
            Failure("wrong_agent", tool, "", asked_for, actual=made_by, call=at, expected_call=slot.index)
        )
    if arguments is None:
        if call.raw is None:
            return failures
        return [
            *failures,
            Failure("bad_json", tool, "", None, actual=call.raw, call=at, expected_call=slot.index),
        ]
    failures += [
        Failure("forbidden_arg", tool, name, None, actual=arguments[name], call=at, expected_call=slot.index)
        for name in expected_call.forbidden_args
        if name in arguments
    ]
    if expected_call.args is None:
        return failures
    for name, expected in expected_call.args.items():
        if slot.parameter_score(name, call, at) == 1.0:
            continue
        matcher = slot.matchers.get(name)
        detail = "" if matcher is None else matcher.describe()
        if name in arguments:
            if isinstance(matcher, Ref):
                detail = matcher.describe_beside(arguments[name], at)
            code: Code = "hallucinated_ref" if isinstance(matcher, Ref) else "wrong_value"
            if matcher is None or isinstance(matcher, Exact):
                plain = expected if matcher is None else matcher.expected
                code = "wrong_value" if kind_of(plain) is kind_of(arguments[name]) else "wrong_type"
            failures.append(
                Failure(
                    code,
                    tool,
                    name,
                    expected,
                    actual=arguments[name],
                    detail=detail,
                    call=at,
                    expected_call=slot.index,
                )
            )
        else:
            failures.append(
                Failure("missing_arg", tool, name, expected, detail=detail, call=at, expected_call=slot.index)
            )
    stated = {*expected_call.args, *expected_call.forbidden_args}
    for name, value in arguments.items():
        if name not in stated and slot.is_extra(name, call):
            failures.append(
                Failure("extra_arg", tool, name, None, actual=value, call=at, expected_call=slot.index)
            )
    return failures


def kind_of(value: Any) -> Any:
    """The type of a JSON value; numbers are one."""
    kind = type(value)
    return float if kind in NUMBERS else kind


def _out_of_order(slot: Slot, at: int, slots: Sequence[Slot]) -> Failure:
    """A call that came at the wrong time, with the ordering constraint it violates: its own, or one that leads to it."""
    tool_of = {other.call.id: pattern_text(other.call.tool) for other in slots if other.call.id}
    followers = [pattern_text(other.call.tool) for other in slots if slot.call.id in other.call.after]
    if slot.call.after:
        when = f"after {', '.join(tool_of[name] for name in slot.call.after)}"
    elif followers:
        when = f"before {', '.join(dict.fromkeys(followers))}"
    else:
        when = "in the order given"
    tool = pattern_text(slot.call.tool)
    return Failure("order_violation", tool, expected=when, call=at, expected_call=slot.index)


def _unknown_tool_places(golden: Golden, calls: Sequence[ToolCall], tools: Mapping[str, Tool]) -> Set[int]:
    """Places of calls whose tools do not exist. Of agents used as tools, the tools are not known."""
    if not tools:
        return {at for at, call in enumerate(calls) if not call.name}
    places = {at for at, call in enumerate(calls) if call.name not in tools}
    if not places or not names_agents(golden):
        return places
    return {at for at in places if not is_label(calls[at].name) and not depth_of(calls[at])}


def _open_slot_failures(
    slots: Sequence[Slot],
    open_slots: list[int],
    calls: Sequence[ToolCall],
    left: list[int],
    invented: Set[int],
) -> Iterator[Failure]:
    """Expected calls without a partner: first against leftover calls of the same tool, then against any other.

    Takes the calls it explains out of `left`.
    """
    if not open_slots:
        return
    others: list[int] = []
    for number in open_slots:
        slot = slots[number]
        at = next((at for at in left if slot.fits(calls[at].name)), None)
        if at is None:
            others.append(number)
        else:
            left.remove(at)
            yield from argument_failures(slot, calls[at], at)
    has_slot = {name: any(slot.fits(name) for slot in slots) for name in {calls[at].name for at in left}}
    foreign = [at for at in left if not has_slot[calls[at].name]] if others else []
    stands_for = _stand_ins(slots, others, calls, foreign)
    for number in others:
        slot = slots[number]
        tool = pattern_text(slot.call.tool)
        at = stands_for.get(number)
        if at is None:
            code: Code = "missing_call" if calls else "no_call"
            yield Failure(code, tool, expected=slot.call.args, expected_call=slot.index)
        else:
            left.remove(at)
            other_tool = calls[at].name
            code = "wrong_tool" if at not in invented else "unknown_tool" if other_tool else "unnamed_call"
            yield Failure(code, tool, expected=tool, actual=other_tool, call=at, expected_call=slot.index)


MOST_COMPARED = 400
"""Pairs of an expected call and one of another tool whose arguments are compared; of more, each takes the first left."""


def _stand_ins(
    slots: Sequence[Slot], open_slots: Sequence[int], calls: Sequence[ToolCall], foreign: Sequence[int]
) -> dict[int, int]:
    """For expected calls the calls of other tools that stand for them: those with most of their arguments first."""
    stand_ins: dict[int, int] = {}
    for of_agents in (False, True):  # a hand-off takes the place of another one, not of a tool
        numbers = [number for number in open_slots if is_target(slots[number].call.tool) == of_agents]
        places = [at for at in foreign if is_label(calls[at].name) == of_agents]
        if len(numbers) * len(places) > MOST_COMPARED:
            stand_ins |= zip(numbers, places, strict=False)
            continue
        pairs = [(-_shared_arguments(slots[n], calls[at]), n, at) for n in numbers for at in places]
        for _, number, at in sorted(pairs):
            if number not in stand_ins and at not in stand_ins.values():
                stand_ins[number] = at
    return stand_ins


def _shared_arguments(slot: Slot, call: ToolCall) -> int:
    """Arguments of a call that are those of an expected call of another tool: a name counts, an equal value twice more."""
    given = call.arguments or {}
    expected = slot.call.args or {}
    return sum(3 if given[name] == _literal(spec) else 1 for name, spec in expected.items() if name in given)


def _literal(spec: object) -> object:
    """The value that an argument must have exactly, however the golden writes it."""
    return spec["exact"] if isinstance(spec, dict) and spec.keys() == {"exact"} else spec


def _surplus(
    golden: Golden, calls: Sequence[ToolCall], left: Sequence[int], invented: Set[int], slots: Sequence[Slot]
) -> Iterator[Failure]:
    lenient = not golden.no_calls and (
        golden.extra_calls == "allow" or (golden.category == "negative" and bool(golden.forbidden_calls))
    )
    twins = Twins(calls)
    guarded = [slot for slot in slots if slot.call.forbidden_args]
    for at in left:
        call = calls[at]
        arguments = call.arguments or {}
        for slot in guarded:
            for name in slot.call.forbidden_args:
                if name in arguments and slot.fits(call.name):
                    yield Failure("forbidden_arg", call.name, name, actual=arguments[name], call=at)
        if at in invented and call.name:
            yield Failure("unknown_tool", call.name, actual=call.name, call=at)
        elif at in invented:
            yield Failure("unnamed_call", actual=call.arguments, call=at)
        elif call.raw is not None and call.arguments is None:
            yield Failure("bad_json", call.name, actual=call.raw, call=at)
        elif not lenient:
            code = twins.codes[at]
            allowed = None  # the arguments with which the tool may optionally be called
            if code == "unexpected_call":
                optional = (slot for slot in slots if not slot.required and slot.fits(call.name))
                allowed = next((slot.call.args for slot in optional), None)
            yield Failure(code, call.name, expected=allowed, actual=call.arguments, call=at)


def extra_calls(calls: Sequence[ToolCall], pairs: Sequence[CallPair]) -> Iterator[Failure]:
    """Calls that were not expected, whether allowed or not."""
    strict = {pair.call for pair in pairs if pair.strict}
    twins = Twins(calls)
    for at, call in enumerate(calls):
        if at not in strict:
            yield Failure(twins.codes[at], call.name, actual=call.arguments, call=at)


class Twins:
    """Calls that repeat each other, found in one pass: comparing each with all takes a minute for 4,000."""

    def __init__(self, calls: Sequence[ToolCall]) -> None:
        self._calls = calls

    @cached_property
    def codes(self) -> list[Code]:
        """The code of each call: a repeated one is a retry when an attempt failed, otherwise a duplicate."""
        keys: list[Any] = [  # a call with unknown arguments repeats nothing
            at if call.arguments is None else (call.name, equality_key(call.arguments))
            for at, call in enumerate(self._calls)
        ]
        failed = {key for key, call in zip(keys, self._calls, strict=True) if call.status == "error"}
        times = Counter(keys)
        return [
            "unexpected_call" if times[key] < 2 else "retry" if key in failed else "duplicate_call"
            for key in keys
        ]


def schema_violations(calls: Sequence[ToolCall], right: Set[int], tools: Mapping[str, Tool]) -> list[Failure]:
    """Arguments that violate the tool's schema, in calls that are wrong anyway."""
    if not tools:
        return []
    violations: list[Failure] = []
    for at, call in enumerate(calls):
        if len(violations) >= MOST_VIOLATIONS:
            break
        if at in right or call.arguments is None or call.name not in tools:
            continue
        tool = tools[call.name]
        if not is_valid(tool, call.arguments):
            violations += [
                Failure("schema_violation", call.name, problem.path, detail=problem.message, call=at)
                for problem in problems(tool, call.arguments)
            ]
    return violations


def _limits(golden: Golden, calls: Sequence[ToolCall], trajectory: Trajectory) -> Iterator[Failure]:
    if golden.max_calls is not None and len(calls) > golden.max_calls:
        yield Failure("over_calling", expected=golden.max_calls, actual=len(calls))
    certain = trajectory.least_latency_ms
    if golden.max_latency_ms is not None and certain is not None and certain > golden.max_latency_ms:
        yield Failure("over_latency", expected=golden.max_latency_ms, actual=trajectory.latency_ms)
    code = STOPS.get(trajectory.stop_reason)
    if code is None and trajectory.error and trajectory.stop_reason == "done":
        code = "agent_error"  # whoever recorded it left out the stop reason
    if code:
        yield Failure(code, actual=trajectory.cause or None, detail=trajectory.error)
    if trajectory.stop_reason == "truncated" and not trajectory.calls and not trajectory.all_said.strip():
        yield Failure("loop_limit", detail=trajectory.error or CUT_OFF)


def failures_of_waiting_calls(golden: Golden, trajectory: Trajectory) -> Iterator[Failure]:
    """Calls that wait for an approval nobody gave. One that the golden expects to be asked about is as it should be."""
    if trajectory.stop_reason != "waiting_for_approval":
        return
    if not places_of_waiting_calls(trajectory) and not golden.confirm:
        yield Failure("waiting_for_approval", detail=trajectory.error)
    for at in requests_without_answer(golden, trajectory):
        call = trajectory.calls[at]
        yield Failure("waiting_for_approval", call.name, actual=call.arguments, detail=ANSWER_IT, call=at)
