"""Whatever a server does, it ends in one clear error on that call, and the key is not in it."""

from __future__ import annotations

import asyncio
import json
import re
import ssl

import pytest
import trustme

from rightcall.core.errors import ConfigError, ProviderError
from rightcall.providers.endpoint import ModelEndpoint
from rightcall.providers.http import MEGABYTE, Network
from rightcall.providers.resolver import resolve

from .loopback import canned, json_server, raw_server
from .samples import a_request, ask

KEY = "sk-test-0123456789abcdefghij"
GOOD = {"choices": [{"message": {"role": "assistant", "content": "hi"}}]}


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def failure(url: str, **limits) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        ask(resolve("openai:m", base_url=url, network=Network(**limits)))
    assert KEY not in str(caught.value) and KEY not in repr(caught.value)
    assert len(str(caught.value)) < 600 and "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    ("status", "kind", "retryable"),
    [
        ("400 Bad Request", "request", False),
        ("401 Unauthorized", "auth", False),
        ("403 Forbidden", "auth", False),
        ("404 Not Found", "rejected", False),
        ("408 Request Timeout", "timeout", True),
        ("409 Conflict", "rejected", True),
        ("422 Unprocessable", "request", False),
        ("429 Too Many Requests", "rate_limit", True),
        ("500 Internal", "server", True),
        ("502 Bad Gateway", "server", True),
        ("503 Unavailable", "overloaded", True),
        ("504 Gateway Timeout", "timeout", True),
        ("529 Overloaded", "overloaded", True),
    ],
)
def test_a_status_says_what_happened_and_whether_to_ask_again(status, kind, retryable):
    words = json.dumps({"error": {"message": f"because of {KEY}\x1b[31m\nline two"}}).encode()
    with canned(words, status) as url:
        error = failure(url)
    assert (error.kind, error.retryable, error.status) == (kind, retryable, int(status[:3]))
    assert "because of [secret]" in str(error) and "\x1b" not in str(error)


def test_rate_limits_carry_the_servers_own_wish():
    with canned(b"{}", "429 Too Many Requests", retry_after="7") as url:
        assert failure(url).retry_after == 7


def test_a_used_up_quota_is_not_asked_again():
    body = b'{"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}'
    with canned(body, "429 Too Many Requests", retry_after="7") as url:
        error = failure(url)
    assert (error.retryable, error.retry_after) == (False, None)


def test_a_redirect_is_not_followed_with_the_key():
    with json_server(lambda body: GOOD) as other:
        with canned(b"", "307 Temporary Redirect", location=other.url) as url:
            error = failure(url)
        assert (error.kind, error.retryable, other.paths) == ("rejected", False, [])


@pytest.mark.parametrize("content", [b"<html>Sign in</html>", b"data: {}\n\n"])
def test_a_web_page_instead_of_json_is_shown_in_part(content):
    with canned(content, content_type="text/html; charset=utf-8") as url:
        error = failure(url)
    assert (error.kind, error.retryable) == ("malformed", False) and "text/html" in str(error)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"nul", b"\xff\xfe", b'{"a": NaN}', b"[" * 5000])
def test_an_answer_that_is_not_a_json_object_is_malformed(content):
    with canned(content) as url:
        assert failure(url).kind == "malformed"


def test_an_answer_of_ten_megabytes_is_read_and_one_over_the_limit_is_not():
    big = json.dumps({"choices": [{"message": {"content": "x" * 10 * MEGABYTE}}]}).encode()
    with canned(big) as url:
        assert len(ask(resolve("openai:m", base_url=url)).message.content) == 10 * MEGABYTE
        error = failure(url, largest_reply=9 * MEGABYTE)
    assert (error.kind, error.retryable) == ("too_large", False)


def test_an_endless_answer_is_given_up_at_the_limit():
    async def talk(reader, writer):
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n")
        for _ in range(200):
            writer.write(b"x" * 65536)
            await writer.drain()

    with raw_server(talk) as url:
        assert failure(url, largest_reply=MEGABYTE).kind == "too_large"


def test_a_body_that_is_cut_off_is_a_dropped_connection():
    with canned(b'{"choices": [', content_length="500") as url:
        error = failure(url)
    assert (error.kind, error.retryable) == ("dropped", True)


@pytest.mark.parametrize("first", [b"", b"HTTP/1.1 200 OK\r\ncontent-ty"])
def test_a_connection_closed_without_an_answer_is_dropped(first):
    async def talk(reader, writer):
        writer.write(first)

    with raw_server(talk) as url:
        error = failure(url)
    assert (error.kind, error.retryable) == ("dropped", True)


def test_something_that_does_not_speak_http_is_malformed():
    async def talk(reader, writer):
        writer.write(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")

    with raw_server(talk) as url:
        assert failure(url).kind == "malformed"


def test_a_slow_drip_ends_at_the_deadline():
    async def talk(reader, writer):
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n")
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.02)

    with raw_server(talk) as url:
        error = failure(url, total=0.3)
    assert (error.kind, error.retryable) == ("timeout", True)


def test_silence_ends_at_the_read_deadline():
    async def talk(reader, writer):
        await asyncio.sleep(30)

    with raw_server(talk) as url:
        assert failure(url, read=0.2).kind == "timeout"


def test_a_port_without_a_listener_is_unreachable():
    error = failure("http://127.0.0.1:9")
    assert (error.kind, error.retryable) == ("unreachable", True)


def test_an_unknown_host_is_not_asked_again():
    error = failure("http://no-such-host.invalid")
    assert error.kind == "unreachable"


def tls_for(name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    authority = trustme.CA()
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    client = ssl.create_default_context()
    authority.issue_cert(name).configure_cert(server)
    authority.configure_trust(client)
    return server, client


async def good(reader, writer):
    body = json.dumps(GOOD).encode()
    writer.write(
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%b"
        % (len(body), body)
    )


@pytest.mark.parametrize(("name", "trusting"), [("127.0.0.1", False), ("other.example", True)])
def test_a_certificate_that_is_not_trusted_or_not_the_hosts_is_a_tls_error(name, trusting):
    server, client = tls_for(name)
    with raw_server(good, server) as url:
        error = failure(url, trusted=client if trusting else None)
    assert (error.kind, error.retryable) == ("tls", False)


def test_a_trusted_server_is_talked_to_over_tls():
    server, client = tls_for("127.0.0.1")
    with raw_server(good, server) as url:
        reply = ask(resolve("openai:m", base_url=url, network=Network(trusted=client)))
    assert reply.message.content == "hi"


def test_plain_http_at_the_other_end_of_https_is_a_tls_error():
    with raw_server(good, listens=False) as url:
        assert failure(url.replace("http:", "https:")).kind == "tls"


def test_one_bad_answer_leaves_the_other_calls_alone():
    def answer(body):
        assert "bad" not in body["messages"][-1]["content"]
        return GOOD

    async def three(provider):
        async with provider:
            texts = ("one", "bad", "two")
            return await asyncio.gather(
                *(provider.complete(a_request(text)) for text in texts), return_exceptions=True
            )

    with json_server(answer) as server:
        first, second, third = asyncio.run(three(resolve("openai:m", base_url=server.url)))
    assert isinstance(second, ProviderError) and first.message == third.message


def test_the_key_goes_to_the_server_and_nowhere_else(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with json_server(lambda body: {**GOOD, "content": []}) as server:
        names = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
        endpoints = [ModelEndpoint(f"{prefix}:m", server.url, key) for prefix, key in names.items()]
        providers = [resolve(endpoint) for endpoint in endpoints]
        for provider in providers:
            ask(provider)
            assert KEY not in repr(provider) and KEY not in repr(vars(provider))
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert server.headers[1]["x-api-key"] == KEY and server.headers[1]["anthropic-version"] == "2023-06-01"


def test_a_server_of_ones_own_needs_no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with json_server(lambda body: GOOD) as server:
        ask(resolve("openai:m", base_url=server.url))
    assert "authorization" not in server.headers[0]


@pytest.mark.parametrize(
    "url",
    [
        "ftp://host",
        "host:80/v1",
        "http://",
        "http://h:99999",
        "http://u:hunter22@h/v1",
        "http://h/v1?key=hunter22",
    ],
)
def test_a_base_url_that_cannot_work_is_refused_without_repeating_its_password(url):
    with pytest.raises(ConfigError, match="base_url") as caught:
        resolve("openai:m", base_url=url)
    assert not re.search(
        "hunter22", str(caught.value).replace(url, "") if "@" not in url else str(caught.value)
    )
