"""Several checks that share one risk: Holm's correction over suites."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rightcall.core.text import hundredths
from rightcall.decide.check_result import EXIT_CODES, CheckResult
from rightcall.stats.paired_tests import holm


def held_together(results: Sequence[CheckResult], alpha: float) -> list[CheckResult]:
    """The results with REGRESSED in any of them by chance in at most `alpha` of pull requests.

    Each was checked at alpha / number of suites, where it may stop early. Once one is REGRESSED, the others need not be
    as clear (Holm, 1979): what they showed is judged again, without another call. Hard failures are outside the risk.
    """
    adjusted = holm([1.0 if result.p is None else result.p for result in results])
    return [_held(result, p, alpha, len(results)) for result, p in zip(results, adjusted, strict=True)]


def _held(result: CheckResult, p: float, alpha: float, suites: int) -> CheckResult:
    note = f"the risk of REGRESSED, {hundredths(alpha)} %, is shared with {suites - 1} other suites (Holm's correction)"
    result = msgspec.structs.replace(result, notes=(*result.notes, note) if suites > 1 else result.notes)
    if p > alpha or result.verdict not in ("PASS", "INCONCLUSIVE") or result.cause in ("control", "hard"):
        return result
    what = result.sentence.partition(": ")[2].partition(";")[0]
    return msgspec.structs.replace(
        result,
        verdict="REGRESSED",
        cause="together",
        sentence=f"REGRESSED: {what}; worse than the baseline, if only together with another suite that is "
        f"(adjusted p {p:.2g}; alone it would be {result.verdict})",
        hint="",
        exit_code=EXIT_CODES["REGRESSED"],
    )
