"""One worker's place in a run, and the check whether a worker is fit for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rightcall.core.errors import ConfigError
from rightcall.wings.ray.message import Hello, Sent
from rightcall.wings.ray.worker import FINGERPRINTS, versions


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
    requests: int = 0
    wanted: float | None = None
    dealt: float = 0.0

    def vacate(self, now: float) -> None:
        """Mark the seat as empty; a new worker may take it."""
        self.since, self.worker, self.node = now, None, ""
        self.results, self.first_lease, self.reported = 0, 0.0, Sent()
        self.rate_share, self.requests, self.wanted, self.dealt = 0.0, 0, None, 0.0

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
