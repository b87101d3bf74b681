"""Alembic comes here; the connection and its transaction are the store's, and there is no ini file."""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"], target_metadata=None)
context.run_migrations()
