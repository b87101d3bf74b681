"""Providers that speak OpenAI's chat completions at their own hosts (`hosts.HOSTS`), each with what it says otherwise.

azure:DEPLOYMENT          OpenAI's models on Azure
mistral:MODEL             Mistral's models
openrouter:VENDOR/MODEL   many vendors' models behind one key
ollama:MODEL, vllm:MODEL  a model that Ollama or vLLM serves, by default on this machine
"""

from __future__ import annotations

import os
from typing import ClassVar
from urllib.parse import quote

from msgspec.structs import replace

from rightcall.models.base import ModelReply, ModelRequest, Prompt
from rightcall.models.openai import OpenAIProvider
from rightcall.models.remote import Json


class AzureProvider(OpenAIProvider):
    """A deployment of a resource; its key has its own header.

    With `OPENAI_API_VERSION` set, the address is that of a deployment; without it, Azure's v1 API is asked, whose
    versions are not dated.
    """

    prefix: ClassVar[str] = "azure"
    models_path: ClassVar[str] = ""
    key_header: ClassVar[str] = "api-key"
    limit_field = "max_completion_tokens"

    @property
    def path(self) -> str:
        """Below the resource's endpoint, or below the `base_url` of its v1 API."""
        dated = os.environ.get("OPENAI_API_VERSION", "").strip()
        if dated:
            deployment = quote(self.model, safe="")
            return f"/openai/deployments/{deployment}/chat/completions?api-version={quote(dated)}"
        return "/chat/completions" if self.base_url.endswith("/v1") else "/openai/v1/chat/completions"


class MistralProvider(OpenAIProvider):
    """Mistral's models: the seed is `random_seed`, and a required call is `any`."""

    prefix: ClassVar[str] = "mistral"
    limit_field = "max_tokens"

    def constant(self, prompt: Prompt) -> Json:
        fields = super().constant(prompt)
        if fields["tool_choice"] == "required":
            fields["tool_choice"] = "any"
        return fields

    @staticmethod
    def request_fields(request: ModelRequest) -> Json:
        fields = OpenAIProvider.request_fields(request)
        if "seed" in fields:
            fields["random_seed"] = fields.pop("seed")
        return fields


class OpenRouterProvider(OpenAIProvider):
    """A model of OpenRouter's list. The price of each answer comes with it."""

    prefix: ClassVar[str] = "openrouter"
    models_path: ClassVar[str] = ""
    limit_field = "max_tokens"

    def constant(self, prompt: Prompt) -> Json:
        return {**super().constant(prompt), "usage": {"include": True}}

    @staticmethod
    def read(body: Json, where: str) -> ModelReply:
        """The one choice, with what it cost."""
        reply = OpenAIProvider.read(body, where)
        usage = body.get("usage")
        price = usage.get("cost") if isinstance(usage, dict) else None
        if isinstance(price, int | float) and not isinstance(price, bool) and price >= 0:
            return replace(reply, usage=replace(reply.usage, cost_usd=float(price)))
        return reply


class OllamaProvider(OpenAIProvider):
    prefix: ClassVar[str] = "ollama"
    limit_field = "max_tokens"


class VllmProvider(OpenAIProvider):
    prefix: ClassVar[str] = "vllm"
    models_path: ClassVar[str] = ""
    limit_field = "max_tokens"
