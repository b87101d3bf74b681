"""YAML means what JSON would mean, and is written so that every reader agrees."""

from __future__ import annotations

import pytest
import yaml

from rightcall.files.yaml_text import yaml_dumper, yaml_items


def value(text: str) -> object:
    [(_, found)], _, _ = yaml_items(f"- {text}\n".encode(), "items", "f.yaml")
    return found


@pytest.mark.parametrize(
    "text",
    [
        "007",
        "NO",
        "yes",
        "on",
        "True",
        "NULL",
        "2026-01-01",
        "1_000",
        "0x1F",
        "1:30",
        ".5",
        "+1",
        ".inf",
        "=",
        "1.",
        "<<",
    ],
)
def test_what_is_not_json_is_text(text: str):
    assert value(text) == text


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("true", True),
        ("null", None),
        ("~", None),
        ("", None),
        ("-5", -5),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ("-0", 0),
        ("'5'", "5"),
        ('"true"', "true"),
        ("!!str 5", "5"),
        ("! 5", "5"),
        ("!!int 5", 5),
        ("{1: a, true: b}", {"1": "a", "true": "b"}),
    ],
)
def test_json_words_and_numbers_are_values_and_quotes_make_text(text: str, meant: object):
    assert repr(value(text)) == repr(meant)


def test_aliases_repeat_a_value():
    entries, _, _ = yaml_items(b"- &base {city: Hue}\n- *base\n- {x: *base}\n", "items", "f.yaml")
    assert [item for _, item in entries] == [{"city": "Hue"}, {"city": "Hue"}, {"x": {"city": "Hue"}}]


@pytest.mark.parametrize(
    "text", ["007", "NO", "1e5", "1_0", "2026-01-01", "-0", "1E400", "~", "", "=", "0.0"]
)
def test_text_that_some_reader_would_take_for_a_value_is_quoted(text: str):
    written = yaml_dumper()([text])
    assert yaml.safe_load(written) == [text]
    assert written.startswith(("- '", '- "')) and value(written[2:].rstrip("\n")) == text
