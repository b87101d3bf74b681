"""Addresses of pages."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from rightcall.show.dashboard.links import from_segment, local_path, run_link, segment, with_query


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


@pytest.mark.parametrize(
    "target", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:1", "", "/a\r\nb"]
)
def test_a_way_back_never_leads_to_another_site(target):
    assert local_path(target) == "/"


def test_a_way_back_keeps_its_query():
    assert local_path("/runs/new?code=no_call") == "/runs/new?code=no_call"
