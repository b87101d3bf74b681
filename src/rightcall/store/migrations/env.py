"""Alembic comes here; the connection and its transaction are the store's, and there is no ini file."""

from __future__ import annotations

from alembic import context

given = context.config.attributes
context.configure(connection=given["connection"], version_table=given["version_table"])
context.run_migrations()
