"""Every change of the store's schema, one file each, run by Alembic when an older store is opened.

A migration is never edited once released; to change the schema, add the next number, set `HEAD` in
`sql/schema.py` to it and update `sql/tables.py`. Migrations spell out their tables, so that later changes do
not alter their meaning.
"""
