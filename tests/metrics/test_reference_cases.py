"""The worked examples of the scoring definition, computed independently."""

import json
from pathlib import Path

import pytest

from rightcall.metrics.case_result import score_trajectory
from tests.metrics.builders import a_golden, a_trajectory

CASES = json.loads((Path(__file__).parent / "data" / "scoring.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=[f"{case['id']}: {case['about']}" for case in CASES])
def test_numbers_are_those_of_the_worked_example(case):
    golden = dict(case["golden"])
    numbers = score_trajectory(
        a_golden(*golden.pop("expected_calls"), **golden), a_trajectory(*case["calls"])
    ).numbers
    found = {
        "tp": numbers.tp,
        "fp": numbers.fp,
        "fn": numbers.fn,
        "absorbed": numbers.absorbed,
        "precision": numbers.call_precision,
        "recall": numbers.call_recall,
        "f1": numbers.call_f1,
        "soft_f1": numbers.call_soft_f1,
    }
    assert found == pytest.approx(case["expect"], abs=1e-12)
