"""`mistral:MODEL`: Mistral's chat completions, which differ from OpenAI's in two names."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rightcall.models.base import ModelRequest, Prompt
from rightcall.models.openai import OpenAIProvider
from rightcall.models.remote import Json

if TYPE_CHECKING:
    from rightcall.models.resolver import ProviderOptions


class MistralProvider(OpenAIProvider):
    """Mistral's models: the seed is `random_seed`, and a required call is `any`."""

    prefix: ClassVar[str] = "mistral"
    limit_field = "max_tokens"

    def constant(self, prompt: Prompt) -> Json:
        fields = super().constant(prompt)
        if fields["tool_choice"] == "required":
            fields["tool_choice"] = "any"
        return fields

    def varying(self, request: ModelRequest) -> Json:
        fields = super().varying(request)
        if "seed" in fields:
            fields["random_seed"] = fields.pop("seed")
        return fields


def make(model: str, options: ProviderOptions) -> MistralProvider:
    """The provider of a name."""
    return MistralProvider.of(model, options)
