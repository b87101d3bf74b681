"""Who may see the dashboard, and which requests may change data.

On loopback no token is required: anyone who can reach it can read the store's file as well. On any other
interface every page needs the token, once in the URL (`/?token=…`) or in the form; a cookie remembers it.

A page of another site must not reach the dashboard through the visitor's browser. Its scripts cannot send our
Host (a name that suddenly resolves to 127.0.0.1 is refused here), and its posts lack the page's token and
have the wrong Origin.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from rightcall.core.local_door import host_name, is_address, same_secret

COOKIE = "rightcall_session"
CSRF_FIELD = "csrf"
CSRF_HEADER = "x-rightcall-csrf"


class Access:
    """The rules of one running dashboard. `token` is empty when none is required."""

    def __init__(self, token: str = "", names: Iterable[str] = ()) -> None:
        self.token = token
        self._names = {"localhost", socket.gethostname().lower(), *(name.lower() for name in names)}
        self._secret = secrets.token_bytes(32)

    def host_is_ours(self, headers: Headers) -> bool:
        """Whether the Host is an address or a name of this machine. An address cannot be rebound; a name can."""
        host = host_name(headers.get("host", ""))
        return host in self._names or is_address(host)

    def admits(self, headers: Headers, cookies: dict[str, str]) -> bool:
        """Whether the request carries the token, as a cookie or as `Authorization: Bearer`."""
        if not self.token:
            return True
        scheme, _, credential = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.is_token(credential.strip()):
            return True
        return same_secret(cookies.get(COOKIE, ""), self.session)

    def is_token(self, candidate: str) -> bool:
        """Whether this is the token; compared in constant time."""
        return bool(self.token) and same_secret(candidate, self.token)

    @property
    def session(self) -> str:
        """The cookie's value: it proves the token without containing it."""
        return hmac.new(self.token.encode(), b"rightcall session", "sha256").hexdigest()

    def csrf(self, admitted: bool) -> str:
        """The form token of a page. Before login, visitors get one that only allows logging in."""
        return hmac.new(self._secret, b"in" if admitted else b"out", "sha256").hexdigest()

    def refusal_to_write(self, headers: Headers, csrf_token: str, admitted: bool) -> str:
        """Why this request may not change anything; "" when it may."""
        origin = headers.get("origin", "")
        if not origin or urlsplit(origin).netloc.lower() != headers.get("host", "").lower():
            return "this change did not come from a page of this dashboard"
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return "this change came from another site"
        if not same_secret(csrf_token or headers.get(CSRF_HEADER, ""), self.csrf(admitted)):
            return "the page is older than the running dashboard; reload it and try again"
        return ""


def is_loopback(host: str) -> bool:
    """Whether a server listening there is reachable only from this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
