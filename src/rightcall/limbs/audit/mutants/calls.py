"""Operators that change which calls are made, how often and in what order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import msgspec

from rightcall.limbs.audit.scene import Change, Harm, Scene
from rightcall.metrics.matching.expectation import fits, predecessors
from rightcall.records.call import ToolCall
from rightcall.records.message import Message
from rightcall.records.trajectory import Trajectory
from rightcall.run.rehearsal.stage import next_step, with_call, with_calls, without_call


def do_nothing(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """No call and no answer, where a call is expected."""
    if good.calls and any(call.required and call.min for call in scene.expectations()):
        idle = msgspec.structs.replace(with_calls(good, ()), output="")
        yield Change(idle, "missed", before=len(good.calls), after=0)


def drop_call(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """One call left out that all known good behaviour makes, and that no rule makes optional.

    Where a golden states no calls, only the outcome counts: a look-up, or a call that failed, need not have been made.
    """

    lenient = getattr(scene.golden, "count_failed", "all") != "all"
    optional = [fits(call.tool) for call in scene.expectations() if not call.required or not call.min]
    for at, call in enumerate(good.calls):
        if len(good.calls) == 1 and not good.output:
            continue  # that is doing nothing
        always = all(any(other.name == call.name for other in behaviour.calls) for behaviour in scene.good)
        counts = bool(scene.expectations()) or (scene.effectful(call.name) and call.status != "error")
        if counts and always and not lenient and not any(accepts(call.name) for accepts in optional):
            yield Change(without_call(good, at), "missed", at, before=call.name)


MOST_TOOLS = 12


def extra_call(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """One offered tool more that changes the world."""
    used = {call.name for call in chain.from_iterable(behaviour.calls for behaviour in scene.good)}
    arguments_given = dict(chain.from_iterable((call.arguments or {}).items() for call in good.calls))
    others = sorted(name for name in scene.toolset.tools if name not in used and scene.effectful(name))
    for name in others[:MOST_TOOLS]:
        arguments = scene.toolset.fill(name, arguments_given, f"{scene.seed}:{name}")
        if arguments is None:
            continue
        extra = ToolCall(name, arguments, id="extra", step=next_step(good), status="ok")
        longer = with_calls(good, [*good.calls, extra])
        yield Change(longer, "extra_effect", len(good.calls), after=extra.name)


def repeat_call(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """One call made twice, of which the second has a second effect."""
    for at, call in enumerate(good.calls):
        if call.status == "error" or not scene.toolset.repeats_effect(call.name):
            continue
        again = msgspec.structs.replace(call, id=f"{call.id}-again" if call.id else "", step=next_step(good))
        yield Change(with_calls(good, [*good.calls, again]), "double_effect", at, before=1, after=2)


def sibling_tool(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """The tool replaced by the one that is most easily confused with it; shared arguments are kept."""
    accepted = [fits(call.tool) for call in scene.expectations()]
    used = {call.name for call in chain.from_iterable(behaviour.calls for behaviour in scene.good)}
    for at, call in enumerate(good.calls):
        for name in scene.toolset.neighbours(call.name):
            arguments = scene.toolset.fill(name, call.arguments or {}, f"{scene.seed}:{name}")
            if arguments is None or name in used:
                continue
            counts = bool(accepted) or scene.effectful(name)  # without expected calls only the outcome does
            if not counts or any(accepts(name) for accepts in accepted):
                break
            notes = {word: note for word, note in call.notes.items() if word not in ("handoff", "delegate")}
            sibling = msgspec.structs.replace(call, name=name, arguments=arguments, raw=None, notes=notes)
            effect = scene.toolset.effect(name)
            harm: Harm = "extra_effect" if effect.is_destructive else "wrong_tool"
            yield Change(with_call(good, at, sibling), harm, at, before=call.name, after=name)
            break


def wrong_order(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """Two calls that follow each other exchanged, when the golden says which comes first."""
    for at in range(len(good.calls) - 1):
        first = good.calls[at]
        second = good.calls[at + 1]
        if first.step == second.step or not must_follow(scene, first.name, second.name):
            continue
        early = msgspec.structs.replace(second, step=first.step)
        late = msgspec.structs.replace(first, step=second.step)
        calls = [*good.calls[:at], early, late, *good.calls[at + 2 :]]
        names = [first.name, second.name]
        yield Change(with_calls(good, calls), "order", at, before=names, after=names[::-1])


def must_follow(scene: Scene, first: str, second: str) -> bool:
    """Whether the golden says that a call of the second tool comes after one of the first."""
    golden = scene.golden
    if golden.any_of:
        return False
    expected = golden.expected_calls
    if first == second:
        return False
    if golden.order == "strict":
        return all(any(fits(call.tool)(name) for call in expected) for name in (first, second))
    before = predecessors(expected)
    earlier = {at for at, call in enumerate(expected) if fits(call.tool)(first)}
    later = [at for at, call in enumerate(expected) if fits(call.tool)(second)]
    return bool(later) and all(earlier & before[at] for at in later)


def skip_confirmation(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """A call that needs consent made without asking."""
    if not scene.golden.confirm:
        return
    for at, call in enumerate(good.calls):
        if call.name in scene.golden.confirm and call.approval is not None and call.approval.granted:
            hasty = with_call(good, at, msgspec.structs.replace(call, approval=None, status="ok"))
            seen = msgspec.structs.replace(hasty, approvals_seen=True)
            yield Change(seen, "wrong_effect", at, before="asked", after="not asked")


def extra_turn(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """A conversation with one more turn that repeats the last effect."""
    if good.dialogue is None or not good.messages:
        return
    at = next((at for at in reversed(range(len(good.calls))) if scene.effectful(good.calls[at].name)), None)
    if at is None or not scene.toolset.repeats_effect(good.calls[at].name):
        return
    step = sum(message.role == "assistant" for message in good.messages)
    again = msgspec.structs.replace(good.calls[at], step=step)
    longer = msgspec.structs.replace(
        good, messages=(*good.messages, Message("user", "Thank you."), Message("assistant", good.output))
    )
    yield Change(with_calls(longer, [*good.calls, again]), "double_effect", at, before=1, after=2)


OPERATORS = (
    do_nothing, drop_call, extra_call, repeat_call, sibling_tool, wrong_order, skip_confirmation, extra_turn,
)  # fmt: skip
