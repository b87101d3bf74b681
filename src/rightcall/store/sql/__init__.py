"""The store in SQL: SQLite and PostgreSQL with one schema.

tables       the schema as it is now
text         text that every engine can hold
packing      records to bytes and back, whatever they hold
rows         a result as rows of its tables, and back
bulk         many rows at once
guard        locks around what several runs share
engine       connections, transactions, the engines' errors in a user's words
schema       which version a store has; making it, migrating it, refusing it
core         what all parts of a store share
writing      RunWriter: batches of results
runs         the list of runs, one run, suites and tool definitions by fingerprint
results      results, goldens and trajectories
annotations  tags and notes
library      versions of datasets
exporting    JSON Lines
removing     delete and prune
copying      from one store into another
store        Store: all of it behind one name
"""
