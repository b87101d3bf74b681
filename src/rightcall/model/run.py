"""Results of cases, and what they add up to."""

from __future__ import annotations

from typing import Any

from rightcall.model.failure import Failure
from rightcall.model.golden import Category
from rightcall.model.record import Record, Several
from rightcall.model.score import Score
from rightcall.model.trajectory import Trajectory, Usage


class CaseResult(Record, frozen=True):
    """One trial of one golden: passed or not, every score, every code.

    `error` is set when nothing can be said of the agent (the provider was down, the harness broke):
    such a case is neither passed nor failed.
    """

    golden_id: str
    trial: int
    passed: bool
    score: float
    metrics: dict[str, Score]
    codes: tuple[Failure, ...] = ()
    category: Category = "golden"
    cluster: str | None = None
    tags: Several[str] = ()
    error: str = ""
    latency_ms: float | None = None
    usage: Usage = Usage()
    trajectory: Trajectory | None = None


class Rate(Record, frozen=True):
    """A pass rate as it is shown: every golden counts the same, trials are inside goldens.

    `low` and `high` are its 95 % interval, made by `method`.
    """

    value: float
    low: float
    high: float
    goldens: int
    trials: int
    method: str


class GroupSummary(Record, frozen=True):
    """Counts and means over a group of cases. `cases` leaves out errors, which say nothing of the agent."""

    cases: int
    passed: int
    errors: int
    means: dict[str, float]
    rate: Rate | None = None

    @property
    def pass_rate(self) -> float:
        """Share that passed, with equal weight for each golden; 0 when there is no case."""
        if self.rate is not None:
            return self.rate.value
        return self.passed / self.cases if self.cases else 0.0


class Summary(Record, frozen=True):
    """What a run adds up to: overall, by category and tag, and how often each code occurred.

    `trials` is how often a golden was tried at most: so many cases may repeat each other. `named` are the metrics that
    were asked for by name, to decide or to observe. `pass_k` has pass^1, pass^2, …: the share of goldens of which k
    trials out of k pass, without bias; empty when there is one trial. `decision` is the verdict as a sentence.
    """

    overall: GroupSummary
    categories: dict[str, GroupSummary]
    codes: dict[str, int]
    tags: dict[str, GroupSummary] = {}
    usage: Usage = Usage()
    trials: int = 1
    named: tuple[str, ...] = ()
    pass_k: tuple[float, ...] = ()
    decision: str = ""


class Run(Record, frozen=True):
    """One suite × agent × trials, with what is needed to repeat it."""

    id: str
    name: str
    started_at: str
    agent: str = ""
    trials: int = 1
    seed: int = 0
    group: str = ""
    finished_at: str | None = None
    fingerprints: dict[str, str] = {}
    versions: dict[str, str] = {}
    settings: dict[str, Any] = {}
    summary: Summary | None = None
