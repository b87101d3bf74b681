"""Record and replay: what a model answered, kept one reviewable file a golden, played back without key or network.

    settings    RecordSettings: the `record:` of a suite, and its four modes
    canonical   a request in the form that is compared: without secrets, seeds and ids that change
    cassette    the file of a golden, and the prompts that goldens share
    library     the folder: what to replay, what to ask again, what to write
    case        one trial under way: hands out recorded replies, or collects new ones
    miss        why there is no recorded reply, in one line
    provider    our own providers, recorded at their own level
    proxy       agents that are programs, recorded through a proxy on loopback
    hooks       requests of a user's agent: httpx_hook, aiohttp_hook, urllib3_hook

To listen to one more HTTP library: a file with `install(listen) -> undo`, and its name in `hooks.LIBRARIES`.
"""
