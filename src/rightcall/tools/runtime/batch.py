"""Batch calls: each item runs once, and repeating the call runs only the missing items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rightcall.tools.runtime.call_outcome import Finished
from rightcall.tools.runtime.errors import Effect, ErrorReply
from rightcall.tools.runtime.invocation import ActiveCall, Next
from rightcall.tools.runtime.json_values import fingerprint
from rightcall.tools.runtime.outcome import known_failure


@dataclass(frozen=True)
class Batches:
    """Runs the items of a batch one after the other, each under its own key; other calls pass.

    The result is `{"items": [result, …]}`. When some fail, the reply says which; finished items stay
    finished. `arm` decides which faults strike, once for the whole batch.
    """

    arm: Callable[[ActiveCall], Any] | None = None

    async def __call__(self, call: ActiveCall, next: Next) -> Finished:
        if not call.key or not call.entry.behaviour.batch:
            return await next(call)
        items = _items(call, self.arm(call) if self.arm is not None else None)
        ended: list[Finished] = [await next(item) for item in items]
        for item in items:
            call.faults += [fault for fault in item.faults if fault not in call.faults]
        missing = [index for index, finished in enumerate(ended) if finished.error is not None]
        if not missing:
            replayed = bool(ended) and all(finished.replayed for finished in ended)
            return Finished("ok", {"items": [finished.output for finished in ended]}, replayed=replayed)
        return known_failure(_partly_done(call, ended, missing))


def _items(call: ActiveCall, injection: Any) -> list[ActiveCall]:
    parameter = call.entry.behaviour.batch
    values = call.arguments.get(parameter)
    values = values if isinstance(values, list) else []
    items = []
    for index, value in enumerate(values):
        item = call.copy()
        item.arguments = {**call.arguments, parameter: [value]}
        item.fingerprint = fingerprint(
            call.tool_name, {"batch": call.fingerprint, "number": index, "item": value}
        )
        item.key, item.item = f"{call.key}#{index}", (index, len(values))
        item.faults, item.injection = [], injection
        items.append(item)
    return items


def _partly_done(call: ActiveCall, ended: list[Finished], missing: list[int]) -> ErrorReply:
    parameter, name = call.entry.behaviour.batch, call.call.name
    unknown = [index for index in missing if ended[index].outcome == "unknown"]
    first = ended[(unknown or missing)[0]].error
    assert first is not None
    effect: Effect = "unknown" if unknown else "done" if len(missing) < len(ended) else "none"
    listed = ", ".join(str(index) for index in missing[:20])
    hint = (
        f"{first.hint} (item {unknown[0]})"
        if unknown
        else f"call {name} with the same arguments and the same key: only the missing items will be run"
    )
    return ErrorReply(
        first.error,
        f"{len(ended) - len(missing)} of {len(ended)} items of '{parameter}' are done; missing: {listed}; "
        f"{first.detail}",
        hint,
        effect,
        "no" if unknown else "same_key",
    )
