"""A number one higher; surely wrong when the request or a result says the number."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.model.golden import Golden
from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.grounds import is_identifier, numbers_in
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.scene import Argument, Scene


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    for argument in scene.arguments(good):
        value = argument.value
        if isinstance(value, bool) or not isinstance(value, int | float) or "enum" in argument.schema:
            continue
        if is_identifier(argument.name, argument.schema, value) or abs(value) >= 1e15:
            continue
        yield scene.change_argument(
            good, argument, value + 1, sure=argument.stands or _is_asked_for(scene, argument)
        )


def _is_asked_for(scene: Scene, argument: Argument) -> bool:
    """Whether the request has a number that an open parameter may be: both values pass, one at most is right."""
    golden = scene.golden
    return argument.is_open and bool(numbers_in(golden.input if isinstance(golden, Golden) else scene.words))
