"""Adapter tests; those in own_environment need a framework that has a separate environment (make test-adapters)."""

import os

collect_ignore = [] if os.environ.get("RIGHTCALL_TEST_ADAPTER") else ["own_environment"]
