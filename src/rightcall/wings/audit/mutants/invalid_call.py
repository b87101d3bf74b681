"""A required argument left out, or a value of a type that the schema refuses; a runtime would refuse such calls."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.edits import with_argument, without_argument
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.scene import Scene


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    for argument in scene.arguments(good):
        if argument.required:
            changed = without_argument(good, argument.at, argument.name)
            yield Change(changed, True, "wrong_value", argument.at, argument.name, argument.value)
        wrong = "not a number" if isinstance(argument.value, int | float) else {"unexpected": True}
        changed = with_argument(good, argument.at, argument.name, wrong)
        if argument.schema and not scene.toolset.accepts(argument.tool, changed.calls[argument.at].arguments):
            yield Change(changed, True, "wrong_value", argument.at, argument.name, argument.value, wrong)
