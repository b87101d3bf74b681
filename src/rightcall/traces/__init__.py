"""Traces of agents that ran elsewhere, as trajectories.

    reader      load_traces: files in, traces out       unpack      compressed files, within limits
    otlp        OTLP JSON and protobuf                  exports/    files of MLflow, LangSmith, Langfuse, …
    dialects/   how each instrumentation spells calls   assembly    spans of one trace to what the agent did
    trace       Trace: trajectory, tools, origin        candidate   a golden to review
    redaction   e-mail addresses, keys and the like     events      scores as `gen_ai.evaluation.result`

To read one more export: a file in `exports/`. One more instrumentation: a file in `dialects/`.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.traces.assembly import CallsMode as CallsMode, assemble as assemble
    from rightcall.traces.candidate import (
        candidate as candidate,
        distinct_candidates as distinct_candidates,
        signature as signature,
    )
    from rightcall.traces.problems import Problems as Problems
    from rightcall.traces.reader import load_traces as load_traces
    from rightcall.traces.redaction import Redactor as Redactor
    from rightcall.traces.span import Span as Span
    from rightcall.traces.trace import REVIEWED as REVIEWED, UNREVIEWED as UNREVIEWED, Trace as Trace
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "assembly": "CallsMode assemble",
            "candidate": "candidate distinct_candidates signature",
            "problems": "Problems",
            "reader": "load_traces",
            "redaction": "Redactor",
            "span": "Span",
            "trace": "REVIEWED UNREVIEWED Trace",
        },
    )
