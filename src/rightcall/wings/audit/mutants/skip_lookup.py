"""The call left out whose result a later call uses, the value kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rightcall.metrics.matching.expectation import fits
from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.edits import without_call
from rightcall.run.rehearsal.grounds import scalars_in
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.mutants.stale_ref import arguments_from_results
from rightcall.wings.audit.scene import Scene


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    named = _source_tools(scene)
    sources = {
        at
        for argument, _ in arguments_from_results(scene, good)
        for at, call in enumerate(good.calls[: argument.at])
        if any(scalar == argument.value for _, scalar in scalars_in(call.output))
    }
    for at in sorted(sources):
        call = good.calls[at]
        sure = any(accepts(call.name) for accepts in named)
        yield Change(without_call(good, at), sure, "order", at, before=call.name)


def _source_tools(scene: Scene) -> list[Any]:
    """The tools of expected calls that a `ref` or an `after` names."""
    expected = scene.expectations()
    names = {name for call in expected for name in call.after}
    for call in expected:
        for spec in (call.args or {}).values():
            inner = spec.get("ref") if isinstance(spec, dict) else None
            if inner is not None:
                names.add(str(inner.get("call") if isinstance(inner, dict) else inner))
    return [fits(call.tool) for call in expected if call.id and call.id in names]
