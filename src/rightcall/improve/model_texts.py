"""Several texts of a model for the same question."""

from __future__ import annotations

import asyncio

from rightcall.core.errors import ProviderError
from rightcall.model.message import Message
from rightcall.models.base import ModelRequest, Prompt, Provider

VARIANTS = 3


async def ask_variants(provider: Provider, prompt: Prompt, question: str, name: str, seed: int) -> list[str]:
    """The answers, each in one line and without quotes around it, without those that the provider failed to give."""
    messages = (Message("user", question),)
    requests = [
        ModelRequest(prompt, messages, golden_id=name, trial=n, seed=seed + n) for n in range(VARIANTS)
    ]
    replies = await asyncio.gather(*map(provider.complete, requests), return_exceptions=True)
    texts = []
    for reply in replies:
        if not isinstance(reply, BaseException):
            texts.append(" ".join(reply.message.content.strip().strip('"').split()))
        elif not isinstance(reply, ProviderError):
            raise reply
    return texts
