"""Doing a thing once, however often it is asked for.

guard         claims a key, runs the work, keeps the result: the stage of the runtime
store         keys in SQLite or PostgreSQL, every step one atomic statement
run_keys      the keys of a run, kept with its results
owners        who holds a claim, and whether they can still act on it; `heartbeat` renews it
group_commit  steps of many calls in one transaction
replay        what the model reads when a call was answered from memory
"""
