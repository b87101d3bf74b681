"""Tables keep their numbers at any width; texts are shortened, and columns that do not fit follow below."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, strategies as st
from rich.cells import cell_len

from rightcall.improve.run_matrix import TrendPoint
from rightcall.show.comparison import print_trend
from rightcall.show.screen import Screen, print_columns

TITLES = ("name", "goldens", "rate", "interval", "changed")


def printed(width: int, show) -> str:
    file = io.StringIO()
    show(Screen(file=file, width=width))
    return file.getvalue()


@given(
    st.integers(40, 120),
    st.lists(
        st.tuples(
            st.text("name ñ界", min_size=1, max_size=60),
            st.integers(0, 10**9),
            st.text("abc def", max_size=90),
        ),
        min_size=1,
        max_size=4,
    ),
)
def test_every_number_is_there_and_no_line_is_wider_than_the_terminal(width, found):
    rows = [(name, f"{n:,}", f"{n % 100}.5%", "-12% … +34%", text) for name, n, text in found]
    lines = printed(
        width, lambda out: print_columns(out, TITLES, rows, texts=("name", "changed"))
    ).splitlines()
    text = "\n".join(lines)
    for _, number, rate, interval, _ in rows:
        assert number in text and rate in text and interval in text
    assert all(title in text for title in TITLES[1:4])
    assert max(map(cell_len, lines)) <= width


def a_point(n: int) -> TrendPoint:
    changed = ("agent.system", "tools.get_weather.description")
    return TrendPoint(
        f"261116-09491{n}-de2964",
        "2026-11-16T09:49",
        f"agent {n}",
        0.5,
        range="24–76%",
        goldens=10,
        changed=changed,
        joined=n > 0,
    )


@pytest.mark.parametrize("width", [60, 80, 200])
def test_a_trend_shows_its_rates(width):
    text = printed(width, lambda out: print_trend(out, "nightly", [a_point(n) for n in range(3)]))
    assert text.count("50.0%") == 3 and text.count("24–76%") == 3
    assert all(f"261116-09491{n}-de2964" in text for n in range(3))
