"""`openrouter:VENDOR/MODEL`: many vendors' models behind one key. The price of each answer comes with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace

from rightcall.models.base import ModelReply, Prompt
from rightcall.models.openai import OpenAIProvider, read_reply
from rightcall.models.remote import Json

if TYPE_CHECKING:
    from rightcall.models.resolver import ProviderOptions


class OpenRouterProvider(OpenAIProvider):
    """A model of OpenRouter's list."""

    prefix: ClassVar[str] = "openrouter"
    models_path: ClassVar[str] = ""
    limit_field = "max_tokens"

    def constant(self, prompt: Prompt) -> Json:
        return {**super().constant(prompt), "usage": {"include": True}}

    def read(self, body: Json, where: str) -> ModelReply:
        """The one choice, with what it cost."""
        reply = read_reply(body, where)
        usage = body.get("usage")
        price = usage.get("cost") if isinstance(usage, dict) else None
        if isinstance(price, int | float) and not isinstance(price, bool) and price >= 0:
            return replace(reply, usage=replace(reply.usage, cost_usd=float(price)))
        return reply


def make(model: str, options: ProviderOptions) -> OpenRouterProvider:
    """The provider of a name."""
    return OpenRouterProvider.of(model, options)
