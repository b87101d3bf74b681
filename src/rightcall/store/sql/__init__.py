"""The SQL store: SQLite and PostgreSQL with one schema.

tables       the current schema
record_bytes records to bytes and back, and text that every engine can store
rows         a result as rows of its tables, and back, its scores in one column; types of columns, checked when read
engine       connections, transactions, readable database errors
core         shared by all parts of a store: its version, with bulk inserts and locks around shared contents
golden_sets  the goldens of runs, shared by runs of the same ones
run_writer   RunWriter: batches of results
run_lookup   runs by what a user types, by filters, with their tags; deletes them
results      results, goldens and trajectories; JSON Lines
golden_list  goldens in the order a list shows them
failures     failed trials as analysis reads them
datasets     `store.datasets`: versions of datasets
traces       `store.traces`: spans, traces, check counts; detector states, session counts, alarms
copy         from one store into another
store        Store: its three parts, and `store.runs`
"""
