"""`ollama:MODEL`: a model that Ollama serves, on this machine unless `OLLAMA_HOST` or `base_url` says otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rightcall.models.openai import OpenAIProvider

if TYPE_CHECKING:
    from rightcall.models.resolver import ProviderOptions


class OllamaProvider(OpenAIProvider):
    """Chat completions of Ollama."""

    prefix: ClassVar[str] = "ollama"
    limit_field = "max_tokens"


def make(model: str, options: ProviderOptions) -> OllamaProvider:
    """The provider of a name."""
    return OllamaProvider.of(model, options)
