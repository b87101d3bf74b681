"""Record and replay: answers and tool results in one reviewable file per golden, replayed without key or network.

    canonical   a request in canonical form for comparison: without secrets, seeds and changing ids
    cassette    the file of a golden, and the prompts that goldens share
    library     RecordSettings; the folder: what to replay, what to ask again, what to write
    case        one trial in progress: returns recorded replies, or collects new ones
    miss        why there is no recorded reply or result, in one line
    judged_trial   what judges answer while a trial is scored
    proxy       agents that are programs, recorded through a proxy on loopback
    mcp/        sessions of MCP servers in one file: recorded, and played back
    model_requests   what a request asks a model, in any wire format; what those of an agent have in common
    request_digest   a digest of each part of a request, and what differs between two
    first_requests   first requests of agents that are code, noted in trials or captured without asking a model
    hooks       requests of a user's agent, in library_hooks for each library; listener: recorded and replayed

To support another HTTP library: a function in `library_hooks`, and its name in `hooks.LIBRARIES`.
"""
