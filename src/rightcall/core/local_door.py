"""Who may speak to a server for programs on this machine: an OTLP receiver, a recording proxy.

A page of another site must not reach it through a browser on this machine: browsers say where a request comes from
(`Origin`, `Sec-Fetch-Site`), and a name that suddenly resolves to this machine is not one of its names (`Host`).
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

PRIVATE = (".localhost", ".internal", ".svc.cluster.local")
"""Domains that nobody can register: a page cannot have a name in them resolve to this machine."""


@dataclass(frozen=True)
class LocalDoor:
    """The rules of one server. `token` is empty when none is required; `names` are further names of this machine."""

    token: str = ""
    names: Iterable[str] = ()
    hint: str = "use its address"

    def refusal(self, headers: Mapping[str, str]) -> tuple[int, str] | None:
        """Status and reason, if a request may not pass. Only its head is needed for that."""
        if "origin" in headers or headers.get("sec-fetch-site", "none") != "none":
            return 403, "requests of web pages are not accepted"
        host = host_name(headers.get("host", ""))
        if not self._is_ours(host):
            return 403, f"'{host[:100]}' is not a name of this machine; {self.hint}"
        if self.token and not same_secret(headers.get("authorization", ""), f"Bearer {self.token}"):
            return 401, "a valid bearer token is required"
        return None

    def _is_ours(self, host: str) -> bool:
        """Addresses cannot be rebound, and a name without a dot cannot be registered."""
        if not host:
            return False
        names = {name.lower() for name in self.names}
        return "." not in host or host.endswith(PRIVATE) or host in names or is_address(host)


def host_name(host: str) -> str:
    """The Host header without its port, in lower case; "" when it is more than a name and a port."""
    if any(mark in host for mark in "/?#@\\"):
        return ""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower().rstrip(".")
    except ValueError:
        return ""


def is_address(host: str) -> bool:
    """Whether it is an IP address and not a name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def same_secret(sent: str, expected: str) -> bool:
    """Whether two texts are equal; compared in constant time."""
    return hmac.compare_digest(sent.encode(errors="replace"), expected.encode(errors="replace"))
