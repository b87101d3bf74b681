"""`azure:DEPLOYMENT`: OpenAI's models on Azure. With `OPENAI_API_VERSION` set, the address is that of a deployment.

Without it, Azure's v1 API is asked, whose versions are not dated.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote

from rightcall.models.openai import OpenAIProvider

if TYPE_CHECKING:
    from rightcall.models.resolver import ProviderOptions


class AzureProvider(OpenAIProvider):
    """A deployment of a resource; its key has its own header."""

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

    def authorization(self, key: str) -> Mapping[str, str]:
        """The key as Azure takes it."""
        return {"api-key": key}


def make(model: str, options: ProviderOptions) -> AzureProvider:
    """The provider of a name."""
    return AzureProvider.of(model, options)
