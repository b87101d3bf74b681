"""Where models are served: the host of each provider, and the variables of its SDK for another host and the key.

One row per provider with a wire format. The order for a request is: a written address (`openai:NAME@URL` or
`base_url`), the SDK's variable, the provider's own host.
"""

from __future__ import annotations

import os
import re
from typing import Literal
from urllib.parse import urlsplit

from rightcall.core.errors import ConfigError
from rightcall.providers.http import check_url
from rightcall.records.record import Record

_ADDRESS = re.compile(r"([^@]*(?:@(?!https?://)[^@]*)*)@(https?://.*)", re.DOTALL)
_AGENTS = ("http:", "exec:")
"""Whose names are addresses or commands already."""


class Host(Record, frozen=True):
    """The host of a provider: its URL, the variable with another URL, and the variable with the key.

    `url` may name variables: `{AWS_REGION|AWS_DEFAULT_REGION}`. Without a URL the server must be stated. `vendor_hosts`
    is a pattern of the vendor's host names where there are several. `path` is added to the URL of the variable, and
    `port` when that is only a host name. `first_key_variable` comes before `key_variable`; `token_variable` has a token
    that is sent as `Authorization: Bearer` when there is no key.
    """

    url: str
    url_variable: str = ""
    key_variable: str = ""
    token_variable: str = ""
    first_key_variable: str = ""
    vendor_hosts: str = ""
    path: str = ""
    port: int = 0
    needs_key: bool = True

    def is_vendor(self, url: str) -> bool:
        if self.port:  # this machine, where each port is another server
            return origin_of(url) == origin_of(self.url)
        hostname = (urlsplit(url).hostname or "").lower()
        if self.vendor_hosts:
            return re.fullmatch(self.vendor_hosts, hostname) is not None
        return hostname == urlsplit(self.url).hostname

    def default_url(self, prefix: str) -> str:
        """The URL without any setting; `ConfigError` when a variable that it needs is not set."""
        if not self.url:
            raise ConfigError(f"{prefix}: needs a server; set {self.url_variable} or base_url")

        def value(match: re.Match[str]) -> str:
            names = match[1].split("|")
            for name in names:
                if setting := os.environ.get(name, "").strip():
                    return setting
            raise ConfigError(f"{prefix}: needs a region; set {names[0]} or base_url")

        return re.sub(r"\{([^}]+)\}", value, self.url)

    def sdk_variable_url(self) -> str:
        """The URL that the SDK's variable states, complete; empty when it is not set."""
        stated = os.environ.get(self.url_variable, "").strip() if self.url_variable else ""
        if not stated:
            return ""
        if self.port and "://" not in stated:
            name, _, port = stated.partition(":")
            host = "127.0.0.1" if name in ("", "0.0.0.0") else name  # noqa: S104  where it listens, not we
            stated = f"http://{host}:{port or self.port}"
        stated = check_url(stated, self.url_variable)
        return stated if not self.path or stated.endswith(self.path) else stated + self.path


HOSTS = {
    "anthropic": Host(
        "https://api.anthropic.com", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"
    ),
    "openai": Host("https://api.openai.com/v1", "OPENAI_BASE_URL", "OPENAI_API_KEY"),
    "openai-responses": Host("https://api.openai.com/v1", "OPENAI_BASE_URL", "OPENAI_API_KEY"),
    "azure": Host(
        "", "AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN",
        vendor_hosts=r"[a-z0-9-]+\.(openai|cognitiveservices|services\.ai)\.azure\.com",
    ),
    "bedrock": Host(  # without a key, requests are signed
        "https://bedrock-runtime.{AWS_REGION|AWS_DEFAULT_REGION}.amazonaws.com",
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "AWS_BEARER_TOKEN_BEDROCK", needs_key=False,
        vendor_hosts=r"bedrock-runtime(-fips)?\.[a-z0-9-]+\.amazonaws\.com(\.cn)?",
    ),
    "gemini": Host(
        "https://generativelanguage.googleapis.com", "GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY",
        first_key_variable="GOOGLE_API_KEY",
    ),
    "mistral": Host("https://api.mistral.ai/v1", key_variable="MISTRAL_API_KEY"),
    "openrouter": Host("https://openrouter.ai/api/v1", key_variable="OPENROUTER_API_KEY"),
    "ollama": Host(
        "http://127.0.0.1:11434/v1", "OLLAMA_HOST", "OLLAMA_API_KEY", path="/v1", port=11434, needs_key=False
    ),
}  # fmt: skip
"""By the prefix of `provider:model`."""

Source = Literal["written", "variable", "default"]


class ServerAddress(Record, frozen=True):
    """The URL that requests go to, and what determined it."""

    url: str
    source: Source

    @property
    def origin(self) -> str:
        return origin_of(self.url)


def address_of(prefix: str, base_url: str | None = None) -> ServerAddress | None:
    """Where a provider's models are asked now; None for a provider without a host, or whose client decides."""
    host = HOSTS.get(prefix)
    if host is None:
        return None
    if base_url:
        return ServerAddress(check_url(base_url), "written")
    if stated := host.sdk_variable_url():
        return ServerAddress(stated, "variable")
    return ServerAddress(host.default_url(prefix), "default")


def split_address(model: str) -> tuple[str, str | None]:
    """`openai:qwen@http://127.0.0.1:8000/v1` as the model and its server; None without an address."""
    match = None if model.startswith(_AGENTS) else _ADDRESS.fullmatch(model)
    return (match[1], check_url(match[2])) if match else (model, None)


def at_address(model: str, base_url: str | None) -> tuple[str, str | None]:
    """The model and its server, from its name or from `base_url`; two different servers are an error."""
    name, own = split_address(model)
    if own and base_url and own != check_url(base_url):
        raise ConfigError(
            f"'{model}' names its server, and base_url is another: {base_url}; remove one of them"
        )
    return name, own or base_url


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


def host_label(url: str) -> str:
    """The host of a URL as people write it: `api.openai.com`, `127.0.0.1:8000`."""
    return urlsplit(url).netloc.rpartition("@")[2]
