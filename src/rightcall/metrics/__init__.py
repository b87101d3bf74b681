"""Metrics: measurements of a case. One file each.

    base        Metric, the class to subclass
    resolve     from the name a user types to a metric
    score_case  the one scorer: from a case to its result
    measure     from a case to the score of each metric
    function    a plain function as a metric
    matching/   the one alignment of expected and actual calls, matchers, verdicts, reasons

To add one: write `my_metric.py` with a frozen dataclass `MyMetric(Metric)` whose docstring is its page, and name
it in `resolve.ON_REQUEST`. A user's own metric needs no registration: `my_pkg.metrics:MyMetric(limit=3)`.
"""

from rightcall.metrics.base import AnyMetric, Metric
from rightcall.metrics.matching.case_score import judge
from rightcall.metrics.matching.verdict import Numbers, Rules, Verdict
from rightcall.metrics.measure import measure_all
from rightcall.metrics.resolve import as_metrics, metric_names, observed, resolve_metric, resolve_metrics
from rightcall.metrics.score_case import Scorer, result_of

__all__ = [
    "AnyMetric",
    "Metric",
    "Numbers",
    "Rules",
    "Scorer",
    "Verdict",
    "as_metrics",
    "judge",
    "measure_all",
    "metric_names",
    "observed",
    "resolve_metric",
    "resolve_metrics",
    "result_of",
]
