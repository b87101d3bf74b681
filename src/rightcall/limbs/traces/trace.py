"""A trace: what an agent did, reconstructed from spans; as the store keeps it; and the golden that it could become."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec

from rightcall.core.codec import to_plain
from rightcall.core.digest import hex_digest
from rightcall.core.errors import InputError
from rightcall.core.text import utc_text
from rightcall.datasets.goldens import load_goldens, save_goldens
from rightcall.datasets.review import UNREVIEWED
from rightcall.limbs.traces.calls import NO_NAME, canonical
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import AnyGolden, Golden
from rightcall.records.record import Record
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory
from rightcall.store.base import KeptTrace, TraceCheck, TraceRow

PADDING = "0" * 16
_RANDOM = re.compile("[0-9a-f]{32}")
ORIGIN = ("source", "trace_id", "root_span", "time", "model", "prompt_hash", "tools_hash", "agent_version",
          "earlier_turns")  # fmt: skip
"""What a golden says about the trace that it was made from."""


class Trace(Record, frozen=True):
    """One trace: its trajectory, the tools that were offered, and where it came from.

    `time` is the start in nanoseconds since 1970. `input` is the user's input in this trace; `earlier_turns`
    counts the user's turns before it. `golden_id` and `trial` are set when the spans name their golden.
    `incomplete` means that its root has not ended. `problems` lists what was wrong with the spans and what to change.
    """

    trace_id: str
    trajectory: Trajectory
    tools: tuple[Tool, ...] = ()
    input: str = ""
    system: str = ""
    session: str = ""
    agent: str = ""
    service: str = ""
    model: str = ""
    agent_version: str = ""
    root_span: str = ""
    time: int = 0
    source: str = ""
    spans: int = 0
    earlier_turns: int = 0
    golden_id: str = ""
    trial: int | None = None
    incomplete: bool = False
    resource: dict[str, Any] = {}
    problems: tuple[str, ...] = ()

    @property
    def prompt_hash(self) -> str:
        """A 12-digit hash of the system prompt; empty when it was not recorded."""
        return _digest(self.system) if self.system else ""

    @property
    def tools_hash(self) -> str:
        """A 12-digit hash of the tool definitions; empty when they were not recorded."""
        tools = sorted(self.tools, key=attrgetter("name"))
        return _digest(msgspec.json.encode(tools, order="deterministic").decode()) if tools else ""

    @property
    def version(self) -> str:
        """What must be equal for two traces to be compared: model, system prompt, tools, the agent's version."""
        return _digest("\0".join((self.model, self.prompt_hash, self.tools_hash, self.agent_version)))[:8]

    def golden(self) -> Golden:
        """A golden to review: the same input, expecting the observed calls. Observed behaviour may be wrong.

        A call whose arguments were not recorded, or could not be read, is expected by its name only.
        """
        calls = [call for call in self.trajectory.calls if call.name != NO_NAME]
        expected = tuple(ExpectedCall(call.name, _exactly(call.arguments)) for call in calls)
        time = utc_text(datetime.datetime.fromtimestamp(self.time / 1e9, datetime.UTC))
        origin = {name: getattr(self, name) for name in ORIGIN} | {"time": time}
        return Golden(
            self.input,
            id=candidate_id(self),
            tools=tuple(to_plain(tool) for tool in self.tools) or None,
            system=self.system or None,
            expected_calls=expected,
            no_calls=not expected,
            metadata={"trace": {k: v for k, v in origin.items() if v not in ("", 0)}, "review": UNREVIEWED},
        )


def _digest(text: str) -> str:
    return hex_digest(text.encode("utf-8", "replace"), 12)


def candidate_id(trace: Trace) -> str:
    """The id of the golden made from a trace; other traces have others, if half of 128 random bits differ."""
    return f"t-{shown_trace_id(trace.trace_id).removeprefix(PADDING)}"


def shown_trace_id(trace_id: str) -> str:
    """The beginning of an id that finds its trace: half of a random one of 128 bits, any other as it is.

    Ids of 64 bits are padded with zeros, and exports have their own, such as `support-2026-11-15-1`.
    """
    random = _RANDOM.fullmatch(trace_id) and not trace_id.startswith(PADDING)
    return trace_id[:16] if random else trace_id


def _exactly(arguments: dict[str, Any] | None) -> dict[str, Any] | None:
    """Matchers for exactly these values: a bare object could be read as a matcher."""
    if arguments is None:
        return None
    return {name: {"exact": value} if isinstance(value, dict) else value for name, value in arguments.items()}


def signature(trace: Trace) -> str:
    """Equal for traces with the same input and calls: reviewing one is enough."""
    words = " ".join(trace.input.casefold().split())
    return "\n".join((words, *(canonical(call) for call in trace.trajectory.calls)))


def add_goldens(path: Path, goldens: Sequence[Golden]) -> int:
    """Add goldens to a file; existing ids are replaced. Returns the new number of goldens."""
    old_goldens: list[AnyGolden] = list(load_goldens(path)) if path.exists() else []
    fresh = {golden.id: golden for golden in goldens}
    kept: list[AnyGolden] = [fresh.pop(golden.id, golden) for golden in old_goldens]
    kept += fresh.values()
    if any(not isinstance(golden, Golden) for golden in kept):
        raise InputError(str(path), "contains conversations", "add single-turn goldens to a separate file")
    save_goldens(kept, path)
    return len(kept)


RECORDED = ("source", "root_span", "time", "agent_version", "earlier_turns")
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
    origin = {name: getattr(trace, name) for name in (*RECORDED, "incomplete", "spans")}
    origin |= {"agent_name": trace.agent, "problems": list(trace.problems)}
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
        **{name: origin[name] for name in RECORDED if name in origin},
    )


def _full_input(kept: KeptTrace) -> str:
    """The full input: the list has only its beginning."""
    asked = [m.content for m in kept.trajectory.messages if m.role == "user" and m.content]
    return next((text for text in reversed(asked) if text.startswith(kept.row.input)), kept.row.input)


def time_text(nanoseconds: int) -> str:
    moment = datetime.datetime.fromtimestamp(nanoseconds / 1e9, datetime.UTC)
    return utc_text(moment, "microseconds")
