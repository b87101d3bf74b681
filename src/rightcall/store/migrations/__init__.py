"""Every change of the store's schema, one file each, run by Alembic when an older store is opened.

A migration is never edited once released; to change the schema, add the next number, set `HEAD` in
`sql/schema.py` to it and say the same in `sql/tables.py`. Migrations spell their tables out, so that they
keep meaning what they meant.
"""
