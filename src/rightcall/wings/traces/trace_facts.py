"""The facts of a trace: what spans say about one request to an agent."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import msgspec

from rightcall.core.digest import hex_digest
from rightcall.model.record import Record
from rightcall.model.score import Score
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory

UNREVIEWED, REVIEWED = "unreviewed", "reviewed"


class TraceFacts(Record, frozen=True):
    """One trace: its trajectory, the tools that were offered, and where it came from.

    `time` is the start in nanoseconds since 1970. `input` is the user's input in this trace; `earlier_turns`
    counts the user's turns before it. `golden_id` and `trial` are set when the spans name their golden.
    `tags` are set by the application, including its intent. `scores` are those that came with the trace.
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
    response_id: str = ""
    time: int = 0
    source: str = ""
    spans: int = 0
    earlier_turns: int = 0
    golden_id: str = ""
    trial: int | None = None
    tags: tuple[str, ...] = ()
    scores: dict[str, Score] = {}
    incomplete: bool = False
    truncated: bool = False
    resource: dict[str, Any] = {}
    problems: tuple[str, ...] = ()

    @property
    def prompt_hash(self) -> str:
        """A 12-digit hash of the system prompt; empty when it was not recorded."""
        return _digest(self.system) if self.system else ""

    @property
    def tools_hash(self) -> str:
        """A 12-digit hash of the tool definitions; empty when they were not recorded."""
        if not self.tools:
            return ""
        return _digest(
            msgspec.json.encode(sorted(self.tools, key=attrgetter("name")), order="deterministic").decode()
        )

    @property
    def version(self) -> str:
        """What must be equal for two traces to be compared: model, system prompt, tools, the agent's version."""
        return _digest("\0".join((self.model, self.prompt_hash, self.tools_hash, self.agent_version)))[:8]


def _digest(text: str) -> str:
    return hex_digest(text.encode("utf-8", "replace"), 12)
