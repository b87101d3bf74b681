"""The values of two parameters exchanged; surely wrong when their names form a directed pair."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from rightcall.core.words import name_tokens
from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.edits import with_arguments
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.scene import Scene

DIRECTED = (
    ("from", "to"), ("start", "end"), ("source", "target"), ("source", "destination"), ("origin", "destination"),
    ("min", "max"), ("minimum", "maximum"), ("sender", "receiver"), ("sender", "recipient"), ("old", "new"),
    ("departure", "arrival"), ("lat", "lon"), ("lat", "lng"), ("lat", "long"), ("latitude", "longitude"),
    ("before", "after"), ("first", "last"), ("begin", "end"), ("lower", "upper"), ("src", "dst"), ("src", "dest"),
    ("buyer", "seller"), ("parent", "child"), ("numerator", "denominator"), ("base", "exponent"),
)  # fmt: skip


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    for at, call in enumerate(good.calls):
        arguments = call.arguments or {}
        if call.status == "error":
            continue
        for (first, first_value), (second, second_value) in combinations(arguments.items(), 2):
            if (
                type(first_value) is not type(second_value)
                or first_value == second_value
                or isinstance(first_value, bool | dict | list)
            ):
                continue
            if first_value == second_value or "enum" in scene.toolset.parameter(call.name, first):
                continue
            harm = scene.value_harm(call.name)
            changed = with_arguments(good, at, {**arguments, first: second_value, second: first_value})
            is_open = any(scene.is_open(call.name, name) for name in (first, second))
            sure = is_directed(first, second) and not is_open
            yield Change(
                changed,
                sure,
                harm,
                at,
                f"{first}, {second}",
                [first_value, second_value],
                [second_value, first_value],
            )


def is_directed(first: str, second: str) -> bool:
    """Whether two names differ only in the two ends of a direction: `from_account`, `to_account`."""
    tokens, others = name_tokens(first), name_tokens(second)
    own = [token for token in tokens if token not in others]
    own_of_other = [token for token in others if token not in tokens]
    if len(own) != 1 or len(own_of_other) != 1:
        return False
    pair = (own[0], own_of_other[0])
    return pair in DIRECTED or pair[::-1] in DIRECTED
