"""The SQL store: SQLite and PostgreSQL with one schema.

tables       the current schema
record_bytes records to bytes and back, and text that every engine can store
packed_scores the scores of a result in one column
row_types    the types of columns, checked when they are read
rows         a result as rows of its tables, and back; bulk inserts
engine       connections, transactions, readable database errors
schema       the version of a store; creating, migrating or rejecting it
core         shared by all parts of a store, with locks around shared contents
golden_sets  the goldens of runs, shared by runs of the same ones
run_writer   RunWriter: batches of results
runs         the list of runs, one run, suites and tool definitions by fingerprint
results      results, goldens and trajectories
annotations  tags and notes
library      versions of datasets
export       JSON Lines
removal      delete and prune
watch_tables production: spans, traces, check counts
watch_states production: detector states, sessions, alarms
session_hours sessions of the current hour
copy         from one store into another
store        Store: combines all parts
"""
