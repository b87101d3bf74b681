"""The runtime: one call from the model's request to its answer.

    pipeline      the stages in the order they happen; the one place to read it
    active_call   the call as it passes from stage to stage
    toolbox       Toolbox: the tools of an agent, and where a call enters
    context       what belongs to one trial: its clock, ledger, counters and worlds
    turn          the calls of one turn: reads together, writes in order
    approval_lines  lines of an approval policy that no call can meet

The stages, in their order; those of `faults` and `idempotency` are in the rooms of that name:

    answer        ensures one outcome and one record for every call
    prepare       parse, resolve, validate, normalise, ask policy and confirmation
    retries       repeat where that can do no harm
    batch         each item of a batch separately
    deadline      time limits; a write continues after its deadline
    versions      check, then act, under the lock of a resource
    outcome       what the tool returned or raised, as an outcome
    execute       the tool itself, its effect recorded in the ledger

Each stage is `(call, next)`: it does its part, calls `next(call)` or not, and returns how the call
ended. A stage knows nothing about those before it. To add one, write it and list it in `pipeline`.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.tools.runtime.approval_lines import approval_problems as approval_problems
    from rightcall.tools.runtime.bound_tool import BoundTool as BoundTool, RunnableTool as RunnableTool
    from rightcall.tools.runtime.context import CallContext as CallContext
    from rightcall.tools.runtime.errors import Aborted as Aborted, ToolError as ToolError
    from rightcall.tools.runtime.mocks import Mock as Mock, runs_for_real as runs_for_real
    from rightcall.tools.runtime.policy import Policy as Policy, ToolRules as ToolRules
    from rightcall.tools.runtime.sample_values import generated as generated, resolved as resolved
    from rightcall.tools.runtime.toolbox import Toolbox as Toolbox
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "approval_lines": "approval_problems",
            "bound_tool": "BoundTool RunnableTool",
            "context": "CallContext",
            "errors": "Aborted ToolError",
            "mocks": "Mock runs_for_real",
            "policy": "Policy ToolRules",
            "sample_values": "generated resolved",
            "toolbox": "Toolbox",
        },
    )
