"""Lines of an approval policy that no call can meet: misspelt tools, and edits that their tool does not accept."""

from __future__ import annotations

from collections.abc import Mapping

from rightcall.core.errors import suggestion
from rightcall.model.approval_policy import ApprovalPolicy
from rightcall.model.tool import Tool
from rightcall.tools.definitions.validate import problems as argument_problems


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
