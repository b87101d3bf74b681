"""Addresses of pages."""

from __future__ import annotations

from hypothesis import given, strategies as st

from rightcall.limbs.dashboard.links import from_segment, run_link, segment, with_query


@given(st.text(min_size=1))
def test_any_name_survives_as_one_part_of_a_path(name):
    written = segment(name)
    assert from_segment(written) == name
    assert written.isascii() and not set(written) & set("/?#%. \\") - {"."} and written not in (".", "..")


@given(st.text())
def test_reading_an_invalid_segment_raises_nothing(part):
    assert isinstance(from_segment(part), str)


def test_ordinary_ids_stay_readable():
    assert (
        run_link("260102-030405-ab12cd", code="wrong_value") == "/runs/260102-030405-ab12cd?code=wrong_value"
    )


def test_what_is_empty_is_left_out():
    assert with_query("/runs", text="", tag=None, name="a b") == "/runs?name=a+b"
