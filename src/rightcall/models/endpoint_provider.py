"""The settings and the rate of an endpoint, applied to whatever role asks it."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from rightcall.models.base import ModelReply, ModelRequest, Prompt, Provider, Settings
from rightcall.models.endpoint import ModelEndpoint, overlaid
from rightcall.models.rate_limit import TokenBucket, shared_bucket

_REMEMBERED = 256  # prompts: one per run, or one per golden with its own tools


def with_own_settings(provider: Provider, endpoint: ModelEndpoint) -> Provider:
    """The provider, asked with the endpoint's settings and at its rate; itself when there are none."""
    if endpoint.settings == Settings() and endpoint.rate is None:
        return provider
    return EndpointProvider(provider, endpoint)


class EndpointProvider(Provider):
    """A provider whose requests have the settings of its endpoint, whatever the role that asks has built in."""

    def __init__(self, provider: Provider, endpoint: ModelEndpoint) -> None:
        self.name, self._inner, self._endpoint = provider.name, provider, endpoint
        self._prompts: dict[int, tuple[Prompt, Prompt]] = {}
        if (at_once := getattr(provider, "at_once", None)) is not None:
            self.at_once = at_once

    def __getattr__(self, name: str) -> Any:
        if name in ("base_url", "server"):
            return getattr(self._inner, name)
        raise AttributeError(name)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Ask when the rate allows it."""
        bucket = self._bucket()
        if bucket is not None:
            await bucket.take()
        reply = await self._inner.complete(replace(request, prompt=self._prompt(request.prompt)))
        if bucket is not None:
            bucket.count_tokens(reply.usage.tokens)
        return reply

    def prepare(self, prompt: Prompt) -> None:
        """Prepare the prompt as it is sent."""
        self._inner.prepare(self._prompt(prompt))

    async def check(self) -> list[str]:
        """The other provider's problems."""
        return await self._inner.check()

    async def aclose(self) -> None:
        """Close the other provider."""
        await self._inner.aclose()

    def _bucket(self) -> TokenBucket | None:
        rate = self._endpoint.rate
        return shared_bucket(" ".join(self._endpoint.identity[:2]), rate) if rate else None

    def _prompt(self, prompt: Prompt) -> Prompt:
        cached = self._prompts.get(id(prompt))
        if cached is None:
            if len(self._prompts) >= _REMEMBERED:
                self._prompts.clear()
            # The prompt is stored with it: while it is alive, its id is unique.
            own = replace(prompt, settings=overlaid(prompt.settings, self._endpoint.settings))
            cached = self._prompts[id(prompt)] = prompt, own
        return cached[1]
