"""Closed lists of values in prose."""

from __future__ import annotations

import pytest

from rightcall.lint.features.mentions import alternatives_in


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("One of: phone, video, chat.", ["phone", "video", "chat"]),
        ("Allowed values: png, jpg, webp", ["png", "jpg", "webp"]),
        ("The class of the travel. Options are: economy, business, first.", ["economy", "business", "first"]),
        ("phone | video | chat", ["phone", "video", "chat"]),
        ("The channel: phone | video | chat.", ["phone", "video", "chat"]),
        ("one of 'asc' or 'desc'", ["asc", "desc"]),
        ("Possible values: png, jpg, etc.", []),
        ("One of the users, groups of the company", []),
        ("Options: see the list, it is long", []),
        ("a | b of the table", []),
    ],
)
def test_a_list_is_closed_when_the_text_says_so(text, values):
    assert alternatives_in(text) == values
