"""The report for pull requests."""

from __future__ import annotations

import re

from hypothesis import given, strategies as st

from rightcall.show.markdown import code
from tests.show.conftest import Made, written


def test_it_begins_with_the_verdict_and_the_rate(varied: Made) -> None:
    lines = written("markdown", varied).decode().splitlines()
    assert lines[0] == "## ⚠️ ERROR · `varied` on `<lambda>`"
    assert lines[2].startswith("**33.3%** passed: 3 of 9 cases, 1 without an answer")


def test_cases_that_did_not_pass_are_folded_away(varied: Made) -> None:
    text = written("markdown", varied).decode()
    assert "<details><summary>7 goldens that did not pass</summary>" in text
    assert "| `other-tool` | `called get_forecast instead of get_weather` |" in text


@given(st.text(max_size=100))
def test_foreign_text_is_one_code_span_in_one_cell(text: str) -> None:
    span = code(text)
    assert "|" not in span
    assert "\n" not in span
    fence = re.match("`+", span)
    if fence:
        inside = span[len(fence[0]) : -len(fence[0])]
        assert fence[0] not in re.findall("`+", inside)


def test_hostile_text_stays_inside_code_and_begins_no_line(hostile: Made) -> None:
    text = written("markdown", hostile).decode()
    outside = re.sub(r"(`+)[^`](?:.*?[^`])?\1(?!`)", "", text)
    assert "script" not in outside
    assert "javascript" not in outside
    assert not re.search(r"^\s*::", text, re.MULTILINE)
    assert len(text) < 65_536  # what GitHub takes for a comment
