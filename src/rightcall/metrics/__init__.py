"""Metrics: measurements of a case. One file each.

    base        Metric, the class to subclass
    resolve     from the name a user types to a metric
    measure     from a case to its result
    matching/   the one alignment of expected and actual calls, matchers, verdicts, reasons

To add one: write `my_metric.py` with a frozen dataclass `MyMetric(Metric)` whose docstring is its page, and name
it in `resolve.ON_REQUEST`. A user's own metric needs no registration: `my_pkg.metrics:MyMetric(limit=3)`.
"""

from rightcall.metrics.base import Metric
from rightcall.metrics.matching.judge import judge
from rightcall.metrics.matching.verdict import Numbers, Rules, Verdict
from rightcall.metrics.measure import measure_all, result_of
from rightcall.metrics.resolve import metric_names, resolve_metric, resolve_metrics

__all__ = [
    "Metric",
    "Numbers",
    "Rules",
    "Verdict",
    "judge",
    "measure_all",
    "metric_names",
    "resolve_metric",
    "resolve_metrics",
    "result_of",
]
