"""Calibration of a judge against people by counts of its errors. Deprecated: `rightcall.judged_rate` estimates what people
would say, from labels of the run's own cases.

On public sets the correction was never better than counting the labels alone (1.00–2.12 × their error), and labels of
another agent's run do not carry over.
"""

from __future__ import annotations

from collections.abc import Sequence

from rightcall.core.deprecation import warn_deprecated
from rightcall.core.errors import InputError
from rightcall.metrics.base import Metric
from rightcall.metrics.measurement import measure_one
from rightcall.model.case import TestCase
from rightcall.model.record import Record
from rightcall.stats.judge import rogan_gladen, rogan_gladen_interval


class Corrected(Record, frozen=True):
    """The true pass rate estimated from a judged one, with its 95 % interval."""

    judged: float
    rate: float
    low: float
    high: float


class Calibration(Record, frozen=True):
    """A judge's verdicts compared with people's labels, counted over labelled cases.

    `broken` counts cases on which the judge gave no verdict; they are in none of the other counts.
    """

    good_passed: int
    good_failed: int
    bad_passed: int
    bad_failed: int
    broken: int = 0

    @property
    def sensitivity(self) -> float:
        """Share of good answers that the judge passes."""
        return self.good_passed / (self.good_passed + self.good_failed)

    @property
    def specificity(self) -> float:
        """Share of bad answers that the judge fails."""
        return self.bad_failed / (self.bad_passed + self.bad_failed)

    @property
    def agreement(self) -> float:
        """Cohen's kappa: agreement beyond chance."""
        total = self.good_passed + self.good_failed + self.bad_passed + self.bad_failed
        seen = (self.good_passed + self.bad_failed) / total
        good = (self.good_passed + self.good_failed) / total
        passed = (self.good_passed + self.bad_passed) / total
        chance = good * passed + (1 - good) * (1 - passed)
        return 1.0 if chance == 1 else (seen - chance) / (1 - chance)

    def corrected(self, passed: int, cases: int, resamples: int = 10_000) -> Corrected:
        """The true rate implied by `passed` of `cases` from this judge (Rogan & Gladen 1978).

        Deprecated, as is `calibrate`: use `rightcall.judged_rate` with labels of these cases.
        """
        warn_deprecated("Calibration.corrected", "rightcall.judged_rate with labels of these cases")
        rate = rogan_gladen(passed / cases, self.sensitivity, self.specificity)
        good, bad = self.good_passed + self.good_failed, self.bad_passed + self.bad_failed
        low, high = rogan_gladen_interval(
            (passed, cases), (self.good_passed, good), (self.bad_failed, bad), resamples=resamples
        )
        return Corrected(passed / cases, rate, low, high)


async def calibrate(metric: Metric, labelled: Sequence[tuple[TestCase, bool]]) -> Calibration:
    """Run a judge on cases that people labelled good or bad; both kinds are required. Deprecated."""
    warn_deprecated("rightcall.metrics.judged.calibration.calibrate", "rightcall.judged_rate")
    counts = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    broken = 0
    for case, good in labelled:
        score = await measure_one(metric, case)
        if score.error:
            broken += 1
        else:
            counts[good, score.passed] += 1
    if not sum(counts[True, p] for p in (True, False)) or not sum(counts[False, p] for p in (True, False)):
        raise InputError("calibrate", "requires answered cases labelled good and answered cases labelled bad")
    return Calibration(
        counts[True, True], counts[True, False], counts[False, True], counts[False, False], broken
    )
