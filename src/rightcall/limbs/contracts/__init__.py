"""MCP contracts: record a session of a server, serve it as the server, verify another version against it.

command           `rightcall mcp record`, `serve` and `verify`
capture           the calls of a file, of goldens or of a recorded suite, and the session that they make
replay_server     a recording as a server: JSON-RPC in, JSON-RPC out, over stdio and HTTP
result_shape      results compared by shape: keys, types, parts
tool_comparison   one tool in two versions: definition and answers
verification      a recording against a server, or against another recording
"""
