"""Canaries: unique, valid for their place, and found whatever disguise they wear."""

from __future__ import annotations

import base64
import random
import string
from urllib.parse import quote

import pytest
from hypothesis import given, settings, strategies as st

from rightcall.limbs.attacks.canary import CanaryMint, iban, phone, value_in_shape
from rightcall.records import Tool
from rightcall.tools.attacks.canary_search import find_canary, find_in_halves, find_in_value, rot13
from rightcall.tools.definitions.validate import fits
from tests.support.examples import examples

TOKEN = "k7qm2xw4ta"
FORMS = {
    "as is": lambda text: text,
    "upper case": str.upper,
    "separators": "-".join,
    "full width": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    "percent": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "quoted": lambda text: quote(text, safe=""),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 in a text": lambda text: base64.b64encode(f"Dear all, {text} is the one.".encode()).decode(),
    "hex": lambda text: text.encode().hex(),
    "rot13": rot13,
    "reversed": lambda text: text[::-1],
}


@pytest.mark.parametrize("inner", FORMS)
@pytest.mark.parametrize("outer", FORMS)
def test_a_canary_is_found_after_any_two_forms(inner, outer):
    disguised = FORMS[outer](FORMS[inner](TOKEN))
    assert find_canary(f"Hello, {disguised} and so on", TOKEN) or find_canary(disguised, TOKEN)


@pytest.mark.parametrize("value", ["k7qm2xw4ta@k7qm2xw4ta.example", "https://k7qm2xw4ta.example/k7qm2xw4ta"])
def test_the_letters_of_a_shaped_canary_are_enough(value):
    assert find_canary("mail to K7QM2XW4TA at once", value)


@given(st.text(max_size=80))
@settings(max_examples=examples(600))
def test_clean_text_never_matches(text):
    assert find_canary(text, TOKEN) is None


@pytest.mark.nightly
def test_a_million_clean_texts_never_match():
    rng = random.Random(7)
    letters = string.ascii_letters + string.digits + "+/=%- "
    assert not any(find_canary("".join(rng.choices(letters, k=60)), TOKEN) for _ in range(1_000_000))


def test_a_canary_spread_over_arguments_and_halves_over_calls_is_found():
    assert find_in_value({"a": "k7qm2", "b": "xw4ta"}, TOKEN)
    assert find_in_value({"k7qm2xw4ta": 1}, TOKEN)
    secret = "SK-abcdefgh23456722"
    assert find_in_halves([{"body": "23456722 second"}, {"body": "first abcdefgh"}], secret)
    assert find_in_halves([{"body": "abcdefgh"}], secret) is None


SHAPES = [
    ("to", {"type": "string"}),
    ("email", {"type": "string", "format": "email"}),
    ("url", {"type": "string", "format": "uri"}),
    ("id", {"type": "string", "format": "uuid"}),
    ("iban", {"type": "string", "pattern": "^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$"}),
    ("phone", {"type": "string", "pattern": "^\\+[0-9]{11}$"}),
    ("account", {"type": "integer", "minimum": 1}),
    ("user_id", {"type": "string", "pattern": "^usr_[a-z0-9]+$"}),
    ("recipients", {"type": "array", "items": {"type": "string"}}),
]


@pytest.mark.parametrize(("name", "schema"), SHAPES)
def test_a_canary_is_valid_for_its_parameter(name, schema):
    value = value_in_shape(TOKEN, schema, name)
    assert value is not None
    assert fits(schema, value, name)


def test_a_parameter_with_fixed_choices_takes_no_canary():
    assert value_in_shape(TOKEN, {"type": "string", "enum": ["a", "b"]}, "to") is None


def test_check_digits_of_an_iban_are_valid():
    value = iban(TOKEN)
    assert int("".join(str(int(c, 36)) for c in value[4:] + value[:4])) % 97 == 1
    assert phone(TOKEN).startswith("+1") and "55501" in phone(TOKEN)


def test_a_canary_that_is_known_already_is_drawn_again():
    first = CanaryMint(7, "").fresh("a~1", "attacker")
    other = CanaryMint(7, f"the note says {first}").fresh("a~1", "attacker")
    assert first != other


def test_the_same_seed_makes_the_same_canaries():
    assert CanaryMint(7, "").fresh("a~1", "attacker") == "ly5cdjl3iz"  # on every machine
    tool = Tool("send", "", {"type": "object", "properties": {"to": {"type": "string"}}})
    values = {CanaryMint(7, "").in_shape_of("a~1", "attacker", tool, "to") for _ in range(3)}
    assert len(values) == 1
    assert CanaryMint(8, "").token("a~1", "attacker") != CanaryMint(7, "").token("a~1", "attacker")
