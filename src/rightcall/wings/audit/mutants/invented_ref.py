"""A value of an earlier result replaced by a made-up one of the same shape."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.model.trajectory import Trajectory
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.mutants.other_id import next_digit
from rightcall.wings.audit.mutants.stale_ref import arguments_from_results
from rightcall.wings.audit.scene import Scene


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    for argument, _ in arguments_from_results(scene, good):
        value = argument.value
        if isinstance(value, str) and not any(letter.isdigit() for letter in value):
            continue
        other = next_digit(value) if isinstance(value, str) else value + 1
        yield scene.change_argument(good, argument, other, sure=True, is_object=True)
