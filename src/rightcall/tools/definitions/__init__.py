"""Tool definitions: from functions, files, modules and servers, with argument validation.

function    `@tool`: a Python function as a tool; signature: its type hints and docstring
behaviour   what makes a tool safe to repeat, to confirm and to run concurrently
source      a file in any provider's format, a Python module or an MCP server, named by one text
offer       which tools a golden offers to the agent
validate    checks arguments and results against schemas
"""
