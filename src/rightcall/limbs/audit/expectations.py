"""Expectations as proposals edit them: where an expected call stands, and values pinned to no more than is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from rightcall.core.dates import day_of
from rightcall.core.words import words
from rightcall.limbs.audit.mutants.arguments import later_date
from rightcall.limbs.audit.scene import Argument
from rightcall.metrics.matching.expectation import fits
from rightcall.records.call import ToolCall
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import AnyGolden, G
from rightcall.run.rehearsal.values import is_identifier


class CallPlace(NamedTuple):
    """An expected call of the golden itself, or of one of its turns."""

    position: int
    turn: int | None = None

    @property
    def path(self) -> str:
        """As a file writes it."""
        inside = "" if self.turn is None else f"turns[{self.turn}]."
        return f"{inside}expected_calls[{self.position}]"

    def read(self, golden: AnyGolden) -> ExpectedCall:
        calls = golden.expected_calls
        if self.turn is not None:
            calls = golden.turns[self.turn].expected_calls or ()
        return calls[self.position]

    def replace(self, golden: G, **fields: Any) -> G:
        """The golden with other fields in this expected call."""
        call = msgspec.structs.replace(self.read(golden), **fields)
        if self.turn is None:
            return msgspec.structs.replace(
                golden, expected_calls=_with(golden.expected_calls, self.position, call)
            )
        turn = golden.turns[self.turn]
        turn = msgspec.structs.replace(
            turn, expected_calls=_with(turn.expected_calls or (), self.position, call)
        )
        return msgspec.structs.replace(golden, turns=_with(golden.turns, self.turn, turn))


def places(golden: AnyGolden) -> list[CallPlace]:
    """Every expected call of a golden that has no alternatives."""
    own = [CallPlace(position) for position in range(len(golden.expected_calls))]
    return own + [
        CallPlace(position, number)
        for number, turn in enumerate(golden.turns)
        for position in range(len(turn.expected_calls or ()))
    ]


def align_calls(golden: AnyGolden, calls: Sequence[ToolCall]) -> dict[int, CallPlace]:
    """For each call of right behaviour the expected call that it answers, in the order of both."""
    free = places(golden)
    pairs: dict[int, CallPlace] = {}
    for at, call in enumerate(calls):
        place = next((place for place in free if fits(place.read(golden).tool)(call.name)), None)
        if place is not None:
            pairs[at] = place
            free.remove(place)
    return pairs


def _with(items: Sequence[Any], at: int, item: Any) -> tuple[Any, ...]:
    return (*items[:at], item, *items[at + 1 :])


class NotPinned(Exception):  # noqa: N818  an answer: the text says why
    """No expectation can be stated."""


def pin(arguments: Sequence[Argument]) -> Any:
    """What to expect of a parameter whose right values these are; raises `NotPinned` when their wording is free."""
    if not arguments:
        raise NotPinned("no right call passes it")
    if any(argument.is_open for argument in arguments):
        raise NotPinned("no right value is known: run the suite once, or write what is expected")
    if not all(map(is_grounded, arguments)):
        raise NotPinned("not pinned: the wording is free")
    matchers: list[Any] = []
    for argument in arguments:
        matcher = _matcher(argument, argument.value)
        if matcher not in matchers:
            matchers.append(matcher)
    return matchers[0] if len(matchers) == 1 else {"any_of": matchers}


def is_grounded(argument: Argument) -> bool:
    """Whether a value was to be expected: a choice of the schema, or something that the request or a result says."""
    if isinstance(argument.value, bool) or "enum" in argument.schema:
        return True
    return argument.stands or is_identifier(argument.name, argument.schema, argument.value)


def _matcher(argument: Argument, value: Any) -> Any:
    exact = "enum" in argument.schema or is_identifier(argument.name, argument.schema, value)
    if isinstance(value, list):
        return {"multiset": [_matcher(argument, item) for item in value]}
    if exact or not isinstance(value, str):
        return {"exact": value} if isinstance(value, dict) else value
    if day_of(value) is not None:
        return {"date": value} if later_date(value) is not None else value
    told = list(dict.fromkeys(word for word in words(value) if len(word) > 2))
    if not told:
        return {"text": value}
    return {"icontains": told[0]} if len(told) == 1 else {"any_of": [{"icontains": word} for word in told]}
