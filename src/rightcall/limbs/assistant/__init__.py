"""RightCall as an MCP server for coding assistants: lint, run, look, compare, within one project folder.

boundary   what the server may read and start; answers that are short, bounded and safe to show
server     the tools: lint definitions; run or replay a suite; list, show, compare and analyze runs; all over stdio

A tool is a method with `@tool`; its docstring is what the assistant reads, and our own linter checks it.
"""
