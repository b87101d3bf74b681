"""An optional argument left out; surely wrong when the request says its value and the default is another."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.metrics.value_sources import bare_text
from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.edits import without_argument
from rightcall.run.rehearsal.grounds import stands_in
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.scene import Scene


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    for argument in scene.arguments(good):
        if argument.required or not argument.schema:
            continue
        has_default, default = scene.toolset.default(argument.tool, argument.name)
        differs = has_default and bare_text(str(default)) != bare_text(str(argument.value))
        if has_default and not differs:
            continue  # the same call
        sure = differs and stands_in(argument.value, scene.words)
        changed = without_argument(good, argument.at, argument.name)
        yield Change(
            changed, sure, scene.value_harm(argument.tool), argument.at, argument.name, argument.value
        )
