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
        started_at=time_text(trace.time),
        input=trace.input,
        calls=len(trajectory.calls),
        latency_ms=trajectory.latency_ms,
        tokens=trajectory.usage.tokens,
        failed=failed,
        review="queued" if (failed or queue) and trace.input else "",
        seen=1,
        checks=checks,
    )
    origin = {name: getattr(trace, name) for name in (*ORIGIN, "incomplete", "spans")}
    origin |= {"agent_name": trace.agent, "problems": list(trace.problems), "scores": to_plain(trace.scores)}
    return KeptTrace(
        row,
        trajectory,
        trace.tools,
        trace.system,
        model=trace.model,
        origin={k: v for k, v in origin.items() if v},
        signature=signature(trace),
    )


def trace_of(kept: KeptTrace) -> Trace:
    """The trace from its record, as far as a golden needs it."""
    origin = kept.origin
    return Trace(
        kept.row.trace_id,
        kept.trajectory,
        kept.tools,
        _full_input(kept),
        system=kept.system,
        session=kept.row.session,
        agent=origin.get("agent_name", kept.row.agent),
        service=kept.row.agent,
        model=kept.model,
        **{name: origin[name] for name in ORIGIN if name in origin},
    )


def _full_input(kept: KeptTrace) -> str:
    """The full input: the list has only its beginning."""
    asked = [m.content for m in kept.trajectory.messages if m.role == "user" and m.content]
    return next((text for text in reversed(asked) if text.startswith(kept.row.input)), kept.row.input)


def time_text(nanoseconds: int) -> str:
    moment = datetime.datetime.fromtimestamp(nanoseconds / 1e9, datetime.UTC)
    return utc_text(moment, "microseconds")
