"""A boolean inverted; surely wrong when the parameter is required."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.model.trajectory import Trajectory
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.scene import Scene


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    for argument in scene.arguments(good):
        value = argument.value
        if not isinstance(value, bool):
            continue
        yield scene.change_argument(
            good, argument, not value, sure=argument.required and not argument.is_open
        )
