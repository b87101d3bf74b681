"""A value of an earlier result replaced by that of another element of the same result."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.grounds import scalars_in, stands_in
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.scene import Argument, Scene


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    for argument, other in arguments_from_results(scene, good):
        if other is None:
            continue
        yield scene.change_argument(good, argument, other, sure=True, is_object=True)


def arguments_from_results(
    scene: Scene, good: Trajectory
) -> Iterator[tuple[Argument, str | int | float | None]]:
    """Arguments that only an earlier result says, with the value of another element of it, if there is one."""
    for argument in scene.arguments(good):
        value = argument.value
        if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
            continue
        if stands_in(value, scene.words):
            continue
        for call in good.calls[: argument.at]:
            scalars = list(scalars_in(call.output))
            place = next((path for path, scalar in scalars if scalar == value), None)
            if place is None:
                continue
            alike = [scalar for path, scalar in scalars if scalar != value and _same_shape(path, place)]
            yield argument, (alike[0] if alike else None)
            break


def _same_shape(path: tuple[str | int, ...], other: tuple[str | int, ...]) -> bool:
    """Whether two paths differ only in their positions in lists."""
    return [None if isinstance(step, int) else step for step in path] == [
        None if isinstance(step, int) else step for step in other
    ]
