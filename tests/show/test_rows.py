"""Rows for machines."""

from hypothesis import given, strategies as st

from rightcall.core.codec import encode
from rightcall.metrics.dimensions import SPOTLESS
from rightcall.records import CaseResult
from rightcall.show.rows import row_line, row_of


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 10**9))
def test_the_line_of_a_flawless_case_is_what_encoding_it_gives(golden_id, trial):
    result = CaseResult(golden_id, trial, True, 1.0, SPOTLESS)
    assert row_line(result) == encode(row_of(result))


def test_a_flawless_case_without_an_answer_says_so():
    result = CaseResult("g", 0, True, 1.0, SPOTLESS, error="no answer")
    assert b"no answer" in row_line(result)
