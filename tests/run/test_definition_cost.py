"""Tool definitions are sent with every request; a run says what that was."""

from __future__ import annotations

import rightcall as rc
from rightcall.model import Tool, Usage
from rightcall.run.cost_estimate import cost_of_definitions

TOOL = Tool("get_weather", "Current weather in a city. " * 20, {"type": "object", "properties": {}})


def test_definitions_times_requests():
    found = cost_of_definitions(rc.Agent("keyword:"), [TOOL], 24)
    total = found.tokens * 24
    words = found.sentence(Usage(2 * total, 10))
    assert f"about {found.tokens:,} tokens × 24 requests = {total:,} tokens, 50% of the input" in words
    assert 100 < found.tokens < 200


def test_nothing_sent_costs_nothing():
    assert cost_of_definitions(rc.Agent("keyword:"), [], 5) is None
    assert cost_of_definitions(rc.Agent("keyword:"), [TOOL], 0) is None
