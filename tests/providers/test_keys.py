"""Where a key goes: to its vendor, to the host its SDK's variable names, elsewhere only when it is named."""

from __future__ import annotations

import itertools
import warnings

import pytest

from rightcall.errors import ConfigError
from rightcall.providers import HOSTS, ModelEndpoint, resolve
from rightcall.providers.remote import KeyWarning

KEY, OTHER = "sk-test-0123456789abcdef", "other-secret-of-a-gateway"
GATEWAY, STRANGER = "https://gateway.example:8443/llm/v1", "https://evil.example/v1"


def headers_of(prefix: str, **fields: object) -> dict[str, str]:
    provider = resolve(ModelEndpoint(f"{prefix}:m", **fields))
    return dict(provider._headers())


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_GATEWAY", OTHER)
    for host in HOSTS.values():
        monkeypatch.setenv(host.key_variable, KEY)
        monkeypatch.delenv(host.url_variable, raising=False)


WRITTEN = {
    "nothing": None,
    "the vendor": "vendor",
    "the variable's host": GATEWAY,
    "the variable's host, another path": "https://gateway.example:8443/other",
    "this machine": "http://127.0.0.1:9/v1",
    "a stranger": STRANGER,
    "a name that begins like the vendor": "https://api.openai.com.evil.example/v1",
}
TRUSTED = ("nothing", "the vendor", "the variable's host", "the variable's host, another path")


@pytest.mark.parametrize(
    ("prefix", "place", "variable", "named"),
    list(itertools.product(HOSTS, WRITTEN, (False, True), (None, "own", "vendor"))),
)
def test_the_vendors_key_goes_elsewhere_only_when_it_is_named(monkeypatch, prefix, place, variable, named):
    host = HOSTS[prefix]
    if variable:
        monkeypatch.setenv(host.url_variable, GATEWAY)
    url = host.url if WRITTEN[place] == "vendor" else WRITTEN[place]
    key_env = {"own": "MY_GATEWAY", "vendor": host.key_variable}.get(named)
    sent = " ".join(headers_of(prefix, base_url=url, key_env=key_env).values())
    trusted = place in TRUSTED and (variable or not place.startswith("the variable's"))
    assert (KEY in sent) == (named == "vendor" or (named is None and trusted))
    assert (OTHER in sent) == (named == "own")


def test_a_written_url_comes_before_the_variable_and_that_before_the_vendor(monkeypatch):
    assert resolve("openai:m").base_url == HOSTS["openai"].url
    monkeypatch.setenv("OPENAI_BASE_URL", GATEWAY + "/")
    assert resolve("openai:m").base_url == resolve("openai-responses:m").base_url == GATEWAY
    assert resolve("openai:m", base_url=STRANGER).base_url == STRANGER
    assert resolve("anthropic:m").base_url == HOSTS["anthropic"].url


def test_an_unusable_variable_is_named(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "gateway.example/v1")
    with pytest.raises(ConfigError, match="OPENAI_BASE_URL must look like http"):
        resolve("openai:m")


def test_anthropics_token_is_sent_when_there_is_no_key(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token-of-a-proxy")
    assert headers_of("anthropic")["x-api-key"] == KEY
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    assert headers_of("anthropic")["authorization"] == "Bearer token-of-a-proxy"


def test_written_headers_are_filled_from_the_environment_and_replace_the_key():
    sent = headers_of("openai", headers={"Authorization": "Basic ${MY_GATEWAY}", "X-Title": "tests"})
    assert (sent["authorization"], sent["x-title"]) == (f"Basic {OTHER}", "tests")


def test_a_variable_that_is_not_set_is_named():
    for fields in ({"key_env": "NOT_SET_HERE"}, {"headers": {"x": "${NOT_SET_HERE}"}}):
        with pytest.raises(ConfigError, match="NOT_SET_HERE"):
            headers_of("openai", base_url=STRANGER, **fields)


def test_key_and_headers_of_an_endpoint_stay_at_its_server():
    entry = ModelEndpoint("openai:m", GATEWAY, "MY_GATEWAY", {"x-team": "${MY_GATEWAY}"})
    assert entry.at("https://gateway.example:8443/v2").key_env == "MY_GATEWAY"
    for url in (STRANGER, "http://gateway.example:8443/v1", "https://gateway.example/v1"):
        assert (entry.at(url).key_env, entry.at(url).headers) == (None, {})
    assert entry.at(STRANGER, "MY_GATEWAY").key_env == "MY_GATEWAY"


def warned(url: str | None, key_env: str | None) -> list[str]:
    provider = resolve(ModelEndpoint("openai:m", url, key_env))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        provider._headers()
        provider._headers()
    return [str(one.message) for one in caught if one.category is KeyWarning]


@pytest.mark.parametrize("url", ["http://10.0.0.7:8000/v1", "http://api.openai.com/v1"])
def test_a_key_sent_in_the_open_is_warned_of_once(url):
    [text] = warned(url, "OPENAI_API_KEY")
    assert "OPENAI_API_KEY is sent to" in text and "over plain HTTP, where it can be intercepted" in text


@pytest.mark.parametrize(
    ("url", "key_env"),
    [
        (None, None),
        ("https://api.openai.com/v1", None),
        ("http://10.0.0.7:8000/v1", None),  # no key is sent
        ("https://evil.example/v1", "OPENAI_API_KEY"),
        ("http://127.0.0.1:1/v1", "OPENAI_API_KEY"),
        ("http://[::1]:1/v1", "OPENAI_API_KEY"),
    ],
)
def test_no_warning_when_nobody_can_listen(url, key_env):
    assert warned(url, key_env) == []
