"""A key goes to a stranger only with a warning that names both."""

from __future__ import annotations

import warnings

import pytest

from rightcall.providers.openai import OpenAIProvider
from rightcall.providers.remote import KeyWarning


def warned(monkeypatch: pytest.MonkeyPatch, url: str | None) -> list[str]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    provider = OpenAIProvider("m", base_url=url)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        provider._headers()
        provider._headers()
    return [str(one.message) for one in caught if one.category is KeyWarning]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://evil.example/v1", "OPENAI_API_KEY, a key of api.openai.com, is sent to evil.example"),
        ("http://10.0.0.7:8000/v1", "is sent to 10.0.0.7 over plain HTTP, where it can be intercepted"),
        ("http://api.openai.com/v1", "is sent to api.openai.com over plain HTTP"),
        ("https://api.openai.com.evil.example/v1", "is sent to api.openai.com.evil.example"),
    ],
)
def test_a_stranger_is_named_once(monkeypatch, url, words):
    [text] = warned(monkeypatch, url)
    assert words in text


@pytest.mark.parametrize(
    "url", [None, "https://api.openai.com/v1", "http://127.0.0.1:1/v1", "http://[::1]:1/v1"]
)
def test_no_warning_for_the_vendor_or_this_machine(monkeypatch, url):
    assert warned(monkeypatch, url) == []
