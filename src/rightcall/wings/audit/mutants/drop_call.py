"""One call left out; surely wrong when all known good behaviour makes it and no rule makes it optional.

Where a golden states no calls, only the outcome counts: a look-up, or a call that failed, need not have been made.
"""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.metrics.matching.expectation import fits
from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.edits import without_call
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.scene import Scene


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    lenient = getattr(scene.golden, "count_failed", "all") != "all"
    optional = [fits(call.tool) for call in scene.expectations() if not call.required or not call.min]
    for at, call in enumerate(good.calls):
        if len(good.calls) == 1 and not good.output:
            continue  # that is doing nothing
        always = all(any(other.name == call.name for other in behaviour.calls) for behaviour in scene.good)
        counts = bool(scene.expectations()) or (scene.effectful(call.name) and call.status != "error")
        sure = counts and always and not lenient and not any(accepts(call.name) for accepts in optional)
        yield Change(without_call(good, at), sure, "missed", at, before=call.name)
