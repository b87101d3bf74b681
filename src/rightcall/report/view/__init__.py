"""Every number that is shown, worked out once: terminal, JSON, Markdown, JUnit and pages all show these.

    run        RunView of a stored run, streamed: run_view, or RunTally for results that come one by one
    summary    by category and over all; rate: a share with its n and interval
    tools      per tool, and the cells of the confusion matrix; confusion: the matrix laid out
    spread     quantiles and histogram of latency, cost, score
    failures   grouped by code, with examples
    case       one case: messages, scores, rules; calls: arguments side by side; waterfall: its time
    pairing    which actual call answers which expected one

To show something new: a record and what fills it in the file of its subject, a field in `RunView` or `CaseView`.
"""

from rightcall.report.view.calls import ArgumentRow, CallView, Mark
from rightcall.report.view.case import (
    CaseView,
    MessageView,
    ScoreLine,
    case_view,
    input_of,
    outcome_of,
    reason_of,
)
from rightcall.report.view.confusion import INVENTED, NO_CALL, Confusion, confusion_of
from rightcall.report.view.failed_case import FailedCase, FailedCases
from rightcall.report.view.failures import TITLES, Example, FailureGroup
from rightcall.report.view.rate import Rate, rate
from rightcall.report.view.run import RunTally, RunView, cases_of, run_view
from rightcall.report.view.spread import Bin, Spread
from rightcall.report.view.summary import DIMENSIONS, CodeRow, GroupRow, SummaryView, pass_rate, summary_view
from rightcall.report.view.tools import ConfusionCell, ToolRow
from rightcall.report.view.waterfall import Bar

__all__ = [
    "DIMENSIONS",
    "INVENTED",
    "NO_CALL",
    "TITLES",
    "ArgumentRow",
    "Bar",
    "Bin",
    "CallView",
    "CaseView",
    "CodeRow",
    "Confusion",
    "ConfusionCell",
    "Example",
    "FailedCase",
    "FailedCases",
    "FailureGroup",
    "GroupRow",
    "Mark",
    "MessageView",
    "Rate",
    "RunTally",
    "RunView",
    "ScoreLine",
    "Spread",
    "SummaryView",
    "ToolRow",
    "case_view",
    "cases_of",
    "confusion_of",
    "input_of",
    "outcome_of",
    "pass_rate",
    "rate",
    "reason_of",
    "run_view",
    "summary_view",
]
