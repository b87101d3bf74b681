"""Rates never round to certainty, in a sentence or in a table; long texts are cut to a length."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from rightcall.core.text import (
    change_interval,
    first_names,
    margin_text,
    one_line,
    percent,
    percent_change,
    percent_interval,
    points,
    shorten,
)


@pytest.mark.parametrize(
    ("share", "sentence", "whole", "table", "precise"),
    [
        (0, "0%", "0%", "0.0%", "0.00%"),
        (1, "100%", "100%", "100.0%", "100.00%"),
        (0.873, "87.3%", "87%", "87.3%", "87.30%"),
        (0.5, "50%", "50%", "50.0%", "50.00%"),
        (0.9996, "99.96%", ">99%", ">99.9%", "99.96%"),
        (0.0004, "0.04%", "<1%", "<0.1%", "0.04%"),
        (0.00001, "0.001%", "<1%", "<0.1%", "<0.01%"),
    ],
)
def test_percent(share, sentence, whole, table, precise):
    assert (percent(share), percent(share, 0), percent(share, 1), percent(share, 2)) == (
        sentence, whole, table, precise,
    )  # fmt: skip


@given(st.floats(0.0001, 0.9999), st.integers(0, 3) | st.none())
def test_a_rate_is_never_certain(share, digits):
    number = percent(share, digits).rstrip("%")
    assert number.startswith(("<", ">")) or 0 < float(number) < 100
    assert abs(float(number.strip("<>")) / 100 - share) <= 0.01


def test_differences():
    assert (percent_change(0.042), percent_change(-0.5, 0), points(0.042), points(-0.05, 0)) == (
        "+4.2%", "-50%", "+4.2 points", "-5 points",
    )  # fmt: skip
    assert (margin_text(0.05), margin_text(0.01), margin_text(0.025)) == ("5 points", "1 point", "2.5 points")
    assert percent_interval(0.85, 0.991) == "85–99%"
    assert percent(None) == percent(None, 1) == percent_interval(None, 0.9) == "–"
    assert change_interval(-0.01, 0.2, 0) == "-1% … +20%"
    assert change_interval(None, 0.2) == "–"


@given(st.text(), st.integers(1, 20))
def test_a_short_text_is_kept_and_a_long_one_cut(text, limit):
    short = shorten(text, limit)
    assert short == text if len(text) <= limit else short[-1] == "…"
    assert text.startswith(short.removesuffix("…")) or short == text
    assert len(short) <= max(2, limit)


def test_one_line_and_first_names():
    assert one_line(" a\n\x1b[31mb\u202e ") == "a ⟨U+001B⟩[31mb⟨U+202E⟩"
    assert len(one_line("x" * 5000)) == 300
    assert (first_names(["a", "b"], 2), first_names(["a", "b", "c"], 2)) == ("a, b", "a, b, …")
