"""Tool definitions: from functions, files, modules and servers, and what they demand of arguments.

function    `@tool`: a Python function as a tool; `docstring` and `hints` read it
behaviour   what makes a tool safe to repeat, to confirm, to run beside others
load        definitions from files and to files, in any provider's spelling
source      a file, a Python module or an MCP server, named by one text
offer       which tools a golden offers to the agent
validate    arguments and results against schemas; `schema_errors` puts what is wrong into words
"""
