"""Production monitoring: traces in, checks on each, change detection with a stated false-alarm rate, alerts.

    command    `rightcall monitor`          settings    monitor.yaml
    receiver   `monitor serve`, with the receiver of traces
    trace_intake  spans stored before acknowledged, closed into traces; alerts by webhook, command and stderr
    open_trace    a trace that is being received: what is kept of it, within bounds
    monitor    Monitor: feed it traces      production_rates   bad checks by version, and what changed
    series     all watched series, what they are compared with, and sessions of this hour
    baseline   the frozen reference         rehearsal   the baseline played through the detector
    demo       a bundled hour of traffic

To add a check: see `checks` of traces.
"""
