"""The rules of a toolbox: what an agent is permitted to do, what is approved, and what the runtime repeats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from rightcall.core.errors import suggestion
from rightcall.model.approval import ApprovalPolicy
from rightcall.model.tool import Tool
from rightcall.tools.definitions.behaviour import only_reads
from rightcall.tools.definitions.validate import problems as argument_problems
from rightcall.tools.runtime.bound_tool import BoundTool
from rightcall.tools.runtime.call_outcome import Finished
from rightcall.tools.runtime.invocation import ActiveCall, Next


class Retries(msgspec.Struct, frozen=True):
    """When the runtime retries by itself: reads, failures that had no effect, and keyed operations.

    Waits grow from `base_s` to `cap_s` by doubling, each drawn at random from zero to that bound (full
    jitter), and are never shorter than what the service asked for. `most` limits the retries.
    """

    most: int = 0
    base_s: float = 0.5
    cap_s: float = 30.0

    def wait_s(self, attempt: int, asked_s: float | None, draw: float) -> float:
        """Seconds before attempt `attempt + 1`; `draw` is a random number from 0 to 1."""
        bound = min(self.cap_s, self.base_s * 2.0 ** (attempt - 1))
        return max(asked_s or 0.0, draw * bound)


class RuntimeRetries(msgspec.Struct, frozen=True):
    """Retries as often as the rules allow; each retry is a line in the ledger."""

    retries: Retries

    async def __call__(self, call: ActiveCall, next: Next) -> Finished:
        attempt = 1
        while True:
            finished: Finished = await next(call)
            if attempt > self.retries.most or not may_repeat(call, finished):
                return finished
            asked = finished.error.retry_after_s if finished.error else None
            draw = call.context.random("retry", call.call.id, call.fingerprint, attempt).random()
            await call.context.clock.sleep(self.retries.wait_s(attempt, asked, draw))
            attempt += 1
            call.log("runtime_retry", attempt=attempt)


def may_repeat(call: ActiveCall, finished: Finished) -> bool:
    """Whether the runtime may retry: the failure is transient, and a second effect is impossible."""
    if finished.error is None or finished.running:
        return False
    if finished.outcome == "unknown":  # the probe will find out
        return bool(call.key) and call.ready.probe is not None and finished.error.error != "in_progress"
    passing = finished.error.retry in ("same_key", "after")
    return finished.outcome == "failed" and passing and finished.free


class Policy(msgspec.Struct, frozen=True):
    """Permissions for every call of a toolbox.

    `allow` (when given) and `deny` name tools; `read_only` refuses every tool that does not promise to
    change nothing; `check(tool, arguments)` returns the reason for a refusal, or "" to allow the call.
    `max_calls` is the budget of one trial: the call after the last stops the agent.
    """

    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()
    read_only: bool = False
    check: Callable[[Tool, dict[str, Any]], str] | None = None
    max_calls: int | None = None

    def refusal(self, tool: Tool, arguments: dict[str, Any]) -> str:
        """Why the call is refused, or "" when it is not."""
        if tool.name in self.deny or (self.allow is not None and tool.name not in self.allow):
            return f"{tool.name} is not allowed here"
        if self.read_only and not only_reads(tool.annotations):
            return f"{tool.name} may change something, and only reading is allowed here"
        return self.check(tool, arguments) if self.check is not None else ""


class ToolRules(msgspec.Struct, frozen=True):
    """The rules for every call of a toolbox.

    `strict` stops the agent when a tool is not permitted to act, loses a connection or breaks unexpectedly. Without it
    only a tool marked destructive does, and only when it breaks unexpectedly; with False none does, and the model reads
    that the tool is broken, but not the exception. `mark_replayed` tells the model, with `replayed: true` in a result,
    that nothing was done again. `approvals` answer for the user when a tool needs a confirmation; a tool that they name
    needs one.
    """

    policy: Policy = Policy()
    retries: Retries = msgspec.field(default_factory=Retries)
    strict: bool | None = None
    mark_replayed: bool = True
    approvals: ApprovalPolicy | Mapping[str, Any] | None = None


Strictness = Literal["all", "unexpected", "none"]
"""What stops the agent: missing permissions, lost connections and unexpected exceptions, only the last, or nothing."""


def strictness(rule: bool | None, entry: BoundTool) -> Strictness:
    """What stops the agent when this tool fails, by the rule of its toolbox and by what it says itself."""
    own = entry.behaviour.strict
    if rule or own:
        return "all"
    stated = rule if own is None else own
    return "unexpected" if stated is None and entry.tool.annotations.destructive else "none"


def approval_problems(approvals: ApprovalPolicy, tools: Mapping[str, Tool]) -> list[str]:
    """What is wrong with a policy for these tools, one sentence per problem."""
    problems = approvals.problems(tools)
    for name, rule in approvals.rules.items():
        if rule.action != "edit" or name not in tools:
            continue
        tool = tools[name]
        for argument in filter(tool.lacks, rule.value):
            hint = (
                suggestion(argument, tool.parameters) or f"parameters: {', '.join(tool.parameters) or 'none'}"
            )
            problems.append(f"approvals.{name}: {name} has no parameter '{argument}'; {hint}")
        problems += [
            f"approvals.{name}: {problem.message}"
            for problem in argument_problems(tool, rule.value)
            if problem.keyword
            not in ("required", "additionalProperties")  # the rest is the agent's; told above
        ]
    return problems
