"""The one HTTP client: a request out, JSON bytes back, or a `ProviderError`.

It sends each request once. The executor's pool decides about retries from the `ProviderError`.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from rightcall.core.errors import ConfigError, ProviderError
from rightcall.core.text import one_line
from rightcall.providers import failures
from rightcall.providers.failures import MEGABYTE

if TYPE_CHECKING:
    import aiohttp
    from yarl import URL


class Network(msgspec.Struct, frozen=True):
    """Limits of the client, in seconds and bytes. `read` is the longest silence between two bytes."""

    connections: int = 100
    total: float = 300.0
    connect: float = 10.0
    read: float = 300.0
    largest_reply: int = 32 * MEGABYTE
    trusted: ssl.SSLContext | None = None
    keep_alive: bool = True


class HttpClient:
    """Posts JSON to one server over a pool of connections, opened at the first request.

    `headers` is called for the key when the connections are opened. The key is sent only to this server
    (redirects are not followed), and never appears in an error or a repr.
    """

    def __init__(self, base_url: str, headers: Callable[[], Mapping[str, str]], network: Network) -> None:
        self.base_url = check_url(base_url)
        self.network = network
        self._headers = headers
        self._session: aiohttp.ClientSession | None = None
        self._urls: dict[str, URL] = {}

    def __repr__(self) -> str:
        return f"HttpClient({self.base_url!r})"

    async def post(self, path: str, body: bytes, own: Mapping[str, str] | None = None) -> bytes:
        """The body of a successful JSON response, or a `ProviderError`. `own` are headers of this request."""
        status, headers, content = await self.exchange(path, body, own)
        if status != 200:
            raise failures.refusal_error(self.base_url, status, headers, content)
        kind = headers.get("content-type", "json")
        if "json" not in kind.lower():
            raise failures.not_json(self.base_url, kind, content)
        return content

    async def exchange(
        self, path: str, body: bytes, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and body of any response; a `ProviderError` when there is none."""
        session = self._session or self.open()
        url = self._urls.get(path) or self.url(path)
        try:
            async with session.post(url, data=body, headers=headers, allow_redirects=False) as response:
                return response.status, response.headers, await self._read(response)
        except ProviderError:
            raise
        except Exception as error:  # every transport exception becomes one kind of error
            raise failures.transport(self.base_url, error, self.network.total) from None

    async def status(self, path: str) -> int | None:
        """The status of a GET request, or None without a response within `Network.connect` seconds."""
        session = self._session or self.open()
        try:
            async with (
                asyncio.timeout(self.network.connect),
                session.get(self.url(path), allow_redirects=False) as response,
            ):
                return response.status
        except Exception:  # any transport exception: the first real request will report it
            return None

    async def aclose(self) -> None:
        session = self._session
        self._session = None
        if session is not None:
            await session.close()

    async def unreachable(self) -> str | None:
        """Why the server is unreachable, or None. Sends nothing."""
        url = urlsplit(self.base_url)
        if proxy_for(self.base_url):
            return None  # unknown behind a proxy
        port = url.port or (443 if url.scheme == "https" else 80)
        try:
            async with asyncio.timeout(self.network.connect):
                _, writer = await asyncio.open_connection(url.hostname, port)
        except TimeoutError:
            return f"{self.base_url} did not accept a connection within {self.network.connect:g} s"
        except OSError as error:
            return f"{self.base_url} cannot be reached: {one_line(str(error))}"
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
        return None

    def open(self) -> aiohttp.ClientSession:
        """Prepare the client. Requires a running event loop; `ConfigError` without a key."""
        if self._session is not None:
            return self._session
        import aiohttp

        limits = self.network
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=limits.connections,
                keepalive_timeout=60 if limits.keep_alive else None,
                force_close=not limits.keep_alive,
                ttl_dns_cache=300,
                ssl=limits.trusted or True,
            ),
            headers={
                "content-type": "application/json",
                "accept": "application/json",
                "accept-encoding": "gzip",
                "user-agent": "rightcall",
                **self._headers(),
            },
            timeout=aiohttp.ClientTimeout(
                total=limits.total,
                sock_connect=limits.connect,
                # Set anew with every packet: only where it can end a request before `total` does.
                sock_read=limits.read if limits.read < limits.total else None,
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            read_bufsize=256 * 1024,
            proxy=proxy_for(self.base_url),
        )
        return self._session

    def url(self, path: str) -> URL:
        """The address of a path, exactly as it is requested."""
        from yarl import URL

        if len(self._urls) > 100:  # paths of sessions, which are not asked for again
            self._urls.clear()
        return self._urls.setdefault(path, URL(self.base_url + path))

    async def _read(self, response: aiohttp.ClientResponse) -> bytes:
        limit = self.network.largest_reply
        if (response.content_length or 0) > limit:
            raise failures.too_large(self.base_url, limit)
        chunks = []
        size = 0
        while chunk := await response.content.readany():
            chunks.append(chunk)
            size += len(chunk)
            if size > limit:
                raise failures.too_large(self.base_url, limit)
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def check_url(base_url: str, what: str = "base_url") -> str:
    """The URL without a trailing slash, or a `ConfigError` that does not expose a password."""
    try:
        url = urlsplit(base_url.strip())
        valid = url.scheme in ("http", "https") and bool(url.hostname) and (url.port is None or url.port > 0)
    except ValueError:
        valid = False
    if not valid:
        shown = one_line(base_url.rsplit("@", 1)[-1], 100)
        raise ConfigError(f"{what} must look like http://host:port/v1, got '{shown}'")
    if url.username or url.password or url.query or url.fragment:
        raise ConfigError(
            f"{what} for {url.hostname} must not contain a user, password or query;"
            " keys come from the environment"
        )
    return base_url.strip().rstrip("/")


def proxy_for(base_url: str) -> str | None:
    """The proxy set in the environment for this server; never for this machine itself."""
    from urllib.request import getproxies, proxy_bypass

    url = urlsplit(base_url)
    host = url.hostname or ""
    if host in ("localhost", "::1") or host.startswith("127.") or proxy_bypass(host):
        return None
    return getproxies().get(url.scheme)
