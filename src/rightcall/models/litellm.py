"""`litellm:VENDOR/MODEL`: every vendor that the package `litellm` knows (the extra `litellm`).

It reads keys and servers from its own variables; `base_url`, `key_env` and `headers` come before them. A LiteLLM proxy
is `litellm:litellm_proxy/MODEL`, or any OpenAI-compatible client with `base_url`.
"""

from __future__ import annotations

import os
from time import perf_counter
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from rightcall.core.errors import ConfigError, InputError, MissingExtraError
from rightcall.model.dialects import openai_chat as spelling
from rightcall.models import failures
from rightcall.models.base import ModelReply, ModelRequest, Prompt, Provider
from rightcall.models.endpoint import ModelEndpoint
from rightcall.models.openai import constant_fields, message_fields, read_reply
from rightcall.models.prices import Prices, cost
from rightcall.models.remote import Json, with_ids
from rightcall.models.sdk_client import provider_error

if TYPE_CHECKING:
    from rightcall.models.resolver import ProviderOptions


class LiteLLMProvider(Provider):
    """A model asked through the package, in this process."""

    def __init__(
        self, model: str, *, endpoint: ModelEndpoint | None = None, prices: Prices | None = None
    ) -> None:
        try:
            import litellm  # type: ignore[import-not-found,unused-ignore]
        except ImportError:
            raise MissingExtraError(f"litellm:{model}", "litellm", "litellm") from None
        self._litellm, self._prices = litellm, prices
        self.model, self.name = model, f"litellm:{model}"
        self._endpoint = endpoint or ModelEndpoint(self.name)
        self._constant: tuple[Prompt, Json] | None = None

    @property
    def server(self) -> str:
        """The server in keys of caches and records; "" is the one that the package chooses."""
        return self._endpoint.server

    def __repr__(self) -> str:
        return f"LiteLLMProvider({self.model!r})"

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Ask once; LiteLLM's own retries are off."""
        fields = {
            **self._fields(request.prompt),
            **message_fields(request),
            **self._address(),
            "num_retries": 0,
        }
        started = perf_counter()
        try:
            answer: Any = await self._litellm.acompletion(**fields)
        except Exception as error:  # every vendor's exceptions, as LiteLLM translates them
            raise provider_error(error, "litellm") from None
        latency = (perf_counter() - started) * 1000
        try:
            reply = read_reply(answer.model_dump(), "reply")
        except InputError as error:
            raise failures.format_error("litellm", str(error)) from None
        price = cost(self.name, reply.usage, self._prices)
        if price is None:
            hidden = getattr(answer, "_hidden_params", None) or {}
            price = hidden.get("response_cost")
        usage = replace(reply.usage, cost_usd=price)
        return replace(reply, message=with_ids(reply.message, request.turn), usage=usage, latency_ms=latency)

    def prepare(self, prompt: Prompt) -> None:
        """Encode the prompt now."""
        self._fields(prompt)

    async def check(self) -> list[str]:
        """Keys that LiteLLM finds missing for this model."""
        environment = self._litellm.validate_environment(model=self.model)
        return [f"{self.name} needs a key; set {name}" for name in environment.get("missing_keys", [])]

    def _address(self) -> Json:
        endpoint = self._endpoint
        if missing := endpoint.missing_variables():
            raise ConfigError(f"{self.name} needs a key; set the environment variable {missing[0]}")
        stated = {
            "api_base": endpoint.base_url,
            "api_key": os.environ.get(endpoint.key_env or "") or None,
            "extra_headers": endpoint.header_values() or None,
        }
        return {name: value for name, value in stated.items() if value is not None}

    def _fields(self, prompt: Prompt) -> Json:
        if self._constant is None or self._constant[0] is not prompt:
            stated = constant_fields(self.model, prompt, "max_tokens")
            fields = {name: value for name, value in stated.items() if value is not None}
            if prompt.tools:
                fields["tools"] = [spelling.write_tool(tool) for tool in prompt.tools]
            self._constant = (prompt, {**fields, **prompt.settings.extra})
        return self._constant[1]


def make(model: str, options: ProviderOptions) -> LiteLLMProvider:
    """The provider of a name."""
    return LiteLLMProvider(model, endpoint=options.endpoint, prices=options.prices)
