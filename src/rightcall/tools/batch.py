"""A call over many items, each done once: repeating it does only those that are missing."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable
from typing import Any

from rightcall.tools.canonical import fingerprint
from rightcall.tools.errors import Effect, ErrorReply
from rightcall.tools.execute import told
from rightcall.tools.invocation import Finished
from rightcall.tools.prepare import Prepared


async def each_item(
    prepared: Prepared, injection: Any, once: Callable[[Prepared], Awaitable[Finished]]
) -> Finished:
    """Run the items of a batch one after the other, each under its own key.

    The result is `{"items": [result, …]}`. When some fail, the reply says which, and what is done stays done.
    """
    items = _items(prepared, injection)
    ended = [await once(item) for item in items]
    for item in items:
        prepared.faults += [fault for fault in item.faults if fault not in prepared.faults]
    missing = [index for index, finished in enumerate(ended) if finished.error is not None]
    if not missing:
        replayed = bool(ended) and all(finished.replayed for finished in ended)
        return Finished("ok", {"items": [finished.output for finished in ended]}, replayed=replayed)
    return told(_partly_done(prepared, ended, missing))


def _items(prepared: Prepared, injection: Any) -> list[Prepared]:
    parameter, name = prepared.entry.behaviour.batch, prepared.entry.tool.name
    values = prepared.arguments.get(parameter)
    values = values if isinstance(values, list) else []
    made = []
    for index, value in enumerate(values):
        meaning = fingerprint(name, {"batch": prepared.fingerprint, "number": index, "item": value})
        made.append(
            dataclasses.replace(
                prepared,
                arguments={**prepared.arguments, parameter: [value]},
                fingerprint=meaning,
                key=f"{prepared.key}#{index}",
                faults=[],
                item=(index, len(values)),
                injection=injection,
            )
        )
    return made


def _partly_done(prepared: Prepared, ended: list[Finished], missing: list[int]) -> ErrorReply:
    parameter, name = prepared.entry.behaviour.batch, prepared.call.name
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
