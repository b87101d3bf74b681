"""Tool definitions: from functions, files, modules and servers, with argument validation.

function    `@tool`: a Python function as a tool; `docstring` and `hints` read it
behaviour   what makes a tool safe to repeat, to confirm and to run concurrently
load        reads definitions in any provider's format
source      a file, a Python module or an MCP server, named by one text
offer       which tools a golden offers to the agent
validate    checks arguments and results against schemas
"""
