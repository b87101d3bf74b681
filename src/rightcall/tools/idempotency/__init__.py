"""Idempotency: an operation runs once, however often it is requested.

guard         claims a key, runs the work, keeps the result: the stage of the runtime
store         the table of keys, every step one atomic statement; steps of many calls committed together
key_location  where it is: memory, SQLite or PostgreSQL; the keys of a run next to its results
owners        who holds a claim and whether it is still alive; the heartbeat that renews leases
"""
