"""`rightcall model` and `rightcall providers`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from rightcall.cli.model import model
from rightcall.cli.providers import providers
from rightcall.core.errors import ConfigError


def run(command, *arguments):
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_models_are_listed_with_what_is_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert "rightcall model pull smollm2" in run(model, "list")
    assert json.loads(run(model, "list", "--json"))[0]["installed"] is False


def test_pulling_says_where_the_file_is(weights):
    assert json.loads(run(model, "pull", "--json")) == {
        "name": "smollm2",
        "path": str(weights),
        "pulled": False,
    }
    assert f"already at {weights}" in run(model, "pull", "smollm2")


def test_providers_are_listed_for_people_and_machines():
    assert "openai:MODEL" in run(providers, "list")
    assert {p["prefix"] for p in json.loads(run(providers, "list", "--json"))} >= {
        "anthropic",
        "local",
        "keyword",
    }


def test_showing_a_provider_says_whether_it_can_be_asked(monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    shown = json.loads(run(providers, "show", "anthropic:claude-sonnet-5", "--json"))
    assert "ANTHROPIC_API_KEY" in shown["problems"][0] and shown["prices"]["models"]
    assert "ready" in run(providers, "show", "keyword:") and "needs" in run(providers, "show", "openai")


def test_an_unknown_provider_is_suggested_for():
    with pytest.raises(ConfigError, match="did you mean 'anthropic'"):
        run(providers, "show", "antropic")
