"""The address, records and filters of the store, of runs and of production, independent of the database."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

import msgspec

from rightcall.core.errors import InputError
from rightcall.records import AnyGolden, CaseResult, Category, Code, Run, Usage
from rightcall.records.record import Record
from rightcall.records.run import CaseOutcome
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory

Outcome: TypeAlias = CaseOutcome
Key = tuple[str, int]
"""A golden's id and a trial, which identify a result within a run."""


class Address(msgspec.Struct, frozen=True):
    """A file, or the URL of a server's database; one of the two is set."""

    file: Path | None = None
    url: str = ""

    @property
    def shown(self) -> str:
        """The address for display: a path, or a URL without its password."""
        parts = urlsplit(self.url)
        if self.file is not None or parts.password is None:
            return str(self.file or self.url)
        where = parts.netloc.rpartition("@")[2]
        return parts._replace(netloc=f"{parts.username}:***@{where}").geturl()

    @property
    def typed(self) -> str:
        """The address as typed for `--store`, without its password."""
        return self.shown.replace("postgresql+psycopg://", "postgresql://", 1)


class StoredRun(Record, frozen=True):
    """A stored run, finished or in progress.

    `results`, `passed`, `errors`, `unchecked` and `usage` grow with every batch, so they are right for a run in
    progress too. `planned` is how many results there will be (0 when unknown). `updated_at` is the time of the last
    write: an unfinished run that was not written to for minutes was stopped or killed.
    """

    run: Run
    results: int = 0
    passed: int = 0
    errors: int = 0
    planned: int = 0
    usage: Usage = Usage()
    updated_at: str = ""
    verdict: str = ""
    tags: tuple[str, ...] = ()
    unchecked: int = 0

    @property
    def id(self) -> str:
        return self.run.id

    @property
    def finished(self) -> bool:
        return self.run.finished_at is not None

    @property
    def judged(self) -> int:
        """Results that passed or failed: errors say nothing about the agent, and unchecked ones check nothing."""
        return self.results - self.errors - self.unchecked

    @property
    def pass_rate(self) -> float:
        """Share of the judged results that passed."""
        return self.passed / self.judged if self.judged else 0.0


class StoredCase(Record, frozen=True):
    """One golden in one run: what should happen, every trial with its trajectory.

    `golden` is None when the run was written without its goldens.
    """

    golden_id: str
    golden: AnyGolden | None
    results: tuple[CaseResult, ...]

    def trial(self, number: int | str | None = None, outcome: str | None = None) -> CaseResult:
        """The trial of that number; without one, the first of that outcome, or else the first that did not pass."""
        if not self.results:
            raise InputError(f"case {self.golden_id}", "has no result yet")
        if number is None:
            candidates = [result for result in self.results if result.outcome == outcome]
            candidates += [result for result in self.results if not result.passed]
            return (candidates or self.results)[0]
        for result in self.results:
            if str(result.trial) == str(number):
                return result
        raise InputError(f"case {self.golden_id}", f"has no trial {number}", f"it has {len(self.results)}")


class RunFilter(msgspec.Struct, frozen=True):
    """Which runs to list; an empty field matches all. `text` is searched in id, name, agent and group."""

    name: str = ""
    group: str = ""
    agent: str = ""
    tag: str = ""
    text: str = ""
    state: Literal["any", "finished", "unfinished"] = "any"
    since: str = ""
    until: str = ""


class ResultFilter(msgspec.Struct, frozen=True):
    """Which results of a run to list; a field that is None or empty matches all.

    `failed_metric` keeps results that did not pass that metric, `tool` those with a failure about that tool,
    `text` those with it in the golden's id or input.
    """

    outcome: Outcome | None = None
    category: Category | None = None
    code: Code | None = None
    tool: str = ""
    failed_metric: str = ""
    text: str = ""
    golden_id: str | None = None


ListPart = Literal["danger", Outcome]


class ListedGolden(Record, frozen=True):
    """A golden in a list: in the part of dangerous ones, or under the worst outcome of its matching trials."""

    part: ListPart
    golden_id: str
    preview: str = ""
    """The beginning of its input."""
    trials: tuple[CaseResult, ...] = ()
    """All of them, in order, without trajectories."""


class SuiteOverview(Record, frozen=True):
    """A suite by name: how many runs it has, and when the newest started."""

    name: str
    runs: int
    last_started_at: str


class RunsOverview(Record, frozen=True):
    """The suites, agents, groups and tags of all runs."""

    suites: list[SuiteOverview]
    agents: list[str]
    groups: list[str]
    tags: list[str]


Change = Literal["fixed", "broken", "passing", "failing", "added", "removed", "unjudged"]
"""How a golden changed between two runs. It passes when at least half of its scored trials do.

`passing` and `failing` are unchanged; `added` and `removed` are in one run only; `unjudged` has only errors
or unchecked trials in one of the two.
"""


class ComparedCase(Record, frozen=True):
    """One golden in two runs: how many of its scored trials passed, before and after."""

    golden_id: str
    change: Change
    before_passed: int
    before_judged: int
    after_passed: int
    after_judged: int


class DatasetVersion(Record, frozen=True):
    """One version of a dataset: an immutable one, or the draft that the next push may replace."""

    alias: str
    version: int
    finalized: bool
    author: str
    created_at: str
    goldens: int
    fingerprint: str


class DatasetDiff(Record, frozen=True):
    """What changed between two versions, by golden id."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]


class Copied(Record, frozen=True):
    """What a copy added; existing items are not counted."""

    runs: int = 0
    results: int = 0
    datasets: int = 0


class TraceCheck(Record, frozen=True):
    """The result of one check on one trace. `bad` is None when unknown."""

    name: str
    bad: float | None
    reason: str = ""


class TraceRow(Record, frozen=True):
    """A trace in a list. `started_at` is ISO 8601 in UTC; `review` is empty, `queued`, `kept` or `dropped`."""

    trace_id: str
    agent: str
    version: str
    session: str
    started_at: str
    input: str
    calls: int
    latency_ms: float | None
    tokens: int
    failed: bool
    review: str = ""
    seen: int = 1
    checks: tuple[TraceCheck, ...] = ()


class KeptTrace(Record, frozen=True):
    """A whole trace: its row, what the agent did, and its origin."""

    row: TraceRow
    trajectory: Trajectory
    tools: tuple[Tool, ...] = ()
    system: str = ""
    model: str = ""
    origin: dict[str, Any] = {}
    signature: str = ""


class TraceFilter(Record, frozen=True):
    """Which traces. `since` and `until` are times in the store's format; `until` is exclusive."""

    agent: str = ""
    failed: bool | None = None
    review: str | None = None
    since: str = ""
    until: str = ""


class CheckCount(Record, frozen=True):
    """One check on one day: traces it applied to, and how many were bad."""

    agent: str
    version: str
    name: str
    day: str
    seen: int
    bad: float


class SessionCount(Record, frozen=True):
    """One check of one version: sessions it applied to, and how many were bad. A session counts once an hour."""

    agent: str
    version: str
    name: str
    sessions: int
    bad: float


class StoredAlarm(Record, frozen=True):
    """An alarm, latched until it is acknowledged. `content` is the alert."""

    key: int
    agent: str
    name: str
    version: str
    raised_at: str
    acknowledged_at: str | None
    content: dict[str, Any]


IN_WORDS = frozenset(("setup", "watched", "judges", "labels"))
"""Documents that repeat, in readable form, what other fingerprints already cover, or are known at the end only."""


def changes(stored: Run, now: Run) -> list[str]:
    """Differences between a resumed run and its start, one sentence each; empty when there are none."""
    before = _description(stored)
    after = _description(now)
    return [
        f"{what} changed: was {before.get(what, 'none')}, is now {after.get(what, 'none')}"
        for what in sorted(before.keys() | after.keys())
        if before.get(what) != after.get(what)
    ]


def _description(run: Run) -> dict[str, str]:
    """Everything that must stay the same, by its user-visible name."""
    facts = {what: digest[:12] for what, digest in run.fingerprints.items() if what not in IN_WORDS}
    facts |= {f"setting {name}": repr(value) for name, value in run.settings.items()}
    return facts | {"agent": repr(run.agent), "trials": str(run.trials), "seed": str(run.seed)}


def user_name() -> str:
    """The name of the user of this machine; empty where there is none, as in some containers."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
