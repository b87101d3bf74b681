"""Metrics: measurements of a case. One file each.

    base        Metric, the class to subclass
    resolve     from the name a user types to a metric; the list of all metrics with their pages
    score_case  the one scorer: from a case to its result; case_result: by what its golden states
    open_outcome  the result when a tool that runs for real gave no answer; silent_golden: when nothing is checked
    dimensions  the standard dimensions; measurement: the requested metrics, each within its time
    function    a plain function as a metric; deepeval_form: a metric written for DeepEval
    matching/   the one alignment of expected and actual calls, matchers, verdicts, reasons

To add one: write `builtin/my_metric.py` with a frozen dataclass `MyMetric(Metric)` whose docstring is its page. A
user-defined metric needs no registration: `my_pkg.metrics:MyMetric(limit=3)`.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.metrics.base import (
        ARGUMENT_CODES as ARGUMENT_CODES,
        PERFECT as PERFECT,
        AnyMetric as AnyMetric,
        Metric as Metric,
    )
    from rightcall.metrics.case_result import result_of as result_of, score_trajectory as score_trajectory
    from rightcall.metrics.conversation import all_expected as all_expected
    from rightcall.metrics.deepeval_form import (
        BaseConversationalMetric as BaseConversationalMetric,
        BaseMetric as BaseMetric,
    )
    from rightcall.metrics.dimensions import SPOTLESS as SPOTLESS, time_to_score as time_to_score
    from rightcall.metrics.function import FunctionMetric as FunctionMetric
    from rightcall.metrics.judged.calibration import Calibration as Calibration
    from rightcall.metrics.judged.verdict_text import read_verdict as read_verdict
    from rightcall.metrics.matching.verdict import (
        CaseVerdict as CaseVerdict,
        Numbers as Numbers,
        ScoringRules as ScoringRules,
    )
    from rightcall.metrics.measurement import (
        METRIC_SECONDS as METRIC_SECONDS,
        measure_all as measure_all,
        measure_one as measure_one,
    )
    from rightcall.metrics.passes import stable_hash as stable_hash
    from rightcall.metrics.resolve import (
        DIMENSIONS as DIMENSIONS,
        as_metrics as as_metrics,
        metric_names as metric_names,
        metric_page as metric_page,
        metric_pages as metric_pages,
        observed as observed,
        parsed_metric as parsed_metric,
        resolve_metric as resolve_metric,
        resolve_metrics as resolve_metrics,
    )
    from rightcall.metrics.score_case import Scorer as Scorer
    from rightcall.metrics.tally import Tally as Tally, counted_codes as counted_codes
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "base": "ARGUMENT_CODES AnyMetric Metric PERFECT",
            "case_result": "result_of score_trajectory",
            "conversation": "all_expected",
            "deepeval_form": "BaseConversationalMetric BaseMetric",
            "function": "FunctionMetric",
            "judged.calibration": "Calibration",
            "judged.verdict_text": "read_verdict",
            "matching.verdict": "CaseVerdict Numbers ScoringRules",
            "dimensions": "SPOTLESS time_to_score",
            "measurement": "METRIC_SECONDS measure_all measure_one",
            "resolve": (
                "DIMENSIONS as_metrics metric_names metric_page metric_pages observed parsed_metric resolve_metric "
                "resolve_metrics"
            ),
            "score_case": "Scorer",
            "passes": "stable_hash",
            "tally": "Tally counted_codes",
        },
    )
