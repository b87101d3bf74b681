"""Monitor: traces in, checks on each, evidence of change, alarms that stay until someone acknowledges them."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from rightcall.errors import InputError
from rightcall.model.case import TestCase
from rightcall.model.codec import to_plain
from rightcall.model.golden import Golden
from rightcall.model.tool import Tool
from rightcall.monitor.baseline import TrafficBaseline, current_baseline, make_baseline
from rightcall.monitor.checks import CheckedAgent, run_checks
from rightcall.monitor.drift import Crossing, Series, feed, flush, new_series, packed_series, unpacked_series
from rightcall.monitor.sample import is_chosen
from rightcall.monitor.settings import (
    HARD,
    AgentSettings,
    JudgeSettings,
    MonitorSettings,
    load_settings,
    seconds,
)
from rightcall.stats import detector_threshold
from rightcall.store import KeptTrace, Store, StoredAlarm, TraceCheck, TraceRow, open_store
from rightcall.tools import load_tools
from rightcall.traces import Redactor, Trace, signature

SERIES = "series"
SALT = "rightcall"
Judge = Callable[[TestCase], float | None]


class Monitor:
    """Monitors the traces of agents; `feed` accepts one or many.

    `config` is a `monitor.yaml`, its settings, or None for the default checks. `judges` maps the name of a judged check
    to a function from a case to 1 (bad), 0 or None. Results are in the store: `status` reads them back.
    """

    def __init__(
        self,
        config: str | Path | MonitorSettings | None = None,
        *,
        store: Store | str | Path | None = None,
        judges: dict[str, Judge] | None = None,
        redacted: bool = False,
    ) -> None:
        self.folder = Path(config).parent if isinstance(config, str | Path) else Path()
        self.settings = (
            load_settings(config) if isinstance(config, str | Path) else config or MonitorSettings()
        )
        self.store = store if isinstance(store, Store) else open_store(store)
        self._redactor = None if redacted else Redactor(self.store.redaction_key(), self.settings.redact)
        self._judges = judges or {}
        self._watching: dict[str, CheckedAgent] = {}
        self._baselines: dict[str, TrafficBaseline | None] = {}
        self._series = {name: unpacked_series(data) for name, data in self.store.states(SERIES).items()}
        self._judged: dict[tuple[str, str], int] = {}
        self.alarms: list[StoredAlarm] = []

    def feed(self, traces: Trace | Iterable[Trace]) -> list[TraceRow]:
        """Check and store traces; alarms they raise are appended to `alarms`. A trace fed again is scored
        again, but neither counted nor given to the detectors twice."""
        given = [traces] if isinstance(traces, Trace) else list(traces)
        kept = [self._checked(trace) for trace in given]
        known = self.store.known_traces([k.row.trace_id for k in kept])
        self.store.keep_traces(kept)
        self._release_acknowledged()
        changed: set[str] = set()
        fed: set[str] = set(known)
        for trace, held in sorted(zip(given, kept, strict=True), key=lambda pair: pair[0].time):
            if held.row.trace_id not in fed:
                fed.add(held.row.trace_id)
                changed |= self._watch(held.row, trace.time)
        self._save(changed)
        return [held.row for held in kept]

    def end_hour(self) -> None:
        """Count the sessions of the current hour now, as at the end of a file."""
        for name, series in self._series.items():
            crossing = flush(series)
            if crossing is not None:
                agent, version, check = name.split("\t")
                self._raise_drift(agent, version, check, series, crossing)
        self._save(set(self._series))

    def make_baseline(self, agent: str, start: str, end: str) -> TrafficBaseline:
        """Freeze a window as the reference; series restart against it."""
        found = make_baseline(self.store, agent, start, end)
        self._baselines.pop(agent, None)
        self._watching.pop(agent, None)
        fresh = [name for name in self._series if name.split("\t")[0] == agent]
        for name in fresh:
            series = self._new_series(agent, name.split("\t")[2])
            if series is not None:
                self._series[name] = series
        self._save(set(fresh))
        return found

    def prepare(self) -> list[str]:
        """Create baselines in the settings that the store lacks; returns what will not be monitored, and why."""
        notes = [
            f"judge '{judge.judge}' is not run: pass it with rc.Monitor(judges={{'{judge.judge}': …}})"
            for judge in self.settings.judges
            if judge.judge not in self._judges
        ]
        window = self.settings.baseline
        for agent in self.settings.agents if window is not None else ():
            if window is not None and self._baseline(agent) is None:
                try:
                    self.make_baseline(agent, window.start, window.end)
                except InputError as error:
                    notes.append(f"{error}; drift is not monitored until there is a baseline")
        return notes

    def forget(self, now: datetime.datetime) -> int:
        """Delete traces older than `keep`; counts, alarms and traces in review stay."""
        keep = self.settings.keep
        old, bad = (now - datetime.timedelta(seconds=seconds(text)) for text in (keep.traces, keep.failed))
        gone = self.store.forget_traces(written_time(int(old.timestamp() * 1e9)), failed=False)
        return gone + self.store.forget_traces(written_time(int(bad.timestamp() * 1e9)), failed=True)

    def agent_of(self, trace: Trace) -> str:
        """The name in the settings whose `match` matches the trace; without settings the trace's own name."""
        known = {**trace.resource, "agent": trace.agent, "service.name": trace.service}
        for name, agent in self.settings.agents.items():
            if all(str(known.get(key, "")) == value for key, value in agent.match.items()):
                return name
        return trace.service or trace.agent or "agent"

    def _checked(self, trace: Trace) -> KeptTrace:
        agent = self.agent_of(trace)
        if self._redactor is not None:
            trace = self._redactor.trace(trace)
        watching = self._watching_of(agent)
        checks = run_checks(self.settings.cheap, trace, watching)
        failed_cheap = any(check.bad for check in checks)
        checks += tuple(self._judge(judge, trace, agent) for judge in self.settings.judges)
        checks = tuple(c for c in checks if c.share > 0)
        failed = failed_cheap or any(check.bad for check in checks)
        return kept_trace(trace, agent, checks, failed)

    def _watching_of(self, agent: str) -> CheckedAgent:
        if agent not in self._watching:
            settings = self.settings.agents.get(agent, AgentSettings())
            tools: Sequence[Tool] = load_tools(self.folder / settings.tools) if settings.tools else ()
            base = self._baseline(agent)
            self._watching[agent] = CheckedAgent(
                settings,
                {tool.name: tool for tool in tools},
                base.slow_ms if base else None,
                base.many_tokens if base else None,
            )
        return self._watching[agent]

    def _judge(self, judge: JudgeSettings, trace: Trace, agent: str) -> TraceCheck:
        """A paid check on the sample; `share` 0 marks one that was not run."""
        name = f"judge:{judge.judge}"
        day = written_time(trace.time)[:10]
        used = self._judged.get((name, day), 0)
        if (
            not is_chosen(SALT, trace.trace_id, judge.sample)
            or used >= judge.per_day
            or judge.judge not in self._judges
        ):
            return TraceCheck(name, None, share=0.0)
        self._judged[name, day] = used + 1
        case = TestCase.of(Golden(trace.input or "(not recorded)"), trace.trajectory, trace.tools)
        return TraceCheck(name, self._judges[judge.judge](case), share=judge.sample)

    def _watch(self, row: TraceRow, time: int) -> set[str]:
        changed: set[str] = set()
        for check in row.checks:
            if check.bad is None:
                continue
            if check.name in HARD:
                if check.bad:
                    self._raise_hard(row, check)
                continue
            name = "\t".join((row.agent, row.version, check.name))
            series = self._series.get(name) or self._new_series(row.agent, check.name)
            if series is None:
                continue
            self._series[name] = series
            changed.add(name)
            crossing = feed(series, check.bad, time, row.session, row.trace_id)
            if crossing is not None:
                self._raise_drift(row.agent, row.version, check.name, series, crossing)
        return changed

    def _baseline(self, agent: str) -> TrafficBaseline | None:
        if self._baselines.get(agent) is None:
            self._baselines[agent] = current_baseline(self.store, agent)
        return self._baselines[agent]

    def _new_series(self, agent: str, check: str) -> Series | None:
        """A series against the agent's baseline; None while there is none for this check."""
        base = self._baseline(agent)
        if base is None or check not in base.checks:
            return None
        days = seconds(self.settings.false_alarms.per) / 86400
        values = max(1.0, base.per_day * days)
        threshold = detector_threshold(values, self.settings.false_alarms.share, self.settings.series)
        return new_series(base.checks[check].q0, threshold)

    def _raise_drift(self, agent: str, version: str, check: str, series: Series, crossing: Crossing) -> None:
        base = self._baseline(agent)
        reference = base.checks.get(check) if base else None
        rate, low, high = series.rate()
        content = alert_of("drift", agent, check, version) | {
            "since": written_time(crossing.since_time),
            "observed": [rate, low, high],
            "baseline": {"rate": reference.bad / reference.n, "n": reference.n, "q0": series.q0}
            if reference
            else None,
            "evidence": crossing.evidence,
            "threshold": series.threshold,
            "false_alarm_bound": self.settings.false_alarms.share,
            "values": series.n,
            "traces": series.bad_traces[-5:],
        }
        alarm = self.store.add_alarm(agent, check, version, content)
        series.alarm = alarm.key
        self.alarms.append(alarm)

    def _raise_hard(self, row: TraceRow, check: TraceCheck) -> None:
        latched = self.store.alarms(latched=True)
        if any(a.agent == row.agent and a.name == check.name and a.version == row.version for a in latched):
            return
        content = alert_of("forbidden", row.agent, check.name, row.version) | {
            "since": row.started_at,
            "reason": check.reason,
            "traces": [row.trace_id],
        }
        self.alarms.append(self.store.add_alarm(row.agent, check.name, row.version, content))

    def _release_acknowledged(self) -> None:
        """A series whose alarm was acknowledged restarts."""
        if not any(series.alarm is not None for series in self._series.values()):
            return
        latched = {alarm.key for alarm in self.store.alarms(latched=True)}
        for name, series in self._series.items():
            if series.alarm is not None and series.alarm not in latched:
                self._series[name] = new_series(series.q0, series.threshold)

    def _save(self, names: set[str]) -> None:
        self.store.set_states(SERIES, {name: packed_series(self._series[name]) for name in names})


def kept_trace(
    trace: Trace,
    agent: str,
    checks: tuple[TraceCheck, ...] = (),
    failed: bool = False,
    *,
    queue: bool = False,
) -> KeptTrace:
    """A trace as stored; failed ones, or all with `queue`, await review."""
    made = trace.trajectory
    row = TraceRow(
        trace.trace_id,
        agent,
        trace.version,
        trace.session,
        written_time(trace.time),
        trace.input,
        len(made.calls),
        made.latency_ms,
        made.usage.input_tokens + made.usage.output_tokens,
        failed,
        "queued" if (failed or queue) and trace.input else "",
        1,
        checks,
    )
    origin: dict[str, Any] = {
        "source": trace.source,
        "root_span": trace.root_span,
        "response_id": trace.response_id,
        "time": trace.time,
        "agent_name": trace.agent,
        "agent_version": trace.agent_version,
        "earlier_turns": trace.earlier_turns,
        "incomplete": trace.incomplete,
        "problems": list(trace.problems),
        "scores": to_plain(trace.scores),
    }
    return KeptTrace(
        row,
        made,
        trace.tools,
        trace.system,
        trace.model,
        {k: v for k, v in origin.items() if v},
        signature(trace),
    )


def trace_of(kept: KeptTrace) -> Trace:
    """The trace, as far as needed for a golden."""
    origin = kept.origin
    return Trace(
        kept.row.trace_id,
        kept.trajectory,
        kept.tools,
        _full_input(kept),
        kept.system,
        kept.row.session,
        origin.get("agent_name", kept.row.agent),
        kept.row.agent,
        kept.model,
        origin.get("agent_version", ""),
        origin.get("root_span", ""),
        origin.get("response_id", ""),
        origin.get("time", 0),
        origin.get("source", ""),
        earlier_turns=origin.get("earlier_turns", 0),
    )


def _full_input(kept: KeptTrace) -> str:
    """The full input: the list has only its beginning."""
    asked = [m.content for m in kept.trajectory.messages if m.role == "user" and m.content]
    return next((text for text in reversed(asked) if text.startswith(kept.row.input)), kept.row.input)


def alert_of(kind: str, agent: str, check: str, version: str) -> dict[str, Any]:
    return {
        "format": "rightcall/alert/1",
        "kind": kind,
        "agent": agent,
        "check": check,
        "version": version,
        "view": "/live",
    }


def written_time(nanoseconds: int) -> str:
    moment = datetime.datetime.fromtimestamp(nanoseconds / 1e9, datetime.UTC)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
