"""The rules of a toolbox: what an agent is permitted to do, what is approved, and what stops it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from rightcall.core.errors import suggestion
from rightcall.records.approval import ApprovalPolicy
from rightcall.records.tool import Tool
from rightcall.tools.definitions.validate import problems as argument_problems
from rightcall.tools.runtime.bound_tool import BoundTool


class ToolRules(msgspec.Struct, frozen=True):
    """The rules for every call of a toolbox.

    `strict` stops the agent when a tool is not permitted to act, loses a connection or breaks unexpectedly. Without it
    only a tool marked destructive does, and only when it breaks unexpectedly; with False none does, and the model reads
    that the tool is broken, but not the exception. `approvals` answer for the user when a tool needs a confirmation; a
    tool that they name needs one. `read_only` refuses every tool that does not promise to change nothing.
    """

    read_only: bool = False
    strict: bool | None = None
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
