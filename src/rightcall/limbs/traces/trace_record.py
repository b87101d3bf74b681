"""A trace as the store keeps it, and back."""

from __future__ import annotations

import datetime

from rightcall.core.codec import to_plain
from rightcall.core.text import utc_text
from rightcall.limbs.traces.golden_candidate import signature
from rightcall.limbs.traces.trace import Trace
from rightcall.store.watch import KeptTrace, TraceCheck, TraceRow

ORIGIN = ("source", "root_span", "response_id", "time", "agent_version", "earlier_turns")
"""Fields of a trace that its record has as they are."""


def trace_to_keep(
    trace: Trace, agent: str, checks: tuple[TraceCheck, ...], *, queue: bool = False
) -> KeptTrace:
    """A trace as the store keeps it; one with a bad check, or each with `queue`, waits for review."""
    trajectory = trace.trajectory
    failed = any(check.bad for check in checks)
    row = TraceRow(
        trace.trace_id,
        agent,
        trace.version,
        trace.session,
        time_text(trace.time),
        trace.input,
        len(trajectory.calls),
        trajectory.latency_ms,
        trajectory.usage.tokens,
        failed,
        "queued" if (failed or queue) and trace.input else "",
        1,
        checks,
    )
    origin = {name: getattr(trace, name) for name in (*ORIGIN, "incomplete", "spans")}
    origin |= {"agent_name": trace.agent, "problems": list(trace.problems), "scores": to_plain(trace.scores)}
    return KeptTrace(
        row,
        trajectory,
        trace.tools,
        trace.system,
        trace.model,
        {k: v for k, v in origin.items() if v},
        signature(trace),
    )


def trace_of(kept: KeptTrace) -> Trace:
    """The trace from its record, as far as a golden needs it."""
    origin = kept.origin
    return Trace(
        kept.row.trace_id,
        kept.trajectory,
        kept.tools,
        _full_input(kept),
        kept.system,
        kept.row.session,
        origin.get("agent_name", kept.row.agent),
        kept.row.agent,
        kept.model,
        **{name: origin[name] for name in ORIGIN if name in origin},
    )


def _full_input(kept: KeptTrace) -> str:
    """The full input: the list has only its beginning."""
    asked = [m.content for m in kept.trajectory.messages if m.role == "user" and m.content]
    return next((text for text in reversed(asked) if text.startswith(kept.row.input)), kept.row.input)


def time_text(nanoseconds: int) -> str:
    moment = datetime.datetime.fromtimestamp(nanoseconds / 1e9, datetime.UTC)
    return utc_text(moment, "microseconds")
