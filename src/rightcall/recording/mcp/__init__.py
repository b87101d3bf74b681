"""Recorded sessions of MCP servers (`rightcall/mcp/1`): one file that is a mock server and a contract.

session            what a session holds: the server, its definitions, its calls with their answers, which are
                   given in turn; what was called, and what was not
session_file       the file: JSON Lines with sorted keys, large texts in a folder next to it
session_recorder   a session in progress: listens to the messages of a client and a server
"""
