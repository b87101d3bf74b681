"""Every recipe of docs/models.md sends the right path, model and key; its host is replaced by a local server."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

from rightcall.providers.base import ModelRequest, Prompt
from rightcall.providers.catalog import read_models
from rightcall.providers.resolver import resolve
from rightcall.records import Message
from tests.support.one_server import one_server

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text()
RECIPES = {
    name: entry
    for block in re.findall(r"```yaml\n(.*?)```", PAGE.partition("## Servers and gateways")[2], re.S)
    for name, entry in yaml.safe_load(block).items()
}
PATHS = {
    "azure": "/openai/v1/chat/completions",
    "bedrock": "/openai/v1/chat/completions",
    "vertex": "/v1/projects/my-project/locations/us-central1/endpoints/openapi/chat/completions",
    "openrouter": "/api/v1/chat/completions",
    "ollama": "/v1/chat/completions",
    "vllm": "/v1/chat/completions",
    "litellm": "/v1/chat/completions",
}


def test_every_server_has_its_recipe():
    assert RECIPES.keys() == PATHS.keys()


@pytest.mark.parametrize("name", PATHS)
def test_a_recipe_reaches_its_path_with_its_key_alone(name, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai-0123456789")
    entry = dict(RECIPES[name])
    if entry.get("key_env"):
        monkeypatch.setenv(entry["key_env"], f"key-of-{name}")
    with one_server() as server:
        here = server.url.removesuffix("/v1")
        entry["base_url"] = here + urlsplit(entry["base_url"]).path
        provider = resolve(read_models({name: entry}, "models").endpoint(name))

        async def ask():
            async with provider:
                return await provider.complete(ModelRequest(Prompt(), (Message("user", "Hi"),)))

        asyncio.run(ask())
    assert server.paths == [PATHS[name]]
    assert server.bodies[0]["model"] == entry["model"].removeprefix("openai:")
    sent = server.headers[0].get("authorization")
    assert sent == (f"Bearer key-of-{name}" if entry.get("key_env") else None)
    for header, value in entry.get("headers", {}).items():
        assert server.headers[0][header.lower()] == value
