"""Where an expected call stands in a golden, and the golden with another one there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from rightcall.metrics.matching.expectation import fits
from rightcall.model.call import ToolCall
from rightcall.model.expected_call import ExpectedCall
from rightcall.model.golden import AnyGolden, ConversationalGolden, G, Golden


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
        if self.turn is not None and isinstance(golden, ConversationalGolden):
            calls = golden.turns[self.turn].expected_calls or ()
        return calls[self.position]

    def replace(self, golden: G, **fields: Any) -> G:
        """The golden with other fields in this expected call."""
        call = msgspec.structs.replace(self.read(golden), **fields)
        if self.turn is None or not isinstance(golden, ConversationalGolden):
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
    if isinstance(golden, Golden):
        return own
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
