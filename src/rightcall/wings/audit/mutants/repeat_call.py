"""One call made twice; surely wrong when the second has a second effect."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.edits import next_step, with_calls
from rightcall.wings.audit.mutant import Change, Harm
from rightcall.wings.audit.scene import Scene


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    for at, call in enumerate(good.calls):
        if call.status == "error":
            continue
        again = msgspec.structs.replace(call, id=f"{call.id}-again" if call.id else "", step=next_step(good))
        repeats = scene.toolset.repeats_effect(call.name)
        harm: Harm = "double_effect" if repeats else "waste"
        yield Change(with_calls(good, [*good.calls, again]), repeats, harm, at, before=1, after=2)
