"""The next value of the enum."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.model.trajectory import Trajectory
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.scene import Scene


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    for argument in scene.arguments(good):
        choices = argument.schema.get("enum")
        if not isinstance(choices, list) or argument.value not in choices or len(choices) < 2:
            continue
        other = choices[(choices.index(argument.value) + 1) % len(choices)]
        yield scene.change_argument(good, argument, other, sure=not argument.is_open)
