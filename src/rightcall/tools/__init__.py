"""Tools: their definitions, and everything between a model's call and its result.

load       load_tools, save_tools: JSON and YAML, in any provider's format
offer      which tools a golden offers
source     a file, a Python module or an MCP server, named by one text
validate   arguments and results against schemas
function   @tool: a function as a tool; Behaviour says what makes it safe
toolbox    tools ready to be called, mocked or for real: `invoke_turn(calls, context)`
mocks      what a tool answers in a suite
errors     the error contract: ErrorReply, ToolError, Abort
idempotency, idempotency_store    running an operation once, on SQLite or PostgreSQL
faults     fault plans; fault_measures: how the agent coped
worlds/    simulated environments, one file each; state: comparing their states
mcp        tools of MCP servers; mcp_serve: a toolbox as one

One call goes prepare → invoke → idempotency → execute → results. To add a world, add a file in worlds/; to add
a fault, a name in `faults.FaultType` with its phase and its case in injection or damage.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.tools.definitions.load import load_tools as load_tools, save_tools as save_tools
    from rightcall.tools.definitions.offer import offered_tools as offered_tools
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "definitions.load": "load_tools save_tools",
            "definitions.offer": "offered_tools",
        },
    )
