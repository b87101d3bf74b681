"""`rightcall generate` as a user meets it."""

from __future__ import annotations

from tests.cli.conftest import rightcall

__all__ = ["rightcall"]
