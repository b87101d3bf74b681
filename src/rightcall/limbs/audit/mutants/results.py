"""Operators that change what is taken from results, said in the answer or left in the world."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

import msgspec

from rightcall.limbs.audit.mutants.arguments import next_digit
from rightcall.limbs.audit.scene import Argument, Change, Scene
from rightcall.metrics.matching.expectation import fits
from rightcall.records.golden import Golden
from rightcall.records.trajectory import Trajectory
from rightcall.run.rehearsal.stage import without_call
from rightcall.run.rehearsal.values import numbers_in, results_before, scalars_in, stands_in


def stale_ref(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """A value of an earlier result replaced by that of another element of the same result."""
    for argument, other in arguments_from_results(scene, good):
        if other is None:
            continue
        yield scene.change_argument(good, argument, other, is_object=True)


def arguments_from_results(
    scene: Scene, good: Trajectory
) -> Iterator[tuple[Argument, str | int | float | None]]:
    """Arguments that only an earlier result says, with the value of another element of it, if there is one."""
    for argument in scene.arguments(good):
        value = argument.value
        if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
            continue
        if stands_in(value, scene.words):
            continue
        for call in good.calls[: argument.at]:
            scalars = list(scalars_in(call.output))
            place = next((path for path, scalar in scalars if scalar == value), None)
            if place is None:
                continue
            alike = [scalar for path, scalar in scalars if scalar != value and _same_shape(path, place)]
            yield argument, (alike[0] if alike else None)
            break


def _same_shape(path: tuple[str | int, ...], other: tuple[str | int, ...]) -> bool:
    """Whether two paths differ only in their positions in lists."""
    return [None if isinstance(step, int) else step for step in path] == [
        None if isinstance(step, int) else step for step in other
    ]


def invented_ref(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """A value of an earlier result replaced by a made-up one of the same shape."""
    for argument, _ in arguments_from_results(scene, good):
        value = argument.value
        if isinstance(value, str) and not any(letter.isdigit() for letter in value):
            continue
        other = next_digit(value) if isinstance(value, str) else value + 1
        yield scene.change_argument(good, argument, other, is_object=True)


def skip_lookup(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """The call left out whose result a later call uses, the value kept, when the golden names it."""
    named = _source_tools(scene)
    sources = {
        at
        for argument, _ in arguments_from_results(scene, good)
        for at, call in enumerate(good.calls[: argument.at])
        if any(scalar == argument.value for _, scalar in scalars_in(call.output))
    }
    for at in sorted(sources):
        call = good.calls[at]
        if any(accepts(call.name) for accepts in named):
            yield Change(without_call(good, at), "order", at, before=call.name)


def _source_tools(scene: Scene) -> list[Any]:
    """The tools of expected calls that a `ref` or an `after` names."""
    expected = scene.expectations()
    names = set(chain.from_iterable(call.after for call in expected))
    for call in expected:
        for spec in (call.args or {}).values():
            inner = spec.get("ref") if isinstance(spec, dict) else None
            if inner is not None:
                names.add(str(inner.get("call") if isinstance(inner, dict) else inner))
    return [fits(call.tool) for call in expected if call.id and call.id in names]


def no_content(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """The answer replaced by "Done.", when the golden says what the answer must contain."""
    stated = isinstance(scene.golden, Golden) and scene.golden.expected_output is not None
    asks_for_content = bool(scene.golden.output_contains) or (scene.needs_content and stated)
    if asks_for_content and good.output and good.output != "Done.":
        yield Change(_answer(good, "Done."), "answer", before=good.output, after="Done.")


def _answer(good: Trajectory, text: str) -> Trajectory:
    """Every answer of the agent: what a conversation must contain may have been said in any of them."""
    messages = [
        msgspec.structs.replace(message, content=text)
        if message.role == "assistant" and message.content and place >= good.own_start
        else message
        for place, message in enumerate(good.messages)
    ]
    return msgspec.structs.replace(good, output=text, messages=tuple(messages))


_DIGITS = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w]|\.\d)")


def wrong_content(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """A number in the answer changed that came from a result."""
    results = numbers_in(results_before(good.calls, len(good.calls))) - numbers_in(scene.words)
    for number in _DIGITS.finditer(good.output[:20_000]):
        value = float(number[0])
        if value not in results:
            continue
        other = str(int(number[0]) + 1) if number[0].isdigit() else f"{value + 1:g}"
        text = good.output[: number.start()] + other + good.output[number.end() :]
        changed = msgspec.structs.replace(good, output=text)
        yield Change(changed, "answer", before=number[0], after=other)


def world_not_reached(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """The calls are made, but the world is as it was: their effects never happened."""
    if good.state is None or good.state_before is None or good.state == good.state_before:
        return
    ledger = tuple(entry for entry in good.ledger if entry.phase != "effect")
    changed = msgspec.structs.replace(good, state=good.state_before, ledger=ledger)
    yield Change(changed, "wrong_effect", before="changed", after="unchanged")


OPERATORS = (
    stale_ref, invented_ref, skip_lookup, no_content, wrong_content, world_not_reached,
)  # fmt: skip
