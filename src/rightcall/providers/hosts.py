"""Where models are served: the host of each provider, and the variables of its SDK for another host and the key.

One row per provider with a wire format. The order for a request is: a written `base_url`, the SDK's variable, the
provider's own host.
"""

from __future__ import annotations

import os
from typing import Literal
from urllib.parse import urlsplit

from rightcall.model.record import Record
from rightcall.providers.http import checked_url


class Host(Record, frozen=True):
    """The host of a provider: its URL, the variable with another URL, and the variable with the key.

    `token_variable` has a token that is sent as `Authorization: Bearer` when there is no key.
    """

    url: str
    url_variable: str
    key_variable: str
    token_variable: str = ""


HOSTS = {
    "anthropic": Host(
        "https://api.anthropic.com", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"
    ),
    "openai": Host("https://api.openai.com/v1", "OPENAI_BASE_URL", "OPENAI_API_KEY"),
    "openai-responses": Host("https://api.openai.com/v1", "OPENAI_BASE_URL", "OPENAI_API_KEY"),
}
"""By the prefix of `provider:model`."""

Source = Literal["written", "variable", "default"]


class ServerAddress(Record, frozen=True):
    """The URL that requests go to, and what determined it."""

    url: str
    source: Source

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return origin_of(self.url)


def address_of(prefix: str, base_url: str | None = None) -> ServerAddress | None:
    """Where a provider's models are asked now; None for a provider without a host."""
    host = HOSTS.get(prefix)
    if host is None:
        return None
    if base_url:
        return ServerAddress(checked_url(base_url), "written")
    if stated := os.environ.get(host.url_variable, "").strip():
        return ServerAddress(checked_url(stated, host.url_variable), "variable")
    return ServerAddress(host.url, "default")


def server_of(model: object, base_url: str | None = None) -> str:
    """The server that a model is asked at, for keys of caches and records; "" is the provider's own, or none.

    `model` is `provider:model`, or an object with `server`.
    """
    if not isinstance(model, str):
        return str(getattr(model, "server", "") or "")
    prefix = model.partition(":")[0]
    address = address_of(prefix, base_url)
    return "" if address is None or address.url == HOSTS[prefix].url else address.url


def origin_of(url: str) -> str:
    """Scheme, host and port of a URL, as one text."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{parts.scheme}://{(parts.hostname or '').lower()}:{port}"


def shown_host(url: str) -> str:
    """The host of a URL as people write it: `api.openai.com`, `127.0.0.1:8000`."""
    return urlsplit(url).netloc.rpartition("@")[2]
