"""Monitor: traces in, checks on each, evidence of change, alarms that stay until someone acknowledges them."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rightcall.limbs.monitor.baseline import TrafficBaseline, current_baseline, make_baseline
from rightcall.limbs.monitor.rehearsal import plan_of_baseline
from rightcall.limbs.monitor.series import Crossing, Place, SeriesBook
from rightcall.limbs.monitor.settings import HARD, MonitorSettings, load_settings, seconds
from rightcall.limbs.traces.checks import AgentSettings, CheckedAgent, run_checks
from rightcall.limbs.traces.redaction import Redactor
from rightcall.limbs.traces.trace import Trace, time_text, trace_to_keep
from rightcall.records.tool import Tool
from rightcall.run.trust import require_trust
from rightcall.store.address import open_store
from rightcall.store.base import KeptTrace, StoredAlarm, TraceCheck, TraceRow
from rightcall.store.sql.store import Store
from rightcall.tools.definitions.source import load_tools

MOST_AGENTS = 1_000
"""Agents whose settings and baseline are kept in memory."""


class Monitor:
    """Monitors the traces of agents; `feed` accepts one or many.

    `config` is a `monitor.yaml`, its settings, or None for the default checks. A file whose folder is not
    trusted is refused unless `trust=True`. Results are in the store: `status` reads them back.
    """

    def __init__(
        self,
        config: str | Path | MonitorSettings | None = None,
        *,
        store: Store | str | Path | None = None,
        redacted: bool = False,
        trust: bool = False,
    ) -> None:
        if isinstance(config, str | Path):
            self.folder = Path(config).parent
            self.settings = load_settings(config)
            require_trust(Path(config), trust=trust)
        else:
            self.folder = Path()
            self.settings = config or MonitorSettings()
        self.store = store if isinstance(store, Store) else open_store(store)
        self._redactor = (
            None if redacted else Redactor(self.store.traces.redaction_key(), self.settings.redact)
        )
        self._watching: dict[str, CheckedAgent] = {}
        self._baselines: dict[str, TrafficBaseline | None] = {}
        self._reasons: dict[str, tuple[str, ...]] = {}
        self._looked_for: set[str] = set()
        self._series = SeriesBook(self.store, self.settings, self._baseline)
        self.alarms: list[StoredAlarm] = []

    def feed(self, traces: Trace | Iterable[Trace]) -> list[TraceRow]:
        """Check and store traces; alarms they raise are appended to `alarms`. A trace fed again is scored
        again, but neither counted nor given to the detectors twice."""
        batch = [traces] if isinstance(traces, Trace) else list(traces)
        self._looked_for.clear()
        if len(self._watching) > MOST_AGENTS:  # names come from the traces
            self._watching.clear()
            self._baselines.clear()
            self._reasons.clear()
        kept = [self._check_trace(trace) for trace in batch]
        fed = self.store.traces.ids_in_store([k.row.trace_id for k in kept])
        self.store.traces.keep(kept)
        self._series.release(lambda: {alarm.key for alarm in self.store.traces.alarms(latched=True)})
        for trace, held in sorted(zip(batch, kept, strict=True), key=lambda pair: pair[0].time):
            if held.row.trace_id not in fed:
                fed.add(held.row.trace_id)
                self._watch(held.row, trace)
        self._series.save()
        return [held.row for held in kept]

    def make_baseline(self, agent: str, start: str, end: str) -> TrafficBaseline:
        """Freeze a window as the reference; series start over against it."""
        base = make_baseline(self.store, agent, start, end)
        self._baselines.pop(agent, None)
        self._reasons.clear()
        self._looked_for.discard(agent)
        self._watching.pop(agent, None)
        self._series.restart(agent)
        self._series.save()
        return base

    def cautions(self) -> list[str]:
        """What cannot be promised with the baselines of the settings' agents, and why."""
        reasons = {agent: self._not_guaranteed(agent) for agent in self.settings.agents}
        return [
            f"agent '{agent}': the false-alarm rate is not guaranteed: {'; '.join(why)}"
            for agent, why in reasons.items()
            if why
        ]

    def _not_guaranteed(self, agent: str) -> tuple[str, ...]:
        """Why the share of false alarms cannot be stated with the agent's baseline; empty when it can."""
        base = self._baseline(agent)
        if base is not None and agent not in self._reasons:
            self._reasons[agent] = plan_of_baseline(self.store, self.settings, base).not_guaranteed
        return self._reasons.get(agent, ())

    def forget(self, now: datetime.datetime) -> int:
        """Delete traces older than `keep`; counts, alarms and traces in review stay."""
        keep = self.settings.keep
        old, bad = (now - datetime.timedelta(seconds=seconds(text)) for text in (keep.traces, keep.failed))
        gone = self.store.traces.forget(time_text(int(old.timestamp() * 1e9)), failed=False)
        return gone + self.store.traces.forget(time_text(int(bad.timestamp() * 1e9)), failed=True)

    def agent_of(self, trace: Trace) -> str:
        """The name in the settings whose `match` matches the trace; without settings the trace's own name."""
        own_name = " ".join((trace.service or trace.agent).split())[:200] or "agent"
        return next((name for name, agent in self.settings.agents.items() if agent.matches(trace)), own_name)

    def _check_trace(self, trace: Trace) -> KeptTrace:
        agent = self.agent_of(trace)
        if self._redactor is not None:
            trace = self._redactor.trace(trace)
        watching = self._check_agent(agent)
        return trace_to_keep(trace, agent, run_checks(self.settings.checks, trace, watching))

    def _check_agent(self, agent: str) -> CheckedAgent:
        if agent not in self._watching:
            settings = self.settings.agents.get(agent, AgentSettings())
            tools: Sequence[Tool] = load_tools(self.folder / settings.tools) if settings.tools else ()
            base = self._baseline(agent)
            slow_ms = base.slow_ms if base else None
            self._watching[agent] = CheckedAgent(settings, {tool.name: tool for tool in tools}, slow_ms)
        return self._watching[agent]

    def _watch(self, row: TraceRow, trace: Trace) -> None:
        self._raise_drift(self._series.pass_time(row.agent, trace.time))
        for check in row.checks:
            if check.bad is None:
                continue
            if check.name in HARD and check.bad:
                self._raise_hard(row, check)
            self._raise_drift(self._series.watch(row, check.name, check.bad, trace.time))

    def _baseline(self, agent: str) -> TrafficBaseline | None:
        """The agent's baseline; while there is none, the store is queried once per call of `feed`."""
        if self._baselines.get(agent) is None and agent not in self._looked_for:
            self._looked_for.add(agent)
            self._baselines[agent] = current_baseline(self.store, agent)
        return self._baselines.get(agent)

    def _raise_drift(self, crossings: Iterable[Crossing]) -> None:
        for crossing in crossings:
            agent, _, check = crossing.place
            series = crossing.series
            base = self._baseline(agent)
            reference = base.checks.get(check) if base else None
            bounds = series.bounds
            assert reference is not None and bounds is not None  # otherwise it only counts
            reasons = self._not_guaranteed(agent)
            content = {
                "since": time_text(crossing.since_time),
                "observed": list(series.rate()),
                "baseline": {"rate": reference.bad / reference.n, "n": reference.n, "q0": bounds.q0},
                "evidence": crossing.evidence,
                "threshold": bounds.threshold,
                "false_alarm_bound": None if reasons else self.settings.false_alarms.share,
                "not_guaranteed": list(reasons),
                "values": series.detector.n,
                "traces": series.bad_traces[-5:],
            }
            series.alarm = self._raise("drift", crossing.place, content)

    def _raise_hard(self, row: TraceRow, check: TraceCheck) -> None:
        latched = self.store.traces.alarms(latched=True)
        if any(a.agent == row.agent and a.name == check.name and a.version == row.version for a in latched):
            return
        content = {"since": row.started_at, "reason": check.reason, "traces": [row.trace_id]}
        self._raise("forbidden", (row.agent, row.version, check.name), content)

    def _raise(self, kind: str, place: Place, content: dict[str, Any]) -> int:
        """Store an alarm; returns its key."""
        agent, version, check = place
        head = {
            "format": "rightcall/alert/1",
            "kind": kind,
            "agent": agent,
            "check": check,
            "version": version,
        }
        alarm = self.store.traces.add_alarm(agent, check, version, head | content)
        self.alarms.append(alarm)
        return alarm.key
