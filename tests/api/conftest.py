"""Projects under test run in this process: what they import must be here before, or it is imported twice."""

from __future__ import annotations

import pytest

import rightcall.api.testing.check_fixture
import rightcall.api.testing.marks  # noqa: F401  imported for projects under test
import rightcall.api.testing.summary  # noqa: F401  imported for projects under test
from rightcall.store.address import open_store

__all__ = ["rightcall"]


@pytest.fixture(scope="session", autouse=True)
def _everything_imported(tmp_path_factory):
    open_store(tmp_path_factory.mktemp("store") / "store.db").close()
