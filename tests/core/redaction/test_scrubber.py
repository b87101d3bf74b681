"""What is, or looks like, a key does not get through."""

from __future__ import annotations

import base64
import html
import json
import textwrap
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, strategies as st

from rightcall.core.redaction.clean_text import HIDDEN, scrub
from rightcall.core.text import one_line


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
    "name", ["DB_PASS", "GITHUB_PAT", "API_KEYS", "OPENAI_API_KEY_2", "KEY_PASSPHRASE", "SECRET_KEY_BASE"]
)
def test_environment_variables_are_secrets_by_their_names(monkeypatch, name):
    monkeypatch.setenv(name, "correct horse battery")
    assert scrub("no: correct horse battery!") == "no: [secret]!"


@pytest.mark.parametrize("text", ["Authorization: Bearer {}", '{{"Authorization": "Bearer {}"}}'])
def test_a_token_that_reads_like_a_word_is_hidden_in_a_header(text):
    assert scrub(text.format("abcdefghijkl")) == text.format(HIDDEN)


@pytest.mark.parametrize(
    "text",
    ["the task was risk-free", "Bearer of bad news", "Bearer certificates.", "sk-1", "a-b-c_d", "key: value"],
)
def test_ordinary_words_stay(text):
    assert scrub(text) == text


def test_foreign_text_becomes_one_printable_line_of_bounded_length():
    assert one_line("a\n\tb\x1b[0m" + "c" * 999, 20) == "a b⟨U+001B⟩[0m" + "c" * 5 + "…"


SPELLINGS = {
    "plain": lambda s: s,
    "json": json.dumps,
    "json without ascii only": lambda s: json.dumps(s, ensure_ascii=False),
    "json in json": lambda s: json.dumps(json.dumps({"key": s})),
    "url": lambda s: quote(s, safe=""),
    "path": quote,
    "url in small letters": lambda s: "".join(f"%{byte:02x}" for byte in s.encode()),
    "escaped": lambda s: "".join(f"\\u00{ord(c):02x}" for c in s),
    "hex": lambda s: s.encode().hex(),
    "base64": lambda s: base64.b64encode(s.encode()).decode(),
    "base64 for urls": lambda s: base64.urlsafe_b64encode(s.encode()).decode(),
    "basic authorization": lambda s: base64.b64encode(f"me:{s}".encode()).decode(),
    "base64 of a document": lambda s: base64.b64encode(
        json.dumps({"k": s, "n": 1}, ensure_ascii=False).encode()
    ).decode(),
    "broken base64": lambda s: "\n  ".join(textwrap.wrap(base64.b64encode(f"x{s}y".encode()).decode(), 16)),
    "two lines": lambda s: f"{s[:9]}\n{s[9:]}",
    "two lines of windows": lambda s: f"{s[:9]}\r\n    {s[9:]}",
    "form": quote_plus,
    "html": html.escape,
    "json four times": lambda s: json.dumps(json.dumps(json.dumps(json.dumps({"key": s})))),
    "hex in pairs": lambda s: s.encode().hex(":"),
    "a paragraph": lambda s: f"{s[:9]}\n\n{s[9:]}",
    "an unseen character": lambda s: f"{s[:9]}\u200b{s[9:]}",
    "a line separator": lambda s: f"{s[:9]}\u2028{s[9:]}",
    "two lines in json": lambda s: json.dumps(f"{s[:5]}\n{s[5:]}"),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(
    "secret", ["correct-horse-battery-9", "hunter2/hunter+2==", "aA0-_aA0-_aA0", 'pass "word" & more']
)
def test_other_spellings_of_a_known_secret_are_removed(secret, spelling):
    text = SPELLINGS[spelling](secret)
    clean = scrub(f"before {text} after", secret)
    assert HIDDEN in clean
    assert clean.startswith("before ") and clean.endswith(" after")
    assert len(clean) <= len("before  after") + len(HIDDEN) * 2 + max(8, len(text) - len(secret))


@given(
    st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=40),
    st.text(max_size=5),
    st.text(max_size=5),
    st.integers(0, 40),
)
def test_the_secret_cannot_be_read_from_what_is_left(secret, before, after, at):
    """Whatever surrounds it, decoding the clean text does not bring the secret back."""
    coded = base64.b64encode((before + secret + after).encode("utf-8", "replace")).decode()
    left = scrub(coded, secret).replace(HIDDEN, "AAAA")
    assert secret.encode() not in base64.b64decode(left.rstrip("=") + "A" * (-len(left.rstrip("=")) % 4))
    assert secret not in scrub(f"{before}{secret[:at]}\n{secret[at:]}{after}", secret).replace("\n", "")
    for text in (
        quote(secret, safe=""),
        quote_plus(secret) if " " not in secret else secret,
        json.dumps(secret),
    ):
        assert text not in scrub(f"{before}{text}{after}", secret) or len(text) < 8


def test_json_stays_json_when_a_secret_is_removed_from_it():
    for text in ('{"a": "x\\\\u0063orrect-horse", "b": "\\u0063orrect-horse", "c": "correct-\\nhorse"}',):
        clean = scrub(text, "correct-horse")
        assert json.loads(clean)["b"] == json.loads(clean)["c"] == HIDDEN


@pytest.mark.parametrize("text", ["100 %\nof it", "a\\nb", "%zz\n\\u00zz", "\n" * 1000, "C:\\new\\u0041"])
def test_text_without_a_secret_is_unchanged(text):
    assert scrub(text, "correct-horse-battery") == text
