"""Traces of agents that ran elsewhere, as trajectories.

    reader      load_traces: files in, traces out       unpack      compressed files, within limits
    span_spool  spans of many files, by trace           portions    a large document, a part at a time
    otlp        OTLP JSON and protobuf                  exports/    files of MLflow, LangSmith, Langfuse, …
    otlp_request  requests of OTLP over HTTP, and their answers; otlp_server, otlp_threads: how they are received
    dialects/   formats of instrumentations             assembly    spans of one trace to what the agent did
    trace       Trace: trajectory, tools, origin        candidate   a golden to review
    redaction   e-mail addresses, keys and similar      events      scores as `gen_ai.evaluation.result`

To support another export: a file in `exports/`. Another instrumentation: a file in `dialects/`.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.traces.assembly import CallsMode as CallsMode, assemble as assemble
    from rightcall.traces.calls import canonical as canonical
    from rightcall.traces.events import (
        Evaluation as Evaluation,
        RunSpan as RunSpan,
        logs_request as logs_request,
        send as send,
        spans_request as spans_request,
    )
    from rightcall.traces.golden_candidate import (
        CandidateSpool as CandidateSpool,
        candidate as candidate,
        candidate_id as candidate_id,
        shown_trace_id as shown_trace_id,
        signature as signature,
    )
    from rightcall.traces.otlp import (
        Item as Item,
        LogEvent as LogEvent,
        json_items as json_items,
        protobuf_items as protobuf_items,
    )
    from rightcall.traces.otlp_body import SlowBodyError as SlowBodyError
    from rightcall.traces.otlp_request import (
        JSON as JSON,
        MAX_SENT as MAX_SENT,
        PROTOBUF as PROTOBUF,
        TRACE_PATHS as TRACE_PATHS,
        accepted_body as accepted_body,
        refused_body as refused_body,
        rejected_items as rejected_items,
        request_kind as request_kind,
    )
    from rightcall.traces.otlp_server import OtlpServer as OtlpServer
    from rightcall.traces.otlp_threads import BusyError as BusyError
    from rightcall.traces.problems import Problems as Problems
    from rightcall.traces.protobuf import (
        WireError as WireError,
        length as length,
        text as text,
        varint as varint,
    )
    from rightcall.traces.reader import is_trace_export as is_trace_export, load_traces as load_traces
    from rightcall.traces.redaction import Redactor as Redactor
    from rightcall.traces.span import Span as Span, SpanEvent as SpanEvent
    from rightcall.traces.span_spool import with_events as with_events
    from rightcall.traces.trace import REVIEWED as REVIEWED, UNREVIEWED as UNREVIEWED, Trace as Trace
    from rightcall.traces.unpack import TooLarge as TooLarge, gunzip as gunzip
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "assembly": "CallsMode assemble",
            "calls": "canonical",
            "events": "Evaluation RunSpan logs_request send spans_request",
            "golden_candidate": "CandidateSpool candidate candidate_id shown_trace_id signature",
            "otlp": "Item LogEvent json_items protobuf_items",
            "otlp_body": "SlowBodyError",
            "otlp_request": (
                "JSON MAX_SENT PROTOBUF TRACE_PATHS accepted_body refused_body rejected_items request_kind"
            ),
            "otlp_server": "OtlpServer",
            "otlp_threads": "BusyError",
            "problems": "Problems",
            "protobuf": "WireError length text varint",
            "reader": "is_trace_export load_traces",
            "redaction": "Redactor",
            "span": "Span SpanEvent",
            "span_spool": "with_events",
            "trace": "REVIEWED Trace UNREVIEWED",
            "unpack": "TooLarge gunzip",
        },
    )
