"""What is, or looks like, a key does not get through."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from rightcall.providers.secrets import _LOOKS_SECRET, HIDDEN, one_line, scrub


@pytest.mark.parametrize(
    "secret",
    [
        "sk-ant-api03-AbCdEf0123456789",
        "sk-proj-abcdefghij0123456789",
        "hf_abcdefghijklmnop12",
        "AKIAIOSFODNN7EXAMPLE",
    ],
)
def test_keys_are_known_by_their_looks(secret):
    assert scrub(f"invalid key {secret} given") == "invalid key [secret] given"


def test_the_environments_own_secrets_are_hidden_whatever_they_look_like(monkeypatch):
    monkeypatch.setenv("GATEWAY_TOKEN", "correct horse battery")
    assert scrub("no: correct horse battery!") == "no: [secret]!"


@pytest.mark.parametrize(
    "text", ["the task was risk-free", "Bearer of bad news", "sk-1", "a-b-c_d", "key: value"]
)
def test_ordinary_words_stay(text):
    assert scrub(text) == text


def test_foreign_text_becomes_one_printable_line_of_bounded_length():
    assert one_line("a\n\tb\x1b[0m\u202e" + "c" * 999, 20) == "a b [0m " + "c" * 11 + "…"


@given(st.from_regex(_LOOKS_SECRET))
def test_whatever_looks_like_a_key_is_found_by_its_hints(text):
    assert scrub(text) == _LOOKS_SECRET.sub(HIDDEN, text) != text
