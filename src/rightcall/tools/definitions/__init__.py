"""Tool definitions: from functions, files, modules and servers, with argument validation.

function    `@tool`: a Python function as a tool; `docstring` and `hints` read it
behaviour   what makes a tool safe to repeat, to confirm and to run concurrently
load        reads and writes definitions in any provider's format
source      a file, a Python module or an MCP server, named by one text
offer       which tools a golden offers to the agent
validate    checks arguments and results against schemas; `schema_errors` words the problems
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.tools.definitions.function import (
        PLAIN as PLAIN,
        FunctionTool as FunctionTool,
        tool as tool,
    )
    from rightcall.tools.definitions.offer import (
        ToolSets as ToolSets,
        offered_tools as offered_tools,
        tool_set_problems as tool_set_problems,
        with_tool_set as with_tool_set,
    )
    from rightcall.tools.definitions.source import (
        definitions_of as definitions_of,
        from_module as from_module,
        listed_tools as listed_tools,
        open_source as open_source,
        tools_of as tools_of,
    )
    from rightcall.tools.definitions.validate import (
        argument_problems as argument_problems,
        compiled as compiled,
        fits as fits,
        fullmatch as fullmatch,
        is_valid as is_valid,
        problems as problems,
    )
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "function": "FunctionTool PLAIN tool",
            "offer": "ToolSets offered_tools tool_set_problems with_tool_set",
            "source": "definitions_of from_module listed_tools open_source tools_of",
            "validate": "argument_problems compiled fits fullmatch is_valid problems",
        },
    )
