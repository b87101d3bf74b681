"""Who may see the dashboard, and which requests may change something.

On loopback nobody is asked for a token: whoever can reach it can read the store's file as well. On any other
interface every page needs the token, once in the address (`/?token=…`) or in the form; a cookie remembers it.

A page of another site must not reach us through the visitor's browser. Its scripts cannot send a Host of ours
(a name that suddenly resolves to 127.0.0.1 is refused here), and what it posts lacks the page's token and has
the wrong Origin.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers

COOKIE = "rightcall_session"
CSRF_FIELD = "csrf"
CSRF_HEADER = "x-rightcall-csrf"


class Access:
    """The rules of one running dashboard. `token` is empty when none is asked for."""

    def __init__(self, token: str = "", names: Iterable[str] = ()) -> None:
        self.token = token
        self._names = {"localhost", socket.gethostname().lower(), *(name.lower() for name in names)}
        self._secret = secrets.token_bytes(32)

    def host_is_ours(self, headers: Headers) -> bool:
        """Whether the Host is an address or a name of this machine. An address cannot be rebound; a name can."""
        host = _name_of(headers.get("host", ""))
        return host in self._names or _is_address(host)

    def admits(self, headers: Headers, cookies: dict[str, str]) -> bool:
        """Whether the request carries the token, as a cookie or as `Authorization: Bearer`."""
        if not self.token:
            return True
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self.is_token(given.strip()):
            return True
        return _same(cookies.get(COOKIE, ""), self.session)

    def is_token(self, given: str) -> bool:
        """Whether this is the token; takes as long for a near miss as for a wild guess."""
        return bool(self.token) and _same(given, self.token)

    @property
    def session(self) -> str:
        """What the cookie holds: it proves the token without being it."""
        return hmac.new(self.token.encode(), b"rightcall session", hashlib.sha256).hexdigest()

    def csrf(self, admitted: bool) -> str:
        """What a page puts into its forms. Who has not shown the token yet gets one that only logs in."""
        return hmac.new(self._secret, b"in" if admitted else b"out", hashlib.sha256).hexdigest()

    def refusal_to_write(self, headers: Headers, given: str, admitted: bool) -> str:
        """Why this request may not change anything; "" when it may."""
        origin = headers.get("origin", "")
        if not origin or urlsplit(origin).netloc.lower() != headers.get("host", "").lower():
            return "this change was not sent from a page of this dashboard"
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return "this change was sent from another site"
        if not _same(given or headers.get(CSRF_HEADER, ""), self.csrf(admitted)):
            return "the page is older than the running dashboard; reload it and try again"
        return ""


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect to a server that listens there."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _name_of(host: str) -> str:
    """The Host header without its port, in lower case."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower().rstrip(".")
    except ValueError:
        return ""


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(errors="replace"), wanted.encode())
