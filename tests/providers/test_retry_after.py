"""Every way in which servers say when to come back."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from rightcall.providers.failures import retry_after

NOW = datetime(2026, 11, 15, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "Sun, 15 Nov 2026 12:00:20 GMT"}, 20),
        ({"retry-after": "Sun, 15 Nov 2026 11:59:00 GMT"}, 0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "9" * 12}, 86400),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}, 360),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20ms"}, 0.02),
        ({"x-ratelimit-remaining-tokens": "5", "x-ratelimit-reset-tokens": "1h"}, None),
        (
            {
                "anthropic-ratelimit-tokens-remaining": "0",
                "anthropic-ratelimit-tokens-reset": "2026-11-15T12:00:09Z",
            },
            9,
        ),
        ({"anthropic-ratelimit-tokens-remaining": "0", "anthropic-ratelimit-tokens-reset": "later"}, None),
    ],
)
def test_the_wait_is_read_from_whichever_header_states_it(headers, seconds):
    assert retry_after(headers, NOW) == (None if seconds is None else pytest.approx(seconds))


@given(st.text(max_size=40))
def test_no_header_value_breaks_the_reader(text):
    wait = retry_after({"retry-after": text}, NOW)
    assert wait is None or 0 <= wait <= 86400
