"""Tools of MCP servers, and a toolbox as an MCP server, through the official SDK.

client            tools of a server, over stdio or streamable HTTP
server            a toolbox as a server
results           what a server answers to a call, as a plain result, and back
orphan_processes  processes that a server started and left behind
"""
