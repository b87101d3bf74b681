"""What the feature may cost, in CPU time: the limits of its specification, by the benchmark that measures them."""

from __future__ import annotations

import re

import pytest
from benchmarks.worst_case.speed import print_speed

pytestmark = pytest.mark.stories

LIMITS = {
    r"([\d.]+) µs of CPU a check with 1\.\d MB of results read": 200,
    r"30 tools, .*: ([\d.]+) s of CPU; Certificate: .*depth 4": 5,
    r"attempts generated in ([\d.]+) s of CPU": 0.5,
    r"planting ([\d.]+) µs a result": 100,
    r"detection ([\d.]+) µs a call": 100,
}
"""The most that each number may be; certificates are searched for three guards, checks made for three tools."""


def test_nothing_costs_more_than_it_may(capsys):
    print_speed()
    printed = capsys.readouterr().out
    for pattern, most in LIMITS.items():
        numbers = [float(number) for number in re.findall(pattern, printed)]
        assert numbers and max(numbers) <= most, (pattern, printed)
