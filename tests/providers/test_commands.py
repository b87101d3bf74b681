"""`rightcall list models`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from rightcall.cli.list import list_command
from rightcall.core.errors import ConfigError


def models(*arguments):
    result = CliRunner().invoke(list_command, ["models", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_models_are_listed_with_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert "--download smollm2" in models()
    assert json.loads(models("--json"))["local"][0]["installed"] is False


def test_pulling_says_where_the_file_is(weights):
    assert json.loads(models("--download", "smollm2", "--json")) == {
        "name": "smollm2",
        "path": str(weights),
        "downloaded": False,
    }
    assert f"already at {weights}" in models("--download", "smollm2")


def test_providers_are_listed_for_people_and_machines():
    assert "openai:MODEL" in models()
    assert {p["prefix"] for p in json.loads(models("--json"))["providers"]} >= {
        "anthropic",
        "local",
        "keyword",
    }


def test_showing_a_provider_says_whether_it_can_be_asked(monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    shown = json.loads(models("anthropic:claude-sonnet-5", "--json"))
    assert "ANTHROPIC_API_KEY" in shown["problems"][0] and shown["prices"]["models"]
    assert "ready" in models("keyword:") and "needs" in models("openai")


def test_an_unknown_provider_is_suggested_for():
    with pytest.raises(ConfigError, match="did you mean 'anthropic'"):
        models("antropic")
