"""Production records of the store: traces with check results, counts, alarms."""

from __future__ import annotations

from typing import Any

from rightcall.records.record import Record
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory


class TraceCheck(Record, frozen=True):
    """The result of one check on one trace. `bad` is None when unknown."""

    name: str
    bad: float | None
    reason: str = ""


class TraceRow(Record, frozen=True):
    """A trace in a list. `started_at` is ISO 8601 in UTC; `review` is empty, `queued`, `kept` or `dropped`."""

    trace_id: str
    agent: str
    version: str
    session: str
    started_at: str
    input: str
    calls: int
    latency_ms: float | None
    tokens: int
    failed: bool
    review: str = ""
    seen: int = 1
    checks: tuple[TraceCheck, ...] = ()


class KeptTrace(Record, frozen=True):
    """A whole trace: its row, what the agent did, and its origin."""

    row: TraceRow
    trajectory: Trajectory
    tools: tuple[Tool, ...] = ()
    system: str = ""
    model: str = ""
    origin: dict[str, Any] = {}
    signature: str = ""


class TraceFilter(Record, frozen=True):
    """Which traces. `since` and `until` are times in the store's format; `until` is exclusive."""

    agent: str = ""
    version: str = ""
    failed: bool | None = None
    review: str | None = None
    since: str = ""
    until: str = ""


class CheckCount(Record, frozen=True):
    """One check on one day: traces it applied to, and how many were bad."""

    agent: str
    version: str
    name: str
    day: str
    seen: int
    bad: float


class SessionCount(Record, frozen=True):
    """One check of one version: sessions it applied to, and how many were bad. A session counts once an hour."""

    agent: str
    version: str
    name: str
    sessions: int
    bad: float


class SessionHour(Record, frozen=True):
    """One session in the current hour: for each series the sum of its values, how many, and the time of the first."""

    agent: str
    version: str
    session: str
    values: dict[str, list[float]]


class StoredAlarm(Record, frozen=True):
    """An alarm, latched until it is acknowledged. `content` is the alert."""

    key: int
    agent: str
    name: str
    version: str
    raised_at: str
    acknowledged_at: str | None
    content: dict[str, Any]
