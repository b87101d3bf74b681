"""Adjusted p-values against statsmodels."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from statsmodels.stats.multitest import multipletests

from rightcall.stats.paired_tests import benjamini_hochberg, holm

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@pytest.fixture(autouse=True, scope="module")
def no_garbage_is_collected():
    """statsmodels collects it for each of Holm's, which takes a third of a second in a process with this many objects."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gc.collect", lambda: 0)
        yield


@given(p_values)
def test_adjusted_values_agree_with_statsmodels(p):
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)
    assert benjamini_hochberg(p) == pytest.approx(multipletests(p, method="fdr_bh")[1], abs=1e-12)


@given(p_values)
def test_adjusting_never_lowers_and_keeps_the_order(p):
    for adjusted in (holm(p), benjamini_hochberg(p)):
        assert all(a >= x for a, x in zip(adjusted, p, strict=True))
        ranked = [a for _, a in sorted(zip(p, adjusted, strict=True))]
        assert ranked == sorted(ranked)


def test_nothing_to_adjust_is_fine():
    assert holm([]) == benjamini_hochberg([]) == []
