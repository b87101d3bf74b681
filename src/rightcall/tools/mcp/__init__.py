"""Tools of MCP servers, and a toolbox as an MCP server, through the official SDK.

address           the address of a server: a command, or a URL with headers, tokens and OAuth client credentials
sdk               the parts of the SDK that are used, in both of its major versions; what a server
                  answers to a call, as a plain result, and back
client            tools of a server, over stdio, streamable HTTP or SSE; it is restarted when it dies
connection        when a connection ends, why, and which processes it left behind; elicitation,
                  answered as the suite says
server_session    an open session, in every version of the protocol that the SDK speaks; messages as they were sent
recorded_server   tools answered from a recorded session
server            a toolbox as a server
"""
