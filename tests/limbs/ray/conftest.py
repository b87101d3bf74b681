"""Ray reads its settings when it is imported: all tests of a process agree on them, in any order."""

import os
import secrets

import pytest


@pytest.fixture(autouse=True, scope="session")
def one_token_for_all_clusters():
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token"}
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    os.environ.setdefault("RAY_TMPDIR", "/tmp")  # not in memory, which its objects fill
