"""A reader who decides by the printed range decides as the rule did."""

from __future__ import annotations

import re

from hypothesis import given, settings, strategies as st

from rightcall.decide.config import read_gate
from rightcall.decide.golden_outcomes import Outcome
from rightcall.decide.rate_range import range_text
from rightcall.decide.verdict import Verdict, decide
from tests.support.examples import examples

LINE = re.compile(
    r"(?:(\w+ \w+): )?[\d,.]+ of .* passed \([\d.]+%, range ([\d.]+)–([\d.]+)%\); ([\d.]+)% wanted"
)


def decided_by_a_reader(low: float, high: float, limit: float) -> str:
    return "PASS" if low >= limit else "FAIL" if high < limit else "INCONCLUSIVE"


def words_by_range(verdict: Verdict) -> list[tuple[str, str]]:
    """Of each rate the word of its rule, and the word that its sentence gives."""
    found = [(check.word, LINE.fullmatch(check.sentence)) for check in verdict.checks if check.controlled]
    return [(word, decided_by_a_reader(*map(float, line.groups()[1:]))) for word, line in found if line]


trials = st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=3).map(tuple)
runs = st.lists(st.tuples(trials, st.integers(0, 1)), min_size=1, max_size=40)
limits = st.integers(1, 99_999).map(lambda thousandths: thousandths / 100_000)


@settings(max_examples=examples(10_000), deadline=None)
@given(runs, limits, limits)
def test_the_printed_range_decides_as_the_rules_do(run, limit, other):
    outcomes = [
        Outcome(f"g{at}", passes, errors=errors, category="golden" if at % 3 else "negative")
        for at, (passes, errors) in enumerate(run)
    ]
    gates = [{"min": limit}, {"min": limit, "by": {"categories": {"golden": other}}}]
    for gate in gates:
        verdict = decide(read_gate({**gate, "max_error_rate": 1.0}), outcomes)
        pairs = words_by_range(verdict)
        assert pairs and all(word == read for word, read in pairs), (verdict, verdict.checks)


@given(st.floats(0, 1), st.floats(0, 1), limits, st.sampled_from(["PASS", "FAIL", "INCONCLUSIVE"]))
def test_ends_are_rounded_outwards_and_stay_on_their_side(one, two, limit, word):
    low, high = sorted((one, two))
    if (word == "PASS") != (low >= limit) or (word == "FAIL") != (high < limit):
        return
    least, most = re.fullmatch(r"([\d.]+)–([\d.]+)%", range_text(low, high, word=word, limit=limit)).groups()
    assert float(least) <= 100 * low + 1e-9 and float(most) >= 100 * high - 1e-6
    assert decided_by_a_reader(float(least), float(most), 100 * limit) == word
