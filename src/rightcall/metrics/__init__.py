"""Metrics: measurements of a case.

    base        Metric, the class to subclass, and a plain function as a metric
    resolve     from the name a user types to a metric; the list of all metrics with their pages
    score_case  the one scorer: from a case to its result; case_result: by what its golden states
    dimensions  the standard dimensions; measurement: the requested metrics, each within its time
    deepeval    the metrics of DeepEval; deepeval_form: a metric written for it; deepeval_numbers: its numbers
    matching/   the one alignment of expected and actual calls, matchers, verdicts, reasons

To add one: write a frozen dataclass `MyMetric(Metric)` in the file of its family in `builtin/`; its docstring is its page.
A user-defined metric needs no registration: `my_pkg.metrics:MyMetric(limit=3)`.

    conversation   scores a conversation turn by turn and as a whole
    failed_calls   tools that failed in every call of a run
    passes         pass rates over goldens, in nine bytes per trial
    tally          summarizes results as they arrive, in nearly constant memory
    value_sources  what an agent was told and what tools returned, as text and as values: what an answer may state
"""
