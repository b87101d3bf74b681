"""Production monitoring: traces in, checks on each, change detection with a stated false-alarm rate, alerts.

    settings   monitor.yaml                         receiver   OTLP over HTTP
    grpc_server  the receiver over gRPC
    settings_trust   what settings would start, and who allowed it
    trace_intake  spans stored before acknowledged, closed into traces
    monitor    Monitor: feed it traces              checks     problems detectable without a golden
    judge      judged metrics, and their budget     session_hours   sessions of the current hour
    sample     which traces paid checks look at     drift      one watched series
    baseline   the frozen reference                 alerts     webhook, command, stderr
    week_blocks   parts of the week and their rates    bounds     what a series is compared with
    rehearsal  the baseline played through the detector, and months drawn from its days
    day_movement  whether rates move from day to day
    forecast   what would be detected, and when     promote    from a trace to a golden
    demo       a bundled hour of traffic            trace_import   files of traces, one at a time

To add a check: see `checks`.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.monitor.baseline import (
        TrafficBaseline as TrafficBaseline,
        as_json as as_json,
        current_baseline as current_baseline,
    )
    from rightcall.monitor.checks import CheckedAgent as CheckedAgent, run_checks as run_checks
    from rightcall.monitor.demo import (
        SETTINGS as SETTINGS,
        live_traffic as live_traffic,
        planted_at as planted_at,
        reference_traffic as reference_traffic,
    )
    from rightcall.monitor.forecast import AgentPlan as AgentPlan, agent_plans as agent_plans
    from rightcall.monitor.monitor import Monitor as Monitor
    from rightcall.monitor.promote import (
        add_goldens as add_goldens,
        as_negative as as_negative,
        is_unreviewed as is_unreviewed,
        reviewed as reviewed,
    )
    from rightcall.monitor.receiver import Receiver as Receiver
    from rightcall.monitor.rehearsal import Rehearsal as Rehearsal, stored_rehearsals as stored_rehearsals
    from rightcall.monitor.run_export import export_run as export_run
    from rightcall.monitor.settings import (
        HARD as HARD,
        AgentSettings as AgentSettings,
        MonitorSettings as MonitorSettings,
        load_settings as load_settings,
    )
    from rightcall.monitor.trace_import import (
        Imported as Imported,
        import_to_folder as import_to_folder,
        import_to_store as import_to_store,
    )
    from rightcall.monitor.trace_record import (
        kept_trace as kept_trace,
        trace_of as trace_of,
        written_time as written_time,
    )
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "baseline": "TrafficBaseline as_json current_baseline",
            "checks": "CheckedAgent run_checks",
            "demo": "SETTINGS live_traffic planted_at reference_traffic",
            "forecast": "AgentPlan agent_plans",
            "trace_record": "kept_trace trace_of written_time",
            "monitor": "Monitor",
            "promote": "add_goldens as_negative is_unreviewed reviewed",
            "receiver": "Receiver",
            "rehearsal": "Rehearsal stored_rehearsals",
            "run_export": "export_run",
            "settings": "AgentSettings HARD MonitorSettings load_settings",
            "trace_import": "Imported import_to_folder import_to_store",
        },
    )
