"""RightCall as an MCP server for coding assistants: lint, run, look, compare, within one project folder.

project           what the server may read and start
reply             answers that are short, bounded and safe to show
run_tools         list, show, compare and analyze runs
server            lint, explain, check, correct definitions; run or replay a suite; all tools together, over stdio

A tool is a method with `@tool`; its docstring is what the assistant reads, and our own linter checks it.
"""
