"""Names to providers, and what is wrong before the first request."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from rightcall.agents.agent import Agent
from rightcall.core.errors import ConfigError
from rightcall.providers.base import Prompt, Settings
from rightcall.providers.endpoint import ModelEndpoint
from rightcall.providers.hosts import HOSTS, split_address
from rightcall.providers.provider_kinds import SHELVES
from rightcall.providers.resolver import check, resolve

from .loopback import json_server, status_server


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("opnai:gpt-5", "did you mean 'openai'"),
        ("claude-sonnet-5", "did you mean 'anthropic:claude-sonnet-5'"),
        ("gpt-5-mini", "did you mean 'openai:gpt-5-mini'"),
        ("python:agents:travel", "an agent in Python is named without a provider: 'agents:travel'"),
        ("zzz:m", "use provider:model with one of anthropic, openai"),
        ("openai:", "is missing the model"),
        ("scripted:", "is missing the model"),
        ("local:smolm2", "did you mean 'smollm2'"),
    ],
)
def test_an_unknown_name_gets_a_suggestion(name, hint):
    problems = asyncio.run(check(name))
    assert len(problems) == 1 and hint in problems[0]


def test_resolving_contacts_and_loads_nothing(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    names = [
        "openai:m",
        "anthropic:m",
        "openai-responses:m",
        "keyword:",
        "local:absent.gguf",
    ]
    assert [resolve(name).name for name in names] == names


@pytest.mark.parametrize(
    ("name", "key"), [("openai:m", "OPENAI_API_KEY"), ("anthropic:m", "ANTHROPIC_API_KEY")]
)
def test_a_missing_key_is_found_before_the_first_request(monkeypatch, name, key):
    monkeypatch.delenv(key, raising=False)
    assert asyncio.run(check(name)) == [f"{name} needs a key; set the environment variable {key}"]


def test_an_unreachable_server_is_found_and_a_reachable_one_is_sent_nothing():
    assert "cannot be reached" in asyncio.run(check("openai:m", base_url="http://127.0.0.1:9"))[0]
    with json_server(lambda body: {}) as server:
        assert asyncio.run(check("openai:m", base_url=server.url)) == []
    assert server.bodies == []


def test_missing_files_are_found():
    assert "model file not found" in asyncio.run(check("local:/nowhere/x.gguf"))[0]
    assert "no such file" in asyncio.run(check("scripted:/nowhere/x"))[0]


def test_missing_weights_say_what_to_type(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert (
        "rightcall list models --download smollm2 (or use keyword:" in asyncio.run(check("local:smollm2"))[0]
    )


@pytest.mark.parametrize(
    ("name", "model", "url"),
    [
        ("openai:m@http://127.0.0.1:9/v1/", "openai:m", "http://127.0.0.1:9/v1"),
        ("small@https://gpu.example/v1", "small", "https://gpu.example/v1"),
        ("gemini:claude-3@20240229", "gemini:claude-3@20240229", None),
        ("gemini:claude-3@20240229@https://x.example", "gemini:claude-3@20240229", "https://x.example"),
        ("exec:curl me@http://x", "exec:curl me@http://x", None),
        ("http:https://x.example/a@http://y", "http:https://x.example/a@http://y", None),
    ],
)
def test_the_address_of_a_model_is_part_of_its_name(name, model, url):
    assert split_address(name) == (model, url)


def test_two_servers_of_one_model_are_refused():
    for make in (ModelEndpoint, Agent):
        with pytest.raises(ConfigError, match="names its server, and base_url is another"):
            make("openai:m@http://127.0.0.1:9/v1", base_url="http://127.0.0.1:8/v1")


def test_a_base_url_where_it_means_nothing_is_refused():
    with pytest.raises(ConfigError, match="does not accept base_url"):
        resolve("keyword:", base_url="http://127.0.0.1:1")


def test_a_setting_the_wire_format_lacks_is_refused_when_the_prompt_is_prepared():
    with pytest.raises(ConfigError, match="no setting 'stop'"):
        resolve("openai-responses:m").prepare(Prompt(settings=Settings(stop=("x",))))


def test_a_provider_object_is_taken_as_it_is():
    provider = resolve("keyword:")
    assert resolve(provider) is provider


def test_every_shelf_can_be_named():
    assert len({shelf.prefix for shelf in SHELVES}) == len(SHELVES) == 14


@pytest.mark.parametrize(
    ("kind", "key", "status", "told"),
    [
        ("openai", "OPENAI_API_KEY", 404, "has no model 'gpt-nope' for this key"),
        ("openai", "OPENAI_API_KEY", 401, "rejects the key in OPENAI_API_KEY"),
        ("anthropic", "ANTHROPIC_API_KEY", 404, "has no model 'gpt-nope' for this key"),
        ("openai", "OPENAI_API_KEY", 200, ""),
        ("openai", "OPENAI_API_KEY", 500, ""),
    ],
)
def test_the_vendor_is_asked_for_the_model_before_anything_is_spent(monkeypatch, kind, key, status, told):
    with status_server(status) as server:
        provider = resolve(f"{kind}:gpt-nope", base_url=server.url)
        monkeypatch.setitem(HOSTS, kind, replace(HOSTS[kind], url=server.url))
        monkeypatch.setenv(key, "k-1")
        problems = asyncio.run(_checked(provider))
    assert server.paths[0].endswith("/models/gpt-nope")
    assert (told in problems[0]) if told else problems == []


async def _checked(provider):
    async with provider:
        return await provider.check()
