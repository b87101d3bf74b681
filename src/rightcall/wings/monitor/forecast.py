"""What would be detected, and how soon: shown before monitoring is turned on."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rightcall.stats.detect import simulate_delay
from rightcall.store.sql.store import Store
from rightcall.wings.monitor.baseline import KIND as BASELINE, TrafficBaseline, current_baseline
from rightcall.wings.monitor.bounds import bounds_of, reference_of, watched_names, watched_series
from rightcall.wings.monitor.drift import Bounds
from rightcall.wings.monitor.rehearsal import Rehearsal, rehearsal
from rightcall.wings.monitor.settings import MonitorSettings, load_settings
from rightcall.wings.monitor.week_blocks import HOUR, Cell, block_text, block_totals, blocks_of

FACTORS = (1.5, 2.0, 3.0, 5.0)
RUNS = 20


@dataclass(frozen=True)
class Delay:
    """An increased rate, and the mean number of sessions and hours until it is detected."""

    factor: float
    rate: float
    sessions: float
    hours: float


@dataclass(frozen=True)
class BlockRate:
    """A block of the week: its hours, its sessions in the baseline, their rate and the bound it is compared with."""

    hours: str
    sessions: int
    rate: float
    q0: float


@dataclass(frozen=True)
class Outlook:
    """One check of one agent: the rate of the baseline, the mean bound it is compared with, blocks and delays."""

    agent: str
    check: str
    rate: float
    q0: float
    per_day: float
    threshold: float
    delays: tuple[Delay, ...]
    blocks: tuple[BlockRate, ...] = ()


@dataclass(frozen=True)
class AgentPlan:
    """What the baseline of one agent shows, before its monitoring is turned on."""

    agent: str
    share: float
    per: str
    series: int
    timezone: str
    rehearsal: Rehearsal
    checks: tuple[Outlook, ...]


def agent_plans(store: Store, config: str | Path | None = None) -> list[AgentPlan]:
    """The plan of each agent that has a baseline, with the settings in a file."""
    settings = load_settings(config) if config else MonitorSettings()
    agents = list(settings.agents) or sorted({agent for agent, *_ in store.traces.counts()})
    with_baseline = len(store.traces.states(BASELINE))
    return [
        AgentPlan(
            agent,
            settings.false_alarms.share,
            settings.false_alarms.per,
            watched_series(settings, base, with_baseline),
            base.timezone,
            rehearsal(store, settings, base, with_baseline),
            tuple(outlook(settings, base, with_baseline)),
        )
        for agent in agents
        if (base := current_baseline(store, agent)) is not None
    ]


def outlook(settings: MonitorSettings, baseline: TrafficBaseline, agents: int) -> Iterator[Outlook]:
    """Delays for each drifting check, simulated at the traffic of the baseline."""
    for check in watched_names(settings, baseline):
        reference = reference_of(baseline, check)
        bounds = bounds_of(settings, baseline, check, agents)
        if reference is None or bounds is None:
            continue
        blocks = _blocks(reference.cells, bounds)
        watched = sum(block.sessions for block in blocks)
        q0 = sum(block.sessions * block.q0 for block in blocks) / watched if watched else bounds.q0
        yield Outlook(
            baseline.agent,
            check,
            reference.bad / reference.n,
            q0,
            baseline.per_day,
            bounds.threshold,
            tuple(_delays(bounds, q0, baseline.per_day)),
            blocks,
        )


def _blocks(cells: tuple[Cell, ...], bounds: Bounds) -> tuple[BlockRate, ...]:
    block = blocks_of(cells)
    return tuple(
        BlockRate(block_text(block, name), n, bad / n, bounds.q0s[block.index(name)])
        for name, (n, bad) in block_totals(cells, block).items()
    )


def _delays(bounds: Bounds, q0: float, per_day: float) -> Iterator[Delay]:
    """Delays until rates above the bound are detected; a rate of .95 or more is not simulated."""
    cap = bounds.cap if bounds.window else math.inf
    window = max(1e-9, per_day * bounds.window / (24 * HOUR))
    for factor in FACTORS:
        if q0 * factor < 0.95:
            sessions = _sessions_until_alarm(q0, factor, bounds.threshold, cap, window)
            yield Delay(factor, q0 * factor, sessions, sessions / max(per_day, 1e-9) * 24)


@functools.lru_cache(1024)
def _sessions_until_alarm(q0: float, factor: float, threshold: float, cap: float, window: float) -> float:
    """Checks without bad sessions have the same bounds, and need simulating once."""
    return simulate_delay(q0, q0 * factor, threshold, runs=RUNS, limit=50_000, cap=cap, window=window)
