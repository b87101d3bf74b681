"""`litellm:VENDOR/MODEL`: every vendor that the package `litellm` knows (the extra `litellm`).

It reads keys and servers from its own variables; `base_url`, `key_env` and `headers` come before them. A LiteLLM proxy
is `litellm:litellm_proxy/MODEL`, or any OpenAI-compatible client with `base_url`.
"""

from __future__ import annotations

import os
from typing import Any

from rightcall.core.errors import ConfigError, MissingExtraError
from rightcall.providers.base import Prompt
from rightcall.providers.endpoint import ModelEndpoint, ProviderOptions
from rightcall.providers.openai import OpenAIProvider
from rightcall.providers.prices import Prices
from rightcall.providers.remote import Json, fields_without_none
from rightcall.providers.sdk_client import SdkProvider
from rightcall.records import Usage


class LiteLLMProvider(SdkProvider):
    """A model asked through the package, in this process. LiteLLM's own retries are off."""

    def __init__(
        self, model: str, *, endpoint: ModelEndpoint | None = None, prices: Prices | None = None
    ) -> None:
        try:
            import litellm  # type: ignore[import-not-found,unused-ignore]
        except ImportError:
            raise MissingExtraError(f"litellm:{model}", "litellm", "litellm") from None
        self._litellm = litellm
        self._ask_through(litellm.acompletion, OpenAIProvider, "litellm", prices)
        self.model = model
        self.name = f"litellm:{model}"
        self._endpoint = endpoint or ModelEndpoint(self.name)
        self._server = self._endpoint.server

    @classmethod
    def of(cls, model: str, options: ProviderOptions) -> LiteLLMProvider:
        return cls(model, endpoint=options.endpoint, prices=options.prices)

    def __repr__(self) -> str:
        return f"LiteLLMProvider({self.model!r})"

    async def check(self) -> list[str]:
        """Keys that LiteLLM finds missing for this model."""
        environment = self._litellm.validate_environment(model=self.model)
        return [f"{self.name} needs a key; set {name}" for name in environment.get("missing_keys", [])]

    def _constant_fields(self, prompt: Prompt) -> Json:
        return OpenAIProvider.constant_fields(self.model, prompt, "max_tokens")

    def _split(self, fields: Json) -> Json:
        """With the server and the key, which LiteLLM takes as settings of each request."""
        endpoint = self._endpoint
        if missing := endpoint.missing_variables():
            raise ConfigError(f"{self.name} needs a key; set the environment variable {missing[0]}")
        address = fields_without_none(
            api_base=endpoint.base_url,
            api_key=os.environ.get(endpoint.key_env or "") or None,
            extra_headers=endpoint.header_values() or None,
        )
        return {**fields, **address, "num_retries": 0}

    def _cost(self, usage: Usage, answer: Any) -> float | None:
        price = super()._cost(usage, answer)
        if price is None:
            price = (getattr(answer, "_hidden_params", None) or {}).get("response_cost")
        return price
