"""Traces of agents that ran elsewhere, as trajectories.

    reader      load_traces: files in, traces out       unpack      compressed files, within limits
    span_spool  spans of many files, by trace           portions    a large document, a part at a time
    otlp        OTLP JSON and protobuf                  exports/    files of MLflow, LangSmith, Langfuse, …
    otlp_request  requests of OTLP over HTTP, and their answers; otlp_server, otlp_threads: how they are received
    dialects/   formats of instrumentations             assembly    spans of one trace to what the agent did
    trace       Trace: trajectory, tools, origin        candidate   a golden to review
    span_receiver  spans of agents, received during a run     traced_agent   `observe(…, via="otel")`
    redaction   e-mail addresses, keys and similar      events      scores as `gen_ai.evaluation.result`

To support another export: a file in `exports/`. Another instrumentation: a file in `dialects/`.
"""
