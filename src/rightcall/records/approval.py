"""What a human, or a suite's approver in their place, decided about a call before it ran; and who the caller is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Literal, get_args

from rightcall.core.errors import ConfigError, suggestion
from rightcall.records.record import Record, Several

Decision = Literal["waiting", "approved", "edited", "rejected", "escalated"]
"""waiting: asked, and nobody has decided · approved, edited: it may run, with its own or with other arguments ·
rejected: it must not run, and the agent knows · escalated: it must not run, and waits for somebody else."""


CONFIRMATION_PARAMETER = "confirmation_token"
"""The argument with which a call of a tool that asks for confirmation is confirmed."""


class Approval(Record, frozen=True):
    """The decision about a call that needed approval.

    `arguments` are those an edited call ran with; the call itself keeps what the agent proposed. `message` is what the
    agent read about a rejection.
    """

    decision: Decision
    message: str = ""
    arguments: dict[str, Any] | None = None

    @property
    def open(self) -> bool:
        """Whether the call still waits for somebody."""
        return self.decision in ("waiting", "escalated")

    @property
    def granted(self) -> bool:
        """Whether the call was allowed to run."""
        return self.decision in ("approved", "edited")


def approval_wait_text(tools: Iterable[str]) -> str:
    """Why an agent stopped: the tools whose calls wait, each once."""
    return f"waiting for the approval of {', '.join(dict.fromkeys(tools)) or 'a human'}"


class Caller(Record, frozen=True):
    """On whose behalf the agent acts: a role, or several."""

    role: str | Several[str]

    @property
    def roles(self) -> tuple[str, ...]:
        return (self.role,) if isinstance(self.role, str) else tuple(self.role)

    def may_call(self, roles: Several[str]) -> bool:
        """Whether a tool with these roles is open to the caller; one without any is open to all."""
        return not roles or any(role in roles for role in self.roles)


Action = Literal["approve", "reject", "edit", "escalate"]
ACTIONS: tuple[str, ...] = get_args(Action)
REJECTED = "The user rejected this call. It was not run."


class ApprovalRule(Record, frozen=True):
    """One line of a policy.

    `value` is what the line says besides the action: the message of a rejection, the arguments of an edit, and what an
    agent that interrupts itself is resumed with.
    """

    action: Action
    value: Any = None

    def decide(self, arguments: Mapping[str, Any] | None) -> Approval:
        if self.action == "approve":
            return Approval("approved")
        if self.action == "escalate":
            return Approval("escalated")
        if self.action == "edit":
            return Approval("edited", arguments={**(arguments or {}), **self.value})
        return Approval("rejected", self.value if isinstance(self.value, str) and self.value else REJECTED)


class ApprovalPolicy(Record, frozen=True):
    """The rules by tool: a tool's own line counts before patterns, and patterns in their order."""

    rules: dict[str, ApprovalRule] = {}

    def rule(self, tool: str) -> ApprovalRule | None:
        """The rule for a tool; None when the policy says nothing about it."""
        own = self.rules.get(tool)
        if own is not None:
            return own
        return next((rule for name, rule in self.rules.items() if fnmatchcase(tool, name)), None)

    def decide(self, tool: str, arguments: Mapping[str, Any] | None) -> Approval:
        rule = self.rule(tool)
        return Approval("waiting") if rule is None else rule.decide(arguments)

    def problems(self, tools: Iterable[str]) -> list[str]:
        """Lines that concern no tool, given the names of all."""
        tool_names = list(tools)
        return [
            f"approvals: no tool '{name}'; {suggestion(name, tool_names) or 'tools: ' + ', '.join(tool_names[:8])}"
            for name in self.rules
            if tool_names and not any(fnmatchcase(tool, name) for tool in tool_names)
        ]


def read_approvals(policy: Mapping[str, Any] | ApprovalPolicy | None) -> ApprovalPolicy | None:
    """The policy as a suite or a program writes it; None without any line, `ConfigError` for a line that is none."""
    if policy is None or isinstance(policy, ApprovalPolicy):
        return policy or None
    if not isinstance(policy, Mapping):
        raise ConfigError(f"approvals must be a mapping from tool to decision, got {type(policy).__name__}")
    rules = {str(tool): _rule(str(tool), line) for tool, line in policy.items()}
    return ApprovalPolicy(rules) if rules else None


def _rule(tool: str, line: Any) -> ApprovalRule:
    where = f"approvals.{tool}"
    action, value = next(iter(line.items())) if isinstance(line, Mapping) and len(line) == 1 else (line, None)
    if not isinstance(action, str) or action not in ACTIONS:
        near = suggestion(action, ACTIONS) if isinstance(action, str) else ""
        raise ConfigError(
            f"{where} must be approve, escalate, {{reject: MESSAGE}} or {{edit: {{ARGUMENT: VALUE}}}}, got {line!r}"
            + (f"; {near}" if near else "")
        )
    if action == "edit" and not (isinstance(value, Mapping) and value):
        raise ConfigError(f"{where}: edit needs the arguments to change: {{edit: {{amount: 20}}}}")
    if action == "escalate" and value is not None:
        raise ConfigError(f"{where}: escalate takes no value; write `escalate`")
    return ApprovalRule(action, dict(value) if isinstance(value, Mapping) else value)  # type: ignore[arg-type]
