"""Where a key goes: to its vendor, to the host its SDK's variable names, elsewhere only when it is named."""

from __future__ import annotations

import itertools
import warnings

import pytest

from rightcall.core.errors import ConfigError
from rightcall.providers.endpoint import ModelEndpoint
from rightcall.providers.hosts import HOSTS
from rightcall.providers.remote import KeyWarning
from rightcall.providers.resolver import resolve

KEY = "sk-test-0123456789abcdef"
OTHER = "other-secret-of-a-gateway"
GATEWAY = "https://gateway.example:8443/llm/v1"
STRANGER = "https://evil.example/v1"


def headers_of(prefix: str, **fields: object) -> dict[str, str]:
    provider = resolve(ModelEndpoint(f"{prefix}:m", **fields))
    return dict(provider._headers())


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_GATEWAY", OTHER)
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    for host in HOSTS.values():
        for variable in (host.url_variable, host.first_key_variable, host.token_variable):
            if variable:
                monkeypatch.delenv(variable, raising=False)
        if host.key_variable:
            monkeypatch.setenv(host.key_variable, KEY)


WRITTEN = {
    "nothing": None,
    "the vendor": "vendor",
    "the variable's host": GATEWAY,
    "the variable's host, another path": "https://gateway.example:8443/other",
    "this machine": "http://127.0.0.1:9/v1",
    "a stranger": STRANGER,
    "a name that begins like the vendor": "https://api.openai.com.evil.example/v1",
    "a name that ends like the vendor": "https://evil-bedrock-runtime.eu.amazonaws.com.evil.example",
    "another service of the vendor": "https://stranger.execute-api.eu-central-1.amazonaws.com/v1",
}
VENDORS = {
    "azure": "https://my-team.openai.azure.com",
    "bedrock": "https://bedrock-runtime.us-east-1.amazonaws.com",
}
"""A host of the vendor, where there are several."""
OWN_KEYS = [prefix for prefix, host in HOSTS.items() if host.key_variable]
TRUSTED = ("nothing", "the vendor", "the variable's host", "the variable's host, another path")


@pytest.mark.parametrize(
    ("prefix", "place", "variable", "named"),
    list(itertools.product(OWN_KEYS, WRITTEN, (False, True), (None, "own", "vendor"))),
)
def test_the_vendors_key_goes_elsewhere_only_when_it_is_named(monkeypatch, prefix, place, variable, named):
    host = HOSTS[prefix]
    if variable and host.url_variable:
        monkeypatch.setenv(host.url_variable, GATEWAY)
    url = VENDORS.get(prefix, host.url) if WRITTEN[place] == "vendor" else WRITTEN[place]
    if url is None and not variable and not host.url:
        with pytest.raises(ConfigError, match="needs a server; set AZURE_OPENAI_ENDPOINT"):
            headers_of(prefix)
        return
    key_env = {"own": "MY_GATEWAY", "vendor": host.key_variable}.get(named)
    sent = " ".join(headers_of(prefix, base_url=url, key_env=key_env).values())
    stated = variable and host.url_variable != ""
    trusted = place in TRUSTED and (stated or not place.startswith("the variable's"))
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


@pytest.mark.parametrize(
    ("stated", "url"),
    [
        ("gpu-box", "http://gpu-box:11434/v1"),
        ("gpu-box:8080", "http://gpu-box:8080/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        (":9999", "http://127.0.0.1:9999/v1"),
        ("https://ollama.example", "https://ollama.example/v1"),
        ("http://ollama.example/v1/", "http://ollama.example/v1"),
    ],
)
def test_ollamas_host_is_read_as_ollama_reads_it(monkeypatch, stated, url):
    monkeypatch.setenv("OLLAMA_HOST", stated)
    assert resolve("ollama:qwen3").base_url == url


def test_the_region_is_part_of_the_host(monkeypatch):
    assert resolve("bedrock:m").base_url == "https://bedrock-runtime.eu-central-1.amazonaws.com"
    monkeypatch.delenv("AWS_REGION")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    assert resolve("bedrock:m").base_url == "https://bedrock-runtime.us-east-1.amazonaws.com"
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    with pytest.raises(ConfigError, match="bedrock: needs a region; set AWS_REGION"):
        resolve("bedrock:m")


def test_of_googles_two_keys_the_same_one_is_sent_as_by_its_sdk(monkeypatch):
    monkeypatch.setenv("GOOGLE_API_KEY", OTHER)
    assert headers_of("gemini")["x-goog-api-key"] == OTHER
    monkeypatch.delenv("GOOGLE_API_KEY")
    assert headers_of("gemini")["x-goog-api-key"] == KEY


def test_azures_token_is_sent_when_there_is_no_key(monkeypatch):
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", GATEWAY)
    monkeypatch.setenv("AZURE_OPENAI_AD_TOKEN", "token-of-entra")
    assert headers_of("azure")["api-key"] == KEY
    monkeypatch.delenv("AZURE_OPENAI_API_KEY")
    assert headers_of("azure")["authorization"] == "Bearer token-of-entra"
