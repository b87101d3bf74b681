"""Ordinary text is never changed, and a planted secret never gets through: both ways, for every door's redactor."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, strategies as st

from rightcall.core.redaction.clean_text import scrub
from rightcall.limbs.traces.redaction import Redactor
from tests.core.redaction.planted_secrets import (
    BEGINS_A_TOKEN,
    CONTEXTS,
    HEX,
    KEYS,
    URL_CONTEXTS,
    URLSAFE,
    VALUES,
    Chance,
    basic_header,
)
from tests.core.redaction.sentences import documented_sentences, made_sentences

SEED = 20261116
REDACTOR = Redactor(b"key")
DOORS = {"scrubber": scrub, "redactor": REDACTOR.text}


def escaped(text: str, times: int) -> str:
    for _ in range(times):
        text = json.dumps(text)[1:-1]
    return text


@pytest.mark.parametrize("door", DOORS)
def test_ordinary_sentences_lose_nothing(door):
    sentences = [*documented_sentences(), *made_sentences(2_000, SEED)]
    assert len(sentences) >= 5_000
    changed = [(text, DOORS[door](text)) for text in sentences if DOORS[door](text) != text]
    assert changed == []


@pytest.mark.parametrize("door", DOORS)
def test_ordinary_paragraphs_and_json_of_sentences_lose_nothing(door):
    chance = random.Random(SEED)
    for _ in range(100):
        some = chance.sample(documented_sentences(), 5) + made_sentences(5, chance.randrange(10**6))
        for text in ("\n".join(some), " ".join(some), json.dumps({"content": some}), repr(some)):
            assert DOORS[door](text) == text


@pytest.mark.parametrize("name", KEYS)
def test_a_key_is_found_at_any_place_of_ordinary_text(name):
    chance = Chance(f"{SEED} {name}")
    for _ in range(20):
        text = chance.choice(documented_sentences())
        key = KEYS[name](chance)
        at = chance.choice(
            [n for n in range(len(text) + 1) if name not in BEGINS_A_TOKEN or text[n - 1 : n] in ("", " ")]
        )
        levels = chance.randrange(3)
        planted = (
            escaped(text[:at], levels)
            + escaped(key, levels)
            + " " * (name in BEGINS_A_TOKEN)
            + escaped(text[at:], levels)
        )
        for line in [part for part in key.split("\n") if "-----" not in part]:
            for door in DOORS.values():
                assert line not in door(planted), (name, planted)


@pytest.mark.parametrize("context", [*CONTEXTS, *URL_CONTEXTS])
def test_any_value_is_a_secret_where_a_secret_stands(context):
    chance = Chance(f"{SEED} {context}")
    template = {**CONTEXTS, **URL_CONTEXTS}[context]
    for kind in [kind for kind in VALUES if context not in URL_CONTEXTS or "base64" not in kind]:
        secret = VALUES[kind](chance)
        for levels in range(3):
            before, after = chance.sample(documented_sentences(), 2)
            planted = escaped(f"{before}\n{template.format(secret)}\n{after}", levels)
            for door, clean in DOORS.items():
                cleaned = clean(planted)
                assert secret not in cleaned, (door, kind, planted)
                assert escaped(before, levels) in cleaned and escaped(after, levels) in cleaned, (
                    door,
                    kind,
                    planted,
                )


def test_basic_credentials_are_found_in_headers_and_alone():
    chance = Chance(SEED)
    for _ in range(50):
        header, coded = basic_header(chance)
        for text in (header, f"it sent Basic {coded} twice", json.dumps({"Authorization": f"Basic {coded}"})):
            assert all(coded not in door(text) for door in DOORS.values())


@pytest.mark.parametrize(
    "text",
    [
        "tool --api-key {} -v",
        "the token is {}.",
        "Bearer {}, twice",
        "sig={}",
        "?X-Amz-Signature={}",
        "my key: {}",
        "passwd {} does not work",
        "ENV SECRET_KEY {}",
        "password\n{}\nwhy?",
        "password:\n  {}",
        "| password | {} |",
        "I used bearer `{}`",
        "next?refresh_token%3D{}%26x",
        "Das Passwort lautet {}",
        "密码: {}",
    ],
)
def test_a_value_that_looks_random_is_a_secret_where_one_is_spoken_of(text):
    chance = Chance(SEED)
    for _ in range(200):
        secret = chance.choice([chance.chars(24), chance.chars(32, HEX), chance.chars(43, URLSAFE)])
        assert all(secret not in door(text.format(secret)) for door in DOORS.values()), secret


def test_declared_values_are_replaced_verbatim_whatever_they_look_like(monkeypatch):
    monkeypatch.setenv("GATEWAY_TOKEN", "basic subscription")
    for clean in (scrub, Redactor(b"key").text):
        assert "basic subscription" not in clean("I have a basic subscription, and nothing else.")


@given(st.text(max_size=12), st.text(max_size=12), st.integers(0, 2))
def test_json_stays_json_and_other_fields_stay(secret, other, levels):
    record: object = {"password": secret, "other": f"it is {other}"}
    text = json.dumps(record)
    for _ in range(levels):
        text = json.dumps({"inner": text})
    cleaned = json.loads(scrub(text))
    for _ in range(levels):
        cleaned = json.loads(cleaned["inner"])
    assert cleaned["other"] == f"it is {other}"


def test_redacting_again_changes_nothing():
    chance = Chance(SEED)
    for context in CONTEXTS.values():
        for clean in DOORS.values():
            once = clean(context.format(VALUES["random"](chance)))
            assert clean(once) == once


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer <token>",
        "export OPENAI_API_KEY=${OPENAI_API_KEY}",
        'password="********"',
        "Password: required",
        "password: str",
        '{"logprobs": [{"token": "The", "key": "value"}]}',
        "task-550e8400-e29b-41d4-a716-446655440000 is done",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "call_9fJq2LxWk3TzVb8RmNp4Yc returned 200",
        "max_tokens=4096, token_count: 12345678",
        "the file begins with -----BEGIN RSA PRIVATE KEY----- and is not one",
        "sk-learn-compatible-estimators-2024 and pk_orders_2024_customer_idx",
        "Use --password to set a password, --token to set a token.",
        "ASIA PACIFIC, SOUTHEASTASIAN REGION",
        "Set OPENAI_API_KEY=sk-... before you run it.",
        "Authorization: pending",
        '{"authorization": "approved", "cookie": "accepted"}',
        "Password strength: medium. Key strengths: patience.",
        "secret: boolean",
        "Token MARKETPLACE-GIFT is REFUNDABLE; token REFUNDABLE",
        "key: LENGTHS, token REIMBURSEMENTS",
        "<password>required</password> and <password></password>",
        "| password | minimum length |",
        "the primary_key customer_id_2026, SECRET_KEY rotation",
        "redirect%3Dhome%26token%3Dnone%26x",
        "Password: Summer2026Sale is on. Password: see page12, then OAuth2.",
        "Das Passwort: vergessen. Mật khẩu: quên rồi. 密码: 忘记了",
    ],
)
def test_what_only_speaks_of_secrets_stays(text):
    assert scrub(text) == REDACTOR.text(text) == text


@pytest.mark.parametrize(
    "text",
    ["my password: {}", "<password>{}</password>", "url%3Fpassword%3D{}%26x", "password={}"],
)
@pytest.mark.parametrize("password", ["hunter2hunter2", "baseball99", "S3cur3P4ss", "ruf0us!x"])
def test_a_password_that_looks_like_words_and_digits_is_a_secret_as_a_whole(text, password):
    for door in DOORS.values():
        before, after = text.split("{}")
        cleaned = door(text.format(password))
        assert cleaned.startswith((f"{before}[", f"{before}<")) and cleaned.endswith(
            ("]" + after, ">" + after)
        )
        assert password not in cleaned
