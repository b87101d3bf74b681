"""MCP contracts: record a session of a server, serve it as the server, verify another version against it.

command           `rightcall mcp record`, `serve` and `verify`
replay_server     a recording as a server: JSON-RPC in, JSON-RPC out, over stdio and HTTP
tool_comparison   one tool in two versions: definition and answers, whose results are compared by shape
verification      the calls of a file, of goldens or of a recorded suite, and the session that they make; a recording
                  against a server, or against another recording
"""
