"""Goldens changed in Python are validated like goldens from a file."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

import rightcall as rc
from rightcall.core.errors import ConfigError


@rc.tool
def get_weather(city: str) -> str:
    """Current weather in a city. Use it for any question about the weather."""
    return f"sunny in {city}"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"category": "seconday"}, "golden 'g': category"),
        ({"threshold": 5}, "golden 'g': threshold"),
        ({"expected_calls": ("get_weather",)}, "golden 'g': expected_calls[0]"),
    ],
)
def test_a_wrong_type_is_reported_before_anything_runs(change, told, tmp_path):
    golden = replace(rc.Golden("?", id="g"), **change)
    with pytest.raises(ConfigError) as refused:
        rc.evaluate(rc.Agent("keyword:", tools=[get_weather]), [golden], store=tmp_path / "s.db")
    assert told in str(refused.value)
