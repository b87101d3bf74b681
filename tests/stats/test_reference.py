"""Every value of the reference file, computed with scipy and statsmodels, within its tolerance."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from benchmarks.judged import rogan_gladen

from rightcall.stats.clusters import cluster_se, effective_n, estimate, sample
from rightcall.stats.intervals import clopper_pearson, clopper_pearson_bounds, t_interval, wilson
from rightcall.stats.paired_tests import (
    benjamini_hochberg,
    bonett_price,
    fisher_exact,
    holm,
    mcnemar_exact,
    mcnemar_midp,
    paired_t as stats_paired_t,
)
from rightcall.stats.permutation import sign_flip
from rightcall.stats.power import (
    all_pass_n,
    disagreement,
    gate_cuts,
    gate_n,
    mde_paired,
    n_paired,
    pass_hat_k,
)
from rightcall.stats.sequential import (
    confidence_sequence,
    fastest_stops,
    log_e_values,
    mixture_log_e,
    sprt_log_e,
)

REFERENCE = json.loads((Path(__file__).parent / "data" / "statistics.json").read_text())
CASES = {case["id"]: case for case in REFERENCE["cases"]}


def clustered(groups: dict[str, list[float]]) -> list[float]:
    values = [v for group in groups.values() for v in group]
    labels = [name for name, group in groups.items() for _ in group]
    found = stats_paired_t(values, labels)
    return [found.mean, found.se, *found.interval]


def unbalanced(trials: dict[str, list[float]]) -> list[float]:
    found = sample(trials)
    pooled = [x for xs in trials.values() for x in xs]
    return [found.mean, found.se, math.fsum(pooled) / len(pooled)]


def paired_t(d: list[float]) -> list[float]:
    found = stats_paired_t(d)
    return [found.t, found.p, *found.interval]


FUNCTIONS: dict[str, Any] = {
    "bh10": benjamini_hochberg,
    "bonett_price": bonett_price,
    "case_mean_se": cluster_se,
    "case_mean_unbalanced": unbalanced,
    "confseq": lambda s, n, alpha, a, b: confidence_sequence(s, n, alpha),
    "cp1": clopper_pearson_bounds,
    "cp": clopper_pearson,
    "disagree": disagreement,
    "fisher": fisher_exact,
    "gate": gate_cuts,
    "holm10": holm,
    "mcnemar_exact": mcnemar_exact,
    "mcnemar_midp": mcnemar_midp,
    "mde_paired": mde_paired,
    "mix_loge": mixture_log_e,
    "n_paired_miller_K": lambda omega2, s2_a, s2_b, k_a, k_b, delta: n_paired(
        delta, omega2 + s2_a / k_a + s2_b / k_b
    ),
    "nmin_allpass": all_pass_n,
    "paired_t": paired_t,
    "pass_hat": pass_hat_k,
    "rogan_gladen": rogan_gladen,
    "signflip": sign_flip,
    "sprt": sprt_log_e,
    "wilson": wilson,
    "x_cluster_paired": clustered,
    "x_gate_n": gate_n,
    "x_sprt_stop": fastest_stops,
}


def function_for(case_id: str) -> Any:
    return FUNCTIONS[max((name for name in FUNCTIONS if case_id.startswith(name)), key=len)]


@pytest.mark.parametrize("case_id", CASES)
def test_reference_value_is_reproduced(case_id):
    case = CASES[case_id]
    found = function_for(case_id)(*case["args"].values())
    # The reference rounds the power of gate_n to six digits; everything else must be within its tolerance.
    tolerance = 5e-7 if case_id.startswith("x_gate_n") else REFERENCE["tolerance"]
    assert found == pytest.approx(case["value"], abs=tolerance, rel=0)


SIX = [[1, 1, 1], [1, 0, 1], [0, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 0]]


def test_six_cases_of_three_trials_give_the_published_intervals():
    found = sample(SIX)
    assert found.mean == pytest.approx(0.6111111111, abs=1e-10)
    assert found.se == pytest.approx(0.1590869007, abs=1e-10)
    assert effective_n(found) == pytest.approx(6.3256184610, abs=1e-9)
    shown = estimate(found)
    assert (shown.low, shown.high) == pytest.approx((0.1938446914, 0.9304172958), abs=1e-10)
    assert t_interval(found.mean, found.se, 5) == pytest.approx((0.2021652139, 1.0200570083), abs=1e-9)


def test_graded_bets_have_the_published_logarithms():
    found = log_e_values([1, 0.5, 1, 0.75, 1, 0, 1, 1], 0.6, 0.9)
    assert found == pytest.approx((0.6793500437, 0.6117317891), abs=1e-10)


@pytest.mark.parametrize(
    ("n", "theta", "cuts"),
    [
        (10, 0.8, (None, 5)),
        (20, 0.8, (20, 12)),
        (29, 0.9, (29, 22)),
        (50, 0.9, (49, 40)),
        (100, 0.9, (96, 84)),
    ],
)
def test_gate_cuts_of_the_published_table(n, theta, cuts):
    assert gate_cuts(n, theta) == cuts


@pytest.mark.parametrize(
    ("theta", "target", "n", "k"), [(0.9, 0.97, 76, 73), (0.9, 0.99, 46, 45), (0.9, 0.95, 179, 168)]
)
def test_gate_sizes_of_the_published_table(theta, target, n, k):
    assert gate_n(theta, target)[:2] == (n, k)


def test_a_perfect_run_at_99_percent_needs_299_cases():
    assert all_pass_n(0.99) == 299
