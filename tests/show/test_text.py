"""Foreign text on its way to a screen."""

from __future__ import annotations

import msgspec
from hypothesis import given, strategies as st

from rightcall.show.text import display_text, json_text, one_line, visible
from tests.show.samples import DEEP


@given(st.text(st.characters(codec=None), max_size=200))
def test_nothing_that_steers_or_reorders_survives(text: str) -> None:
    shown = visible(text)
    assert not any(ord(c) < 32 and c not in "\n\t" for c in shown)
    assert not any("\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069" for c in shown)
    shown.encode()


def test_bidirectional_overrides_are_written_out() -> None:
    assert visible("a\u202eb\x1b[31m") == "a⟨U+202E⟩b⟨U+001B⟩[31m"


def test_scripts_and_emoji_that_need_joiners_keep_them() -> None:
    for text in ("می\u200cخواهم", "👩\u200d🔧", "北京\u3000上海", "Đà\u00a0Nẵng"):
        assert visible(text) == text


def test_five_megabytes_become_a_beginning_and_a_number() -> None:
    shown = display_text("x" * 5_000_000)
    assert len(shown) < 21_000
    assert shown.endswith("(4,980,000 more characters)")


def test_one_line_has_no_newline_and_an_end() -> None:
    assert one_line("a\n  b\tc") == "a b c"
    assert len(one_line("word " * 10_000, 50)) == 50


def test_deep_json_does_not_become_a_staircase() -> None:
    assert json_text(DEEP).startswith('{"d":[{"d":[')
    assert "\n" not in json_text(DEEP)


@given(st.recursive(st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab"), st.lists, max_leaves=20))
def test_short_json_reads_back(value: object) -> None:
    assert msgspec.json.decode(json_text(value).replace("\n", " ")) == value
