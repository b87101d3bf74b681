"""Goldens made in Python are validated like goldens from a file."""

from __future__ import annotations

import pytest

import rightcall as rc
from rightcall.core.errors import ConfigError


@rc.tool
def get_weather(city: str) -> str:
    """Current weather in a city. Use it for any question about the weather."""
    return f"sunny in {city}"


@pytest.mark.parametrize(
    ("golden", "told"),
    [
        (rc.Golden("?", id="g", category="seconday"), "golden 'g': category"),
        (rc.Golden("?", id="g", threshold=5), "golden 'g': threshold"),
        (rc.Golden("?", id="g", expected_calls=("get_weather",)), "golden 'g': expected_calls[0]"),
    ],
)
def test_a_wrong_type_is_reported_before_anything_runs(golden, told, tmp_path):
    with pytest.raises(ConfigError) as refused:
        rc.evaluate(rc.Agent("keyword:", tools=[get_weather]), [golden], store=tmp_path / "s.db")
    assert told in str(refused.value)
