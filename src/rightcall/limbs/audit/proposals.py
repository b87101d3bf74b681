"""The smallest change of a golden that catches a survivor and lets all known good behaviour pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from rightcall.improve.doubt import GoldenEdit
from rightcall.limbs.audit.expectations import CallPlace, NotPinned, align_calls, pin
from rightcall.limbs.audit.result import GoldenProposal, Survivor
from rightcall.limbs.audit.scene import Argument, Mutant, Scene
from rightcall.metrics.matching.expectation import unsound
from rightcall.records.call import ToolCall
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import AnyGolden
from rightcall.records.trajectory import Trajectory
from rightcall.run.rehearsal.known_good import KnownBehaviour
from rightcall.run.rehearsal.trial import Trial
from rightcall.run.rehearsal.values import results_before, stands_in

MOST_LISTED = 5
TOO_MANY = 1 / 3
"""A change that fails more than this share of the behaviour that passed is not proposed."""


Pinned = tuple[CallPlace, str, Any]
"""What is expected of a parameter of an expected call."""


class EditedGolden(NamedTuple):
    """A golden with an edit, and the edit. One of several `pins` may say more than is needed."""

    golden: AnyGolden
    edits: tuple[GoldenEdit, ...]
    pins: tuple[Pinned, ...] = ()


class Proposer:
    """Tightens one golden, survivor by survivor, the most harmful first."""

    def __init__(self, trial: Trial, scene: Scene, behaviours: Sequence[KnownBehaviour]) -> None:
        self._trial = trial
        self._scene = scene
        self._behaviours = behaviours
        self._agents = len({behaviour.agent for behaviour in behaviours if behaviour.agent})

    async def propose(
        self, survivors: Sequence[tuple[Survivor, list[Mutant]]]
    ) -> tuple[list[Survivor], AnyGolden | None]:
        """The survivors with what would catch each, and the golden with all of it."""
        golden: AnyGolden = self._scene.golden
        edits: list[GoldenEdit] = []
        answered: list[Survivor] = []
        for survivor, mutants in survivors:
            candidate, why = await self._first_that_catches(golden, mutants, edits)
            if candidate is None:
                answered.append(msgspec.structs.replace(survivor, none_because=why))
                continue
            new_edits = candidate.edits
            if candidate.golden is not golden:
                edits += [edit for edit in candidate.edits if edit not in edits]
                golden = candidate.golden
            failing = await self._agents_failing(golden)
            proposal = GoldenProposal(
                new_edits, tuple(mutant.id for mutant in mutants), self._agents, tuple(failing[:MOST_LISTED])
            )
            answered.append(msgspec.structs.replace(survivor, proposal=proposal))
        return answered, golden if edits else None

    async def _first_that_catches(
        self, golden: AnyGolden, mutants: Sequence[Mutant], edits: Sequence[GoldenEdit]
    ) -> tuple[EditedGolden | None, str]:
        if edits and await self._catches(golden, mutants):  # an earlier edit does it already
            return EditedGolden(golden, tuple(edits)), ""
        why = "no change of the golden is known that catches it"
        if golden.any_of:
            return None, "the golden has alternatives: tighten them by hand"
        try:
            for candidate in self._candidates(golden, mutants[0]):
                if any(unsound(candidate.golden)):
                    continue
                if not await self._catches(candidate.golden, mutants):
                    continue
                if not await self._keeps_good(candidate.golden):
                    why = "every change that catches it fails right behaviour"
                    continue
                if len(await self._agents_failing(candidate.golden)) > TOO_MANY * len(self._behaviours):
                    why = "a change that catches it fails more than a third of what passed"
                    continue
                return await self._smallest(golden, candidate, mutants), ""
        except NotPinned as problem:
            why = str(problem)
        return None, why

    async def _smallest(
        self, golden: AnyGolden, candidate: EditedGolden, mutants: Sequence[Mutant]
    ) -> EditedGolden:
        """The candidate without the pins that catch nothing."""
        if len(candidate.pins) < 2:
            return candidate
        for dropped in candidate.pins:
            fewer = _pin_arguments(golden, [kept for kept in candidate.pins if kept is not dropped])
            if await self._catches(fewer.golden, mutants):
                candidate = fewer
        return candidate

    async def _catches(self, golden: AnyGolden, mutants: Sequence[Mutant]) -> bool:
        for mutant in mutants:
            judgement, _ = await self._trial.judge(golden, mutant.trajectory)
            if judgement != "failed":
                return False
        return True

    async def _keeps_good(self, golden: AnyGolden) -> bool:
        for good in self._scene.good:
            judgement, _ = await self._trial.judge_computed(golden, good)
            if judgement != "passed":
                return False
        return True

    async def _agents_failing(self, golden: AnyGolden) -> list[str]:
        failing: list[str] = []
        for behaviour in self._behaviours:
            judgement, _ = await self._trial.judge_computed(golden, behaviour.trajectory)
            if judgement == "failed":
                failing.append(behaviour.agent)
        return failing

    def _candidates(self, golden: AnyGolden, mutant: Mutant) -> Iterator[EditedGolden]:
        """Edits that may catch a mutant, the cheapest first."""
        match mutant.operator:
            case "repeat_call" | "extra_turn" | "extra_call" | "sibling_tool":
                yield from self._fewer_calls(golden, mutant)
                if mutant.operator == "sibling_tool":
                    yield from self._another_expected(golden, mutant)
            case "drop_call" | "do_nothing" | "skip_lookup":
                yield from self._another_expected(golden, mutant)
            case "wrong_order":
                yield from self._order_edits(golden, mutant)
            case "no_content" | "wrong_content":
                yield from self._content(golden)
            case _ if mutant.parameter and mutant.call is not None:
                yield from self._pin_edits(golden, mutant)

    def _fewer_calls(self, golden: AnyGolden, mutant: Mutant) -> Iterator[EditedGolden]:
        if golden.extra_calls != "forbid":
            yield _edit(golden, extra_calls="forbid")
        if mutant.operator in ("extra_call", "sibling_tool") and mutant.tool not in golden.forbidden_calls:
            yield _edit(golden, forbidden_calls=(*golden.forbidden_calls, mutant.tool))
        most = max(len(good.calls) for good in self._scene.good)
        if not most and not golden.no_calls:
            yield _edit(golden, no_calls=True)
        if golden.max_calls is None or golden.max_calls > most:
            yield _edit(golden, max_calls=most)

    def _another_expected(self, golden: AnyGolden, mutant: Mutant) -> Iterator[EditedGolden]:
        good = self._scene.good[mutant.origin]
        pairs = align_calls(golden, good.calls)
        for at, call in enumerate(good.calls):
            if at in pairs or call.status == "error":
                continue
            if mutant.operator != "do_nothing" and call.name not in (mutant.tool, mutant.before):
                continue
            if not all(any(other.name == call.name for other in g.calls) for g in self._scene.good):
                continue
            args = {}
            for name in call.arguments or {}:
                try:
                    args[name] = pin(self._values(mutant.origin, at, name))
                except NotPinned:
                    continue
            expected = ExpectedCall(call.name, args or None, extra_args="ignore" if args else "forbid")
            yield _edit(golden, expected_calls=(*golden.expected_calls, expected))
        for at, place in pairs.items():  # it is expected, but optional
            if good.calls[at].name == mutant.tool and not place.read(golden).required:
                yield _edit_call(golden, place, required=True)

    def _order_edits(self, golden: AnyGolden, mutant: Mutant) -> Iterator[EditedGolden]:
        pairs = align_calls(golden, self._scene.good[mutant.origin].calls)
        if mutant.call is None or mutant.call not in pairs or mutant.call + 1 not in pairs:
            return
        first = pairs[mutant.call]
        second = pairs[mutant.call + 1]
        if first.turn != second.turn:
            return
        name = first.read(golden).id or f"{mutant.before[0]}_{first.position}"
        named = _edit_call(golden, first, id=name)
        after = _edit_call(named.golden, second, after=(*second.read(golden).after, name))
        yield EditedGolden(after.golden, (*named.edits, *after.edits))

    def _content(self, golden: AnyGolden) -> Iterator[EditedGolden]:
        told = _facts_of_answers(self._scene.good)
        missing = tuple(text for text in told if text not in golden.output_contains)
        if missing:
            yield _edit(golden, output_contains=(*golden.output_contains, *missing))

    def _pin_edits(self, golden: AnyGolden, mutant: Mutant) -> Iterator[EditedGolden]:
        """The parameter pinned; then that of all calls of the tool, then all that is known of them.

        Two calls of one tool can change places in an alignment, so that one of them alone may not say enough.
        """
        assert mutant.call is not None
        calls = self._scene.good[mutant.origin].calls
        pairs = align_calls(golden, calls)
        if mutant.call not in pairs:
            raise NotPinned("the call is not expected, so nothing can be said of its arguments")
        names = mutant.parameter.split(", ")
        pins, problem = self._pins(mutant.origin, {mutant.call: names})
        for at, name, form in pins:
            yield _pin_arguments(golden, [(pairs[at], name, form)])
        same_tool = [at for at in pairs if calls[at].name == mutant.tool]
        if pins and len(same_tool) > 1:
            for chosen in (
                dict.fromkeys(same_tool, names),
                {at: list(calls[at].arguments or {}) for at in same_tool},
            ):
                pins, _ = self._pins(mutant.origin, chosen)
                yield _pin_arguments(golden, [(pairs[at], name, form) for at, name, form in pins])
        if problem is not None:
            raise problem

    def _pins(
        self, origin: int, chosen: Mapping[int, Sequence[str]]
    ) -> tuple[list[tuple[int, str, Any]], NotPinned | None]:
        """What can be stated of parameters of calls: first also left out where that is allowed, then not."""
        pins: list[tuple[int, str, Any]] = []
        problem: NotPinned | None = None
        for at, names in chosen.items():
            tool = self._scene.good[origin].calls[at].name
            for name in names:
                try:
                    matcher = pin(self._values(origin, at, name))
                except NotPinned as error:
                    problem = error
                    continue
                always = self._scene.toolset.requires(tool, name) or _always(self._scene, tool, name)
                if not always:
                    pins.append((at, name, {"optional": matcher}))
                pins.append((at, name, matcher))
        return pins, problem

    def _values(self, origin: int, at: int, name: str) -> list[Argument]:
        """The values of a parameter in the call at this place and in its counterparts of other right behaviour."""
        first = self._scene.good[origin]
        others = [good for place, good in enumerate(self._scene.good) if place != origin]
        arguments = [argument for argument in self._scene.arguments(first) if argument.at == at]
        for good in others:
            counterpart = _counterpart(first, at, good)
            arguments += [argument for argument in self._scene.arguments(good) if argument.at == counterpart]
        return [argument for argument in arguments if argument.name == name]


def _counterpart(first: Trajectory, at: int, other: Trajectory) -> int | None:
    """The call of other behaviour that answers the same expectation: of the same tool, with the most equal values.

    Calls of the first behaviour choose in their order, so that two of them never have the same counterpart.
    """
    free = list(range(len(other.calls)))
    for place, call in enumerate(first.calls[: at + 1]):
        alike = [(_equal_values(call, other.calls[k]), -k) for k in free if other.calls[k].name == call.name]
        chosen = -max(alike)[1] if alike else None
        if place == at:
            return chosen
        if chosen is not None:
            free.remove(chosen)
    return None


def _equal_values(call: ToolCall, other: ToolCall) -> int:
    arguments = other.arguments or {}
    return sum(value == arguments.get(name) for name, value in (call.arguments or {}).items())


def _always(scene: Scene, tool: str, name: str) -> bool:
    """Whether all right calls of a tool by more than one agent pass a parameter."""
    calls = [call for call in chain.from_iterable(good.calls for good in scene.good) if call.name == tool]
    return len(scene.good) > 1 and all(name in (call.arguments or {}) for call in calls)


def _facts_of_answers(good: Sequence[Trajectory]) -> list[str]:
    """Numbers and names that every right answer tells and that come from results."""
    told: list[str] | None = None
    for trajectory in good:
        results = results_before(trajectory.calls, len(trajectory.calls))
        words = [word.strip(".,;:!?()[]\"'") for word in trajectory.output.split()]
        telling = [w for w in dict.fromkeys(words) if any(c.isdigit() for c in w) and stands_in(w, results)]
        told = telling if told is None else [word for word in told if word in telling]
    return (told or [])[:5]


def _pin_arguments(golden: AnyGolden, pins: Sequence[Pinned]) -> EditedGolden:
    """The golden with expectations of parameters; other arguments of a call without any stay open."""
    edits: list[GoldenEdit] = []
    for place, name, form in pins:
        expected = place.read(golden)
        fields: dict[str, Any] = {} if expected.args is not None else {"extra_args": "ignore"}
        old = (expected.args or {}).get(name, VACUOUS)
        args = {**(expected.args or {}), name: tighten(old, form)}
        golden, more, _ = _edit_call(golden, place, args=args, **fields)
        edits = [edit for edit in edits if edit.path not in {new.path for new in more}] + list(more)
    return EditedGolden(golden, tuple(edits), tuple(pins))


VACUOUS = {"any": True}
"""An expectation that everything meets."""


def tighten(old: Any, new: Any) -> Any:
    """Both expectations: a proposal never lets through what was refused before."""
    if old == VACUOUS:
        return new
    if isinstance(old, dict) and old.keys() == {"optional"}:
        optional = isinstance(new, dict) and new.keys() == {"optional"}
        both = tighten(old["optional"], new["optional"] if optional else new)
        return {"optional": both} if optional else both
    required = new["optional"] if isinstance(new, dict) and new.keys() == {"optional"} else new
    return required if old == {"present": True} else {"all": [old, required]}


def _edit(golden: AnyGolden, **fields: Any) -> EditedGolden:
    edits = tuple(GoldenEdit(name, getattr(golden, name), value) for name, value in fields.items())
    return EditedGolden(msgspec.structs.replace(golden, **fields), edits)


def _edit_call(golden: AnyGolden, place: CallPlace, **fields: Any) -> EditedGolden:
    call = place.read(golden)
    edits: list[GoldenEdit] = []
    for name, value in fields.items():
        before = getattr(call, name)
        if name == "args":
            edits += [
                GoldenEdit(f"{place.path}.args.{key}", (before or {}).get(key), inner)
                for key, inner in value.items()
                if (before or {}).get(key) != inner
            ]
        elif value != before:
            edits.append(GoldenEdit(f"{place.path}.{name}", before, value))
    return EditedGolden(place.replace(golden, **fields), tuple(edits))
