"""Two calls that follow each other exchanged; surely wrong when the golden says which comes first."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from rightcall.metrics.matching.expectation import fits, predecessors
from rightcall.model.golden import Golden
from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.edits import with_calls
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.scene import Scene

BEYOND_CALLS = True


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    for at in range(len(good.calls) - 1):
        first, second = good.calls[at], good.calls[at + 1]
        if first.name == second.name and first.arguments == second.arguments:
            continue
        early = msgspec.structs.replace(second, step=first.step)
        late = msgspec.structs.replace(first, step=second.step)
        calls = [*good.calls[:at], early, late, *good.calls[at + 2 :]]
        sure = first.step != second.step and must_follow(scene, first.name, second.name)
        yield Change(with_calls(good, calls), sure, "order", at, before=[first.name, second.name],
                     after=[second.name, first.name])  # fmt: skip


def must_follow(scene: Scene, first: str, second: str) -> bool:
    """Whether the golden says that a call of the second tool comes after one of the first."""
    golden = scene.golden
    if isinstance(golden, Golden) and golden.any_of:
        return False
    expected = golden.expected_calls
    if first == second:
        return False
    if golden.order == "strict":
        return all(any(fits(call.tool)(name) for call in expected) for name in (first, second))
    before = predecessors(expected)
    earlier = {at for at, call in enumerate(expected) if fits(call.tool)(first)}
    later = [at for at, call in enumerate(expected) if fits(call.tool)(second)]
    return bool(later) and all(earlier & before[at] for at in later)
