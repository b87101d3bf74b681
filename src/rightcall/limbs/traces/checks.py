"""Checks that need no golden: problems detectable from a trajectory alone.

Each returns bad (1), fine (0), or None when unknown, with a reason. To add one: a function here that is named as the
check, its name in `CHECKS` and a row in `docs/monitoring.md`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rightcall.core.errors import InputError
from rightcall.limbs.traces.calls import canonical
from rightcall.limbs.traces.trace import Trace
from rightcall.metrics.matching.base import Scope
from rightcall.metrics.matching.compile import compile_matcher
from rightcall.records.call import ToolCall
from rightcall.records.record import Record
from rightcall.records.tool import Tool
from rightcall.store.base import TraceCheck
from rightcall.tools.definitions.validate import problems

DEFAULT = (
    "schema_validity",
    "unknown_tool",
    "malformed_call",
    "tool_errors",
    "loop",
    "forbidden",
    "no_answer",
    "slow",
)

LONGEST_BLOCK = 4
REPEATS = 3
Outcome = tuple[float | None, str]
CANNOT_SAY: Outcome = (None, "")
FINE: Outcome = (0.0, "")


class AgentSettings(Record, frozen=True):
    """One agent: which traces belong to it, its tools, what it must never do.

    `forbidden_args` has matchers as goldens have them, by tool and argument: an argument that matches is forbidden.
    """

    match: dict[str, str] = {}
    tools: str | None = None
    forbidden_calls: tuple[str | dict[str, str], ...] = ()
    forbidden_args: dict[str, dict[str, Any]] = {}
    only_after: dict[str, str] = {}
    max_calls: int = 25

    def matches(self, trace: Trace) -> bool:
        attributes = {**trace.resource, "agent": trace.agent, "service.name": trace.service}
        return all(str(attributes.get(key, "")) == value for key, value in self.match.items())


@dataclass(frozen=True)
class CheckedAgent:
    """What checks know about an agent besides the trace: its settings, tools, the baseline's upper latency."""

    settings: AgentSettings = field(default_factory=AgentSettings)
    tools: Mapping[str, Tool] = field(default_factory=dict)
    slow_ms: float | None = None

    @cached_property
    def forbidden_args(self) -> dict[str, dict[str, Any]]:
        """Matchers by tool and argument."""
        specs = self.settings.forbidden_args
        return {
            tool: {name: compile_matcher(spec, Scope()) for name, spec in arguments.items()}
            for tool, arguments in specs.items()
        }


def run_checks(names: tuple[str, ...], trace: Trace, watching: CheckedAgent) -> tuple[TraceCheck, ...]:
    """The result of each check for the trace."""
    tools = {tool.name: tool for tool in trace.tools} or dict(watching.tools)
    outcomes = [(name, *CHECKS[name](trace, tools, watching)) for name in names]
    return tuple(TraceCheck(name, bad, reason[:300]) for name, bad, reason in outcomes)


Check = Callable[[Trace, Mapping[str, Tool], CheckedAgent], Outcome]


def _bad(condition: bool, reason: str) -> Outcome:
    return (1.0, reason) if condition else FINE


def _bad_calls(trace: Trace, reason: str, is_bad: Callable[[ToolCall], bool]) -> Outcome:
    """Bad when any call is; the reason has `{}` for the names of those calls."""
    names = {call.name for call in trace.trajectory.calls if is_bad(call)}
    return _bad(bool(names), reason.replace("{}", ", ".join(sorted(names))))


def schema_validity(trace: Trace, tools: Mapping[str, Tool], watching: CheckedAgent) -> Outcome:
    checkable = [c for c in trace.trajectory.calls if c.arguments is not None and c.name in tools]
    if not checkable:
        return CANNOT_SAY
    for call in checkable:
        try:
            wrong = problems(tools[call.name], call.arguments or {})
        except InputError:
            continue  # the schema itself cannot be used, which is not the agent's mistake
        if wrong:
            return 1.0, f"{call.name}: {wrong[0].message}"
    return FINE


def unknown_tool(trace: Trace, tools: Mapping[str, Tool], watching: CheckedAgent) -> Outcome:
    if not tools:
        return CANNOT_SAY
    return _bad_calls(trace, "called {}, which was not offered", lambda call: call.name not in tools)


def malformed_call(trace: Trace, tools: Mapping[str, Tool], watching: CheckedAgent) -> Outcome:
    reason = "arguments of {} are not a JSON object"
    return _bad_calls(trace, reason, lambda call: call.raw is not None and call.arguments is None)


def tool_errors(trace: Trace, tools: Mapping[str, Tool], watching: CheckedAgent) -> Outcome:
    return _bad_calls(trace, "{} failed", lambda call: call.status == "error")


def loop(trace: Trace, tools: Mapping[str, Tool], watching: CheckedAgent) -> Outcome:
    calls = trace.trajectory.calls
    if len(calls) > watching.settings.max_calls:
        return 1.0, f"{len(calls)} calls, limit {watching.settings.max_calls}"
    if any(call.arguments_unknown for call in calls):
        return CANNOT_SAY
    keys = [canonical(call) for call in calls]
    for size in range(1, LONGEST_BLOCK + 1):
        block = keys[-size:]
        if len(keys) >= REPEATS * size and keys[-REPEATS * size :] == block * REPEATS:
            names = ", ".join(call.name for call in calls[-size:])
            return 1.0, f"the last calls repeat: {names}"
    return FINE


def forbidden(trace: Trace, tools: Mapping[str, Tool], watching: CheckedAgent) -> Outcome:
    settings = watching.settings
    done: set[str] = set()
    is_known = (
        trace.trajectory.stop_reason != "infra_error"
    )  # otherwise it may have calls that could not be read
    for at, call in enumerate(trace.trajectory.calls):
        if any(_fits(call.name, pattern) for pattern in settings.forbidden_calls):
            return 1.0, f"{call.name} is forbidden"
        is_known = is_known and (call.arguments is not None or call.name not in watching.forbidden_args)
        for name, matcher in watching.forbidden_args.get(call.name, {}).items():
            if name in (call.arguments or {}) and matcher.score((call.arguments or {})[name], at) >= 1:
                return 1.0, f"{call.name} with {name} {matcher.describe()} is forbidden"
        before = settings.only_after.get(call.name)
        if before is not None and before not in done:
            return 1.0, f"{call.name} was called without {before} before it"
        if call.status != "error":
            done.add(call.name)
    return FINE if is_known else CANNOT_SAY


def _fits(name: str, pattern: str | dict[str, str]) -> bool:
    if isinstance(pattern, str):
        return name == pattern
    try:
        return re.fullmatch(pattern.get("regex", r"(?!)"), name) is not None
    except re.error:
        return False


def no_answer(trace: Trace, tools: Mapping[str, Tool], watching: CheckedAgent) -> Outcome:
    trajectory = trace.trajectory
    if trajectory.stop_reason in ("agent_error", "limit", "rejected", "unreadable", "filtered"):
        return 1.0, trajectory.error or trajectory.stop_reason
    if not trajectory.messages and not trajectory.output:
        return CANNOT_SAY  # content was not recorded
    return _bad(not trajectory.output.strip(), "the answer is empty")


def truncated(trace: Trace, tools: Mapping[str, Tool], watching: CheckedAgent) -> Outcome:
    return _bad(trace.trajectory.stop_reason == "truncated", "the answer was truncated")


def refused(trace: Trace, tools: Mapping[str, Tool], watching: CheckedAgent) -> Outcome:
    return _bad(trace.trajectory.stop_reason in ("refused", "filtered"), "the model refused")


def slow(trace: Trace, tools: Mapping[str, Tool], watching: CheckedAgent) -> Outcome:
    taken = trace.trajectory.latency_ms
    limit = watching.slow_ms
    if taken is None or limit is None or trace.incomplete:
        return CANNOT_SAY
    return _bad(taken > limit, f"{taken:,.0f} ms, the baseline's 95% point is {limit:,.0f} ms")


CHECKS: dict[str, Check] = {
    check.__name__: check
    for check in (
        schema_validity, unknown_tool, malformed_call, tool_errors, loop, forbidden, no_answer, truncated, refused,
        slow,
    )
}  # fmt: skip
