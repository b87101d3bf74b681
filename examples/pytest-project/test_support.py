"""One test for each golden."""

import pytest
from agent import agent


@pytest.mark.goldens("goldens.jsonl")
def test_support(golden, check):
    check(agent, golden)
