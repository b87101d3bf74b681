"""One worker's place in a run, whether a worker is fit for it, and what it means when workers die."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from rightcall.core.errors import ConfigError, InfrastructureError
from rightcall.limbs.ray.message import Hello, Sent
from rightcall.limbs.ray.worker import FINGERPRINTS, versions
from rightcall.records.run import CaseResult
from rightcall.records.trajectory import Trajectory
from rightcall.run.backend import Cell, RunWork


@dataclass(eq=False)
class Seat:
    """One worker's place: its current worker and how it is doing."""

    number: int
    worker: Any = None
    node: str = ""
    at_once: int = 0
    since: float = 0.0
    results: int = 0
    first_lease: float = 0.0
    reported: Sent = field(default_factory=Sent)
    rate_share: float = 0.0

    def vacate(self, now: float) -> None:
        """Mark the seat as empty; a new worker may take it."""
        self.since = now
        self.worker = None
        self.node = ""
        self.results = 0
        self.first_lease = 0.0
        self.reported = Sent()
        self.rate_share = 0.0

    @property
    def name(self) -> str:
        return f"worker {self.number}" + (f" on {self.node}" if self.node else "")

    def rate(self, now: float) -> float:
        busy = now - self.first_lease
        return self.results / busy if self.first_lease and self.results and busy > 0 else 0.0


def refuse_unfit(seat: Seat, hello: Hello, expected: Mapping[str, str]) -> None:
    """Refuse a worker that could not start, or would not do what the driver planned."""
    if hello.failed is not None:
        raise hello.failed.error(f"{seat.name} cannot start")
    problems = [f"{hello.node}: {problem}" for problem in hello.problems]
    problems += [
        f"{hello.node}: has {name} {hello.versions.get(name, 'of no known version')}, here it is {mine}"
        for name, mine in versions().items()
        if hello.versions.get(name) != mine
    ]
    problems += [
        f"{hello.node}: its {name} are not those of this machine; is an older copy of the code installed there?"
        for name in FINGERPRINTS
        if hello.fingerprints.get(name) != expected.get(name)
    ]
    if problems:
        raise ConfigError(*problems)


MOST_DEATHS = 10
DEATHS_SECONDS = 60.0
"""Workers lost within these seconds, none with a result, that end the run."""


def fruitless_deaths(before: Sequence[float], now: float, why: str) -> list[float]:
    """When workers were lost without a result lately, and now again; raises when workers only die."""
    recent = [at for at in (*before, now) if at >= now - DEATHS_SECONDS]
    if len(recent) >= MOST_DEATHS:
        raise InfrastructureError(
            f"{len(recent)} workers were lost within a minute without a result, the last one because: {why}"
        )
    return recent


async def deadly_result(work: RunWork, cell: Cell, why: str) -> CaseResult:
    """The result of a case that ended its process twice."""
    golden, trial = cell
    ended = Trajectory(
        stop_reason="agent_error" if work.plan.own_agent else "infra_error",
        error=f"the process ended twice ({why}) while this case ran",
    )
    result = await work.plan.scorer.result(golden, trial, ended, work.tools)
    return msgspec.structs.replace(result, trajectory=ended)
