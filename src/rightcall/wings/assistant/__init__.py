"""RightCall as an MCP server for coding assistants: lint, fix, run, look, compare, within one project folder.

project           what the server may read, write and start
reply             answers that are short, bounded and safe to show
definition_tools  lint, explain, check, propose and write definitions
written_file      which files may be written, and with what
run_tools         list, show, compare, gate and analyze runs
server            run or replay a suite; all tools together, over stdio

A tool is a method with `@tool`; its docstring is what the assistant reads, and our own linter checks it.
"""
