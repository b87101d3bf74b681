"""Production watched: traces in, checks on each, changes found with a stated false-alarm rate, people told.

    settings   monitor.yaml                         receiver   OTLP over HTTP, stored before answered
    monitor    Monitor: feed it traces              checks     what can be seen to be wrong without a golden
    sampling   which traces paid checks look at     drift      one watched series
    baseline   the frozen reference                 alerts     webhook, command, stderr
    outlook    what would be noticed, and when      promote    from a trace to a golden
    demo       a bundled hour of traffic

To add a check: see `checks`.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.monitor.baseline import Baseline as Baseline, current_baseline as current_baseline
    from rightcall.monitor.checks import Watching as Watching, run_checks as run_checks
    from rightcall.monitor.monitor import Monitor as Monitor, kept_trace as kept_trace, trace_of as trace_of
    from rightcall.monitor.receiver import Receiver as Receiver
    from rightcall.monitor.settings import MonitorSettings as MonitorSettings, load_settings as load_settings
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "baseline": "Baseline current_baseline",
            "checks": "Watching run_checks",
            "monitor": "Monitor kept_trace trace_of",
            "receiver": "Receiver",
            "settings": "MonitorSettings load_settings",
        },
    )
