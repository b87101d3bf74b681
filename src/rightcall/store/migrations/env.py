"""Alembic's entry point; the connection and its transaction belong to the store, and there is no ini file."""

from __future__ import annotations

from alembic import context

attributes = context.config.attributes
context.configure(connection=attributes["connection"], version_table=attributes["version_table"])
context.run_migrations()
