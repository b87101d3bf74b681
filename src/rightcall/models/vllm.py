"""`vllm:MODEL`: a model that vLLM serves, on this machine unless `VLLM_BASE_URL` or `base_url` says otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rightcall.models.openai import OpenAIProvider

if TYPE_CHECKING:
    from rightcall.models.resolver import ProviderOptions


class VllmProvider(OpenAIProvider):
    """Chat completions of vLLM."""

    prefix: ClassVar[str] = "vllm"
    models_path: ClassVar[str] = ""
    limit_field = "max_tokens"


def make(model: str, options: ProviderOptions) -> VllmProvider:
    """The provider of a name."""
    return VllmProvider.of(model, options)
