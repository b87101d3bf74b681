"""What is personal or secret is gone before anything is written, and equal stays equal."""

import json

import pytest

from rightcall.limbs.traces.redaction import Redactor

CLEAN = Redactor(b"key")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("email", "anna.schmidt+x@mail.example.co.uk"),
        ("phone", "+84 90 123 45 67"),
        ("phone", "(030) 123 456-78"),
        ("card", "4111 1111 1111 1111"),
        ("iban", "DE89 3704 0044 0532 0130 00"),
        ("key", "sk-proj-abcdefghijklmnop1234"),
        ("key", "AKIAIOSFODNN7EXAMPLE"),
        ("jwt", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0xx.c2lnbmF0dXJl"),
        ("private_key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"),
    ],
)
def test_it_is_replaced_in_texts_arguments_and_json_inside_texts(kind: str, text: str):
    for value in (
        f"to {text}, please",
        {"a": [f"x {text}"]},
        json.dumps({"deep": {"to": text}}),
        f"\n{text}",
    ):
        cleaned = json.dumps(CLEAN.value(value))
        assert f"<{kind}:" in cleaned
        assert text not in cleaned
        assert json.dumps(text)[1:-1] not in cleaned


@pytest.mark.parametrize(
    "text",
    [
        "Basic subscription",
        "a bearer certificate.",
        "Basic information: none",
        "the bearer of it",
        "token ring",
    ],
)
def test_plain_english_is_kept(text):
    assert CLEAN.text(text) == text


def test_a_bearer_token_and_a_password_field_are_replaced():
    assert CLEAN.text("Authorization: Bearer abcdef123456").startswith("Authorization: Bearer <token:")
    assert CLEAN.value({"api_key": "hunter2"})["api_key"].startswith("<secret:")


@pytest.mark.parametrize(
    "text",
    [
        "order 1234567890123",
        "2026-11-15T10:13:40Z",
        "version 10.20.30.40",
        "31 celsius",
        "id 4111 1111 1111 1112",
    ],
)
def test_ordinary_numbers_stay(text: str):
    assert CLEAN.text(text) == text


def test_equal_stays_equal_and_another_key_gives_another_mark():
    assert CLEAN.text("Anna@x.org") == CLEAN.text("anna@x.org") != CLEAN.text("bob@x.org")
    assert CLEAN.text("anna@x.org") != Redactor(b"other").text("anna@x.org")


def test_redacting_twice_is_redacting_once():
    once = CLEAN.value({"api_key": "hunter22", "to": "anna@x.org", "card": 4111111111111111})
    assert CLEAN.value(once) == once
