"""Correction for an imperfect judge: the true rate behind a measured one, given human labels."""

from __future__ import annotations

import random

from rightcall.core.errors import InputError
from rightcall.stats.bootstrap_interval import RESAMPLES, central_interval
from rightcall.stats.intervals import Interval, require_counts, require_share


def rogan_gladen(q: float, sensitivity: float, specificity: float) -> float:
    """p = (q + sp − 1)/(se + sp − 1), clipped to [0, 1]. Rogan & Gladen, Am. J. Epidemiology 107 (1978) 71.

    A judge no better than chance (se + sp ≤ 1) is rejected.
    """
    informed = sensitivity + specificity - 1
    if informed <= 0:
        raise InputError(
            "rogan_gladen",
            f"the judge is no better than chance: sensitivity {sensitivity} + specificity {specificity} ≤ 1",
            "use another judge or write a better rubric",
        )
    return min(1.0, max(0.0, (q + specificity - 1) / informed))


def rogan_gladen_interval(
    passed: tuple[int, int],
    sensitivity: tuple[int, int],
    specificity: tuple[int, int],
    conf: float = 0.95,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> Interval:
    """Percentile bootstrap over the judged cases and both groups of calibration labels.

    Each argument is (how many, of how many): cases judged passed; good answers judged good; bad judged bad.
    Each share is drawn from Beta(x+½, n−x+½), its smooth bootstrap; draws with a useless judge are skipped.
    """
    require_share("rogan_gladen_interval", "conf", conf)
    for x, n in (passed, sensitivity, specificity):
        require_counts("rogan_gladen_interval", x, n)
    rng = random.Random(seed)  # noqa: S311  repeatable, not secret
    estimates = []
    for _ in range(resamples):
        q, se, sp = (rng.betavariate(x + 0.5, n - x + 0.5) for x, n in (passed, sensitivity, specificity))
        if se + sp > 1:
            estimates.append(rogan_gladen(q, se, sp))
    if not estimates:
        raise InputError("rogan_gladen_interval", "the judge is no better than chance in every resample")
    return central_interval(estimates, conf)
