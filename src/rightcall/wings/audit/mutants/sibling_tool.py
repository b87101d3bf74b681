"""The tool replaced by the one that is most easily confused with it; shared arguments are kept."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from rightcall.metrics.matching.expectation import fits
from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.edits import with_call
from rightcall.wings.audit.mutant import Change, Harm
from rightcall.wings.audit.scene import Scene


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    accepted = [fits(call.tool) for call in scene.expectations()]
    used = {call.name for behaviour in scene.good for call in behaviour.calls}
    for at, call in enumerate(good.calls):
        for name in scene.toolset.neighbours(call.name):
            arguments = scene.toolset.fill(name, call.arguments or {}, f"{scene.seed}:{name}")
            if arguments is None or name in used:
                continue
            counts = bool(accepted) or scene.effectful(name)  # without expected calls only the outcome does
            sure = counts and not any(accepts(name) for accepts in accepted)
            notes = {word: note for word, note in call.notes.items() if word not in ("handoff", "delegate")}
            sibling = msgspec.structs.replace(call, name=name, arguments=arguments, raw=None, notes=notes)
            effect = scene.toolset.effect(name)
            harm: Harm = "extra_effect" if effect.is_destructive else "wrong_tool"
            yield Change(with_call(good, at, sibling), sure, harm, at, before=call.name, after=name)
            break
