"""The approver of a suite: what to answer when an agent asks before it runs a tool.

approvals:
  send_email: approve
  delete_account: {reject: "Accounts are closed by support."}
  refund: {edit: {amount: 20}}                 # these arguments in place of the agent's
  wire_transfer: escalate                      # nobody answers: the case ends there
  "export_*": approve                          # a pattern, for tools that have no line
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Literal, get_args

from rightcall.core.errors import ConfigError, suggestion
from rightcall.model.approval import Approval
from rightcall.model.record import Record

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
