"""What is stored of a run, to compare two of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from rightcall.agents.agent import Agent
from rightcall.records import CaseResult, ExpectedCall, Golden
from rightcall.run.plan import Plan
from rightcall.store.sql.store import Store
from tests.limbs.ray import agents


def goldens(n: int, folder: Path, **metadata: Any) -> list[Golden]:
    return [
        Golden(
            f"Do {i}",
            id=f"g{i:03}",
            expected_calls=(ExpectedCall("a", {"n": i}),),
            tags=("even",) if i % 2 == 0 else (),
            metadata={"folder": str(folder), **metadata},
        )
        for i in range(n)
    ]


def harming(goldens: list[Golden], harms: dict[int, str]) -> list[Golden]:
    return [
        msgspec.structs.replace(golden, metadata={**golden.metadata, "harm": harms[i]})
        if i in harms
        else golden
        for i, golden in enumerate(goldens)
    ]


def plan_of(goldens: list[Golden], agent: Any = agents.counted, **options: Any) -> Plan:
    return Plan("test", Agent(agent), goldens, **{"concurrency": 6, **options})


def stored(store: Store, run: str) -> dict[tuple[str, int], CaseResult]:
    """Everything that is stored of a run but times, by golden and trial."""
    found: dict[tuple[str, int], CaseResult] = {}
    for result in store.runs.results(run, trajectories=True):
        key = result.golden_id, result.trial
        assert key not in found
        trajectory = result.trajectory and msgspec.structs.replace(
            result.trajectory, latency_ms=None, lag_ms=0.0
        )
        found[key] = msgspec.structs.replace(result, latency_ms=None, trajectory=trajectory)
    return found


def counters(store: Store, run: str) -> tuple[Any, ...]:
    found = store.runs.get(run)
    return found.results, found.passed, found.errors, found.usage, found.finished


def asked(folder: Path) -> Counter[str]:
    """How often each golden was asked."""
    return Counter(
        line for file in folder.glob("asked-*") for line in file.read_text("utf-8").splitlines() if line
    )
