"""Traces of agents that ran elsewhere, as trajectories.

    command     `rightcall traces`                      span        spans and what is observed in them
    reader      load_traces: files in, traces out       unpack      compressed files, within limits
    span_spool  spans of many files, by trace
    otlp        OTLP JSON and protobuf                  exports/    files of MLflow, LangSmith, Langfuse, …
    otlp_receiver  OTLP over HTTP: what is received, and the answers
    span_receiver  spans of agents, received during a run     traced_agent   `observe(…, via="otel")`
    dialects/   formats of instrumentations             assembly    spans of one trace to what the agent did
    trace       Trace: trajectory, tools, origin        golden_candidate   goldens of traces, reviewed or to review
    checks      problems detectable without a golden
    trace_import   files of traces, one at a time       trace_record   a trace as the store keeps it
    redaction   e-mail addresses, keys and similar      run_export  scores as `gen_ai.evaluation.result` events

To support another export: a file in `exports/`. Another instrumentation: a file in `dialects/`.

    calls         calls from answers and tool spans: the call is what the model wrote, the result is what the tool did
    content       helpers for content: JSON inside text, arguments, lists flattened into numbered names
    messages      messages of requests and answers, in any format found in traces
    names         attribute names of the GenAI semantic conventions, as of November 2026 (all of status Development)
    otlp_request  requests of OTLP over HTTP
    structure     the span tree: parents without cycles, agents at the root, agents used as tools, nothing twice
    teamwork      who works for whom in a trace
"""
