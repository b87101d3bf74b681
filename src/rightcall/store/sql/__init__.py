"""The store in SQL: SQLite and PostgreSQL with one schema.

tables       the schema as it is now
text         text that every engine can hold
packing      records to bytes and back, whatever they hold
engine       connections, transactions, the engines' errors in a user's words
schema       which version a store has; making it, migrating it, refusing it
writing      RunWriter: batches of results
runs         the list of runs, one run
results      results, cases and their trajectories
annotations  tags and notes
library      versions of datasets
documents    suites and tool definitions by fingerprint
exporting    JSON Lines
removing     delete and prune
copying      from one store into another
store        Store: all of it behind one name
"""
