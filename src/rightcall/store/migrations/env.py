"""Alembic's entry point; the connection and its transaction belong to the store, and there is no ini file."""

from __future__ import annotations

from alembic import context

given = context.config.attributes
context.configure(connection=given["connection"], version_table=given["version_table"])
context.run_migrations()
