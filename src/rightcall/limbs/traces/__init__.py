"""Traces of agents that ran elsewhere, as trajectories.

    command     `rightcall traces`                      span        spans and what is observed in them
    reader      load_traces: files in, traces out       unpack      compressed files, within limits
    span_spool  spans of many files, by trace           inspect_log logs of Inspect AI
    otlp        OTLP JSON and protobuf                  otlp_receiver  OTLP over HTTP: requests, and the answers
    span_receiver  spans of agents, received during a run
    dialects/   formats of instrumentations, and of exports of their tools
    assembly    spans of one trace to what the agent did
    structure   the span tree: parents without cycles, agents at the root, nothing twice; who works for whom
    calls       calls from answers and tool spans: the call is what the model wrote, the result is what the tool did
    messages    messages of requests and answers, in any format found in traces
    content     helpers for content: JSON inside text, arguments, lists flattened into numbered names
    trace       Trace: trajectory, tools, origin; as the store keeps it; its golden, to review
    checks      problems detectable without a golden
    problems    what was wrong with spans or files
    trace_import   files of traces into the store       redaction   e-mail addresses, keys and similar
    run_export  scores as `gen_ai.evaluation.result` events

To support another instrumentation or export: a file in `dialects/`.
"""
