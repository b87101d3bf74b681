"""One offered tool more; surely wrong when it changes the world."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.model.call import ToolCall
from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.edits import next_step, with_calls
from rightcall.wings.audit.mutant import Change, Harm
from rightcall.wings.audit.scene import Scene

MOST_TOOLS = 12


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    used = {call.name for behaviour in scene.good for call in behaviour.calls}
    arguments_given = {name: value for call in good.calls for name, value in (call.arguments or {}).items()}
    others = sorted(name for name in scene.toolset.tools if name not in used)
    ranked = sorted(others, key=lambda name: not scene.effectful(name))
    for name in ranked[:MOST_TOOLS]:
        arguments = scene.toolset.fill(name, arguments_given, f"{scene.seed}:{name}")
        if arguments is None:
            continue
        extra = ToolCall(name, arguments, id="extra", step=next_step(good), status="ok")
        effectful = scene.effectful(name)
        harm: Harm = "extra_effect" if effectful else "waste"
        yield Change(
            with_calls(good, [*good.calls, extra]), effectful, harm, len(good.calls), after=extra.name
        )
