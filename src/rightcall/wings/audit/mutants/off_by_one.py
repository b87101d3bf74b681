"""A number one higher; surely wrong when the request or a result says the number.

Of a number that the golden leaves open both pass, and one of them at most is right.
"""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.grounds import is_identifier
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.scene import Scene


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    for argument in scene.arguments(good):
        value = argument.value
        if isinstance(value, bool) or not isinstance(value, int | float) or "enum" in argument.schema:
            continue
        if is_identifier(argument.name, argument.schema, value) or abs(value) >= 1e15:
            continue
        yield scene.change_argument(good, argument, value + 1, sure=argument.stands)
