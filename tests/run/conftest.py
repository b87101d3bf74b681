"""Suites are run by the command too, in this process."""

from __future__ import annotations

from tests.cli.conftest import rightcall

__all__ = ["rightcall"]
