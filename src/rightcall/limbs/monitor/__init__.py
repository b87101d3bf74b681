"""Production monitoring: traces in, checks on each, change detection with a stated false-alarm rate, alerts.

    command    `rightcall monitor`                  live_page   the page Live of the dashboard
    settings   monitor.yaml, what it would start, and who allowed that
    receiver   `monitor serve`, with the receiver of traces
    trace_intake  spans stored before acknowledged, closed into traces; alerts by webhook, command and stderr
    monitor    Monitor: feed it traces              production_rates   bad checks by version, and what changed
    series_book   all watched series, and sessions of this hour
    drift      one watched series
    baseline   the frozen reference
    week_blocks   parts of the week and their rates    bounds     what a series is compared with
    rehearsal  the baseline played through the detector, months drawn from its days, and whether rates move by day
    demo       a bundled hour of traffic

To add a check: see `checks` of traces.

    open_trace  a trace that is being received: what is kept of it, within bounds
"""
