"""From a trace to a golden for a person to review."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any

import msgspec

from rightcall.model.codec import to_plain
from rightcall.model.golden import ExpectedCall, Golden
from rightcall.traces.calls import NO_NAME, canonical
from rightcall.traces.trace import UNREVIEWED, Trace


def candidate(trace: Trace) -> Golden:
    """The user's input with exactly the observed calls as expected calls. `metadata.review` is `unreviewed`.

    A call whose arguments were not recorded, or could not be read, is expected by its name only.
    """
    calls = [call for call in trace.trajectory.calls if call.name != NO_NAME]
    expected = tuple(ExpectedCall(call.name, _exactly(call.arguments)) for call in calls)
    return Golden(
        trace.input,
        id=f"t-{trace.trace_id[:16]}",
        tools=tuple(to_plain(tool) for tool in trace.tools) or None,
        system=trace.system or None,
        expected_calls=expected,
        no_calls=not expected,
        metadata={"trace": _origin(trace), "review": UNREVIEWED},
    )


def _exactly(arguments: dict[str, Any] | None) -> dict[str, Any] | None:
    """Matchers for exactly these values: a bare object could be read as a matcher."""
    if arguments is None:
        return None
    return {name: {"exact": value} if isinstance(value, dict) else value for name, value in arguments.items()}


def _origin(trace: Trace) -> dict[str, Any]:
    moment = datetime.datetime.fromtimestamp(trace.time / 1e9, datetime.UTC)
    origin = {
        "source": trace.source,
        "trace_id": trace.trace_id,
        "root_span": trace.root_span,
        "time": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "model": trace.model,
        "prompt_hash": trace.prompt_hash,
        "tools_hash": trace.tools_hash,
        "agent_version": trace.agent_version,
        "earlier_turns": trace.earlier_turns,
    }
    return {name: value for name, value in origin.items() if value not in ("", 0)}


def signature(trace: Trace) -> str:
    """Equal for traces with the same input and calls: reviewing one is enough."""
    words = " ".join(trace.input.casefold().split())
    return "\n".join((words, *(canonical(call) for call in trace.trajectory.calls)))


def distinct_candidates(traces: Iterable[Trace]) -> list[Golden]:
    """A golden for each different behaviour, with its count in `metadata.seen`. Requires an input."""
    first: dict[str, Golden] = {}
    seen: dict[str, int] = {}
    for trace in traces:
        if not trace.input:
            continue
        key = signature(trace)
        seen[key] = seen.get(key, 0) + 1
        first.setdefault(key, candidate(trace))
    return [_counted(golden, seen[key]) for key, golden in first.items()]


def _counted(golden: Golden, count: int) -> Golden:
    return msgspec.structs.replace(golden, metadata=golden.metadata | {"seen": count})
