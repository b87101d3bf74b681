"""The last element of a list dropped; surely wrong when the request says every element."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.model.trajectory import Trajectory
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.scene import Scene


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    for argument in scene.arguments(good):
        value = argument.value
        if not isinstance(value, list) or len(value) < 2:
            continue
        yield scene.change_argument(good, argument, value[:-1], sure=argument.stands and not argument.is_open)
