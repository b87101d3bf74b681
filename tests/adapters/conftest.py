"""Adapter tests; those in own_environment need a framework that has an environment of its own (make test-adapters)."""

import os

import pytest

pytest.register_assert_rewrite("tests.adapters.contract")

collect_ignore = [] if os.environ.get("RIGHTCALL_TEST_ADAPTER") else ["own_environment"]
