"""The path that a golden expects: its calls as ordered steps, such as looked up → confirmed → acted.

What must come first is stated by `after`, by a `ref` to an earlier result, by `order: strict` and by the turns of a
conversation. Calls that may come in any order are one step, except that calls of different tools are taken as listed
where nothing states an order and the agent works step by step: that is how people write them down. Such a step is taken
whenever its calls are made. A tool in `confirm` has a step before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rightcall.core.errors import InputError
from rightcall.metrics.conversation import expectations_by_exchange
from rightcall.metrics.matching.expectation import pattern_text, predecessors
from rightcall.model.expected_call import ExpectedCall
from rightcall.model.golden import AnyGolden, Golden

LEAST_STEPS = 2


class PathStep(NamedTuple):
    """Calls that may come in any order; or, with `asks`, the question before them. `places` are those of the calls."""

    tools: tuple[str, ...]
    places: tuple[int, ...] = ()
    asks: bool = False

    @property
    def label(self) -> str:
        """What is done in this step."""
        tools = " + ".join(self.tools)
        return f"ask before {tools}" if self.asks else tools


def expected_paths(golden: AnyGolden, *, listed: bool = True) -> set[tuple[PathStep, ...]]:
    """The paths of a golden with at least two steps, several where its alternatives differ in their steps.

    With `listed`, calls without any stated order are taken as listed.
    """
    if isinstance(golden, Golden):
        if len(golden.expected_calls) < LEAST_STEPS and not golden.any_of and not golden.confirm:
            return set()  # most goldens of most datasets
        first = (golden.expected_calls,) if golden.expected_calls else ()
        paths = {_path(golden, [(0, calls)], listed=listed) for calls in (*first, *golden.any_of)}
    else:
        paths = {_path(golden, _turns(golden), listed=listed)}
    return paths if any(len(path) >= LEAST_STEPS for path in paths) else set()


def _turns(golden: Any) -> list[tuple[int, Sequence[ExpectedCall]]]:
    """The expected calls that belong together in order, with the place of the first among all of the golden."""
    history = sum(turn.role == "user" for turn in golden.given)
    turns: list[tuple[int, Sequence[ExpectedCall]]] = []
    place = len(golden.expected_calls)
    for exchange, calls in sorted(expectations_by_exchange(golden).items()):
        if not history or exchange > history:  # what came before the agent's first turn is not scored
            turns.append((place, calls))
        place += len(calls)
    return turns if any(calls for _, calls in turns) else [(0, golden.expected_calls)]


def _path(
    golden: AnyGolden, units: Sequence[tuple[int, Sequence[ExpectedCall]]], *, listed: bool
) -> tuple[PathStep, ...]:
    steps: list[PathStep] = []
    for start, calls in units:
        for level in _levels(calls, strict=golden.order == "strict", listed=listed):
            required = [place for place in level if calls[place].required and calls[place].min]
            tools = [_label(calls[place]) for place in required]
            steps += [PathStep((tool,), asks=True) for tool in dict.fromkeys(tools) if tool in golden.confirm]
            if required:
                in_order = sorted(zip(tools, required, strict=True))
                steps.append(
                    PathStep(
                        tuple(tool for tool, _ in in_order), tuple(start + place for _, place in in_order)
                    )
                )
    return tuple(steps)


def _label(call: ExpectedCall) -> str:
    return pattern_text(call.tool) + (f" ×{call.min}" if call.min > 1 else "")


def _levels(calls: Sequence[ExpectedCall], *, strict: bool, listed: bool) -> Iterator[list[int]]:
    """Places of calls by how many others must come before them, one after the other."""
    different = len({pattern_text(call.tool) for call in calls}) == len(calls)
    if strict:
        yield from ([place] for place in range(len(calls)))
        return
    ids = {call.id: place for place, call in enumerate(calls) if call.id}
    try:
        before = predecessors(calls)
    except InputError:  # scoring refuses it
        return
    before = [
        earlier | {ids[name] for name in _references(call.args) if name in ids}
        for call, earlier in zip(calls, before, strict=True)
    ]
    depth: dict[int, int] = {}
    for _ in calls:  # at most as many rounds as calls: references in a circle end here too
        for place, earlier in enumerate(before):
            depth[place] = max((depth.get(other, 0) + 1 for other in earlier if other != place), default=0)
    if listed and different and not any(depth.values()):
        depth = {place: place for place in depth}
    for level in sorted(set(depth.values())):
        yield [place for place, of in depth.items() if of == level]


def _references(spec: Any) -> Iterator[str]:
    """The ids of expected calls whose results a matcher reads."""
    if isinstance(spec, dict):
        source = spec.get("ref")
        if isinstance(source, dict) and isinstance(source.get("call"), str):
            yield source["call"]
        for value in spec.values():
            yield from _references(value)
    elif isinstance(spec, list | tuple):
        for item in spec:
            yield from _references(item)
