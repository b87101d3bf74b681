"""The tables of "Is it really better?" in docs/evidence.md, computed again."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from rightcall.decide.comparison import compare
from rightcall.decide.golden_outcomes import Outcome
from rightcall.stats.gaffke import case_units, gaffke_bounds, gaffke_p_values

PAGE = (Path(__file__).parents[2] / "docs" / "evidence.md").read_text("utf-8")
RATES = re.findall(r"^\| (\d+) \| ([\d.]+)–([\d.]+)% \| (PASS|INCONCLUSIVE) \|$", PAGE, re.M)
CHANGES = re.findall(r"^\| (\d+) \| (\d+) \| (\d+) \| ([−+][\d.]+) to ([−+][\d.]+) \| (\w+) \|$", PAGE, re.M)
TRIALS = re.search(
    r"\(range ([\d.]+)–([\d.]+)%\) and INCONCLUSIVE with 30 goldens\s+of five trials \(([\d.]+)–([\d.]+)%\)",
    PAGE,
)


def shown_range(cases: list[list[float]]) -> tuple[str, str]:
    low, high = gaffke_bounds(case_units(cases))
    return f"{math.floor(low * 1000) / 10:.1f}", f"{math.ceil(high * 1000) / 10:.1f}"


def gate_word(cases: list[list[float]]) -> str:
    p_pass, p_fail = gaffke_p_values(case_units(cases), 0.9)
    return "PASS" if p_pass <= 0.05 else "FAIL" if p_fail < 0.05 else "INCONCLUSIVE"


@pytest.mark.parametrize(("goldens", "low", "high", "word"), RATES)
def test_the_range_of_the_same_rate_shrinks_as_stated(goldens, low, high, word):
    passed = round(0.94 * int(goldens))
    cases = [[1.0]] * passed + [[0.0]] * (int(goldens) - passed)
    assert (*shown_range(cases), gate_word(cases)) == (low, high, word)


def test_trials_of_one_golden_are_not_goldens():
    once = [[1.0]] * 142 + [[0.0]] * 8
    repeated = [[1.0] * 5] * 28 + [[1.0, 1.0, 0.0, 0.0, 0.0], [0.0] * 5]
    assert TRIALS is not None
    assert (*shown_range(once), *shown_range(repeated)) == TRIALS.groups()
    assert (gate_word(once), gate_word(repeated)) == ("PASS", "INCONCLUSIVE")


@pytest.mark.parametrize(("goldens", "broken", "fixed", "low", "high", "word"), CHANGES)
def test_what_counts_is_how_many_were_fixed_and_broken(goldens, broken, fixed, low, high, word):
    n = int(goldens)
    lost = int(broken)
    gained = int(fixed)
    same = [1.0] * (n - lost - gained)
    before = [1.0] * lost + [0.0] * gained + same
    after = [0.0] * lost + [1.0] * gained + same
    found = compare(*([Outcome(f"g{i}", (x,)) for i, x in enumerate(run)] for run in (before, after)))
    ends = (math.floor(found.low * 1000) / 10, math.ceil(found.high * 1000) / 10)
    assert tuple(f"{end:+.1f}".replace("-", "−") for end in ends) == (low, high)
    assert found.change == word


def test_both_tables_are_read():
    assert (len(RATES), len(CHANGES)) == (5, 3)
