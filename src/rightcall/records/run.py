"""Case results and their summary."""

from __future__ import annotations

from functools import reduce
from typing import Any, Literal

from rightcall.core.text import one_line, percent, pluralize
from rightcall.records.failure import Failure
from rightcall.records.floor import Floor
from rightcall.records.golden import Category
from rightcall.records.record import Record, Several
from rightcall.records.score import Note, Score
from rightcall.records.trajectory import Trajectory, Usage
from rightcall.records.worst_case import WorstCaseNumbers

CaseOutcome = Literal["passed", "failed", "error", "unchecked"]
"""What a suite is for: to show that nothing broke, or how much an agent can do."""


CallPairs = tuple[tuple[int | None, int], ...]
"""Right calls, each with the expected one that it stands for, and with None those that no expected call stands for."""


class ScoredCalls(Record, frozen=True):
    """The calls that were right, and those left over, of which codes may say more.

    `alternative` is the place of the expected calls that they were scored by, among those of the golden and `any_of`.
    """

    pairs: CallPairs = ()
    alternative: int = 0


class CaseResult(Record, frozen=True):
    """One trial of one golden: passed or not, every score, every code.

    `error` is set when nothing can be said about the agent (the provider was down, the harness failed):
    such a case is neither passed nor failed. Neither is one that is not `checked`, because its golden states no check
    and no metric decides: it is excluded from rates, and its score says nothing. `first_request` is a digest of the
    first request of an agent that is code, or `-` when it did something else before it asked a model.
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
    first_request: str = ""
    checked: bool = True
    calls: ScoredCalls = ScoredCalls()

    @property
    def judged(self) -> bool:
        """Whether the case passed or failed."""
        return self.checked and not self.error

    @property
    def judge_metrics(self) -> tuple[str, ...]:
        """The metrics that a model judged it by."""
        return tuple(
            name for name, score in self.metrics.items() if score.judged is not None and name != "overall"
        )

    @property
    def fails_exactly(self) -> bool:
        """Whether it fails whatever its judges say."""
        overall = self.metrics.get("overall")
        return not self.passed and overall is not None and not overall.passed and overall.judged is None

    @property
    def judge_usage(self) -> Usage:
        """What its judges used, in addition to `usage`, which is the agent's and the simulated user's."""
        judged = (score.judged.usage for score in self.metrics.values() if score.judged is not None)
        return reduce(Usage.plus, judged, Usage())

    @property
    def user_usage(self) -> Usage:
        """The simulated user's part of `usage`; nothing when the trajectory is not at hand."""
        dialogue = self.trajectory.dialogue if self.trajectory is not None else None
        return dialogue.usage if dialogue is not None else Usage()

    @property
    def outcome(self) -> CaseOutcome:
        if not self.checked:
            return "unchecked"
        return "error" if self.error else "passed" if self.passed else "failed"

    def __repr__(self) -> str:
        overall = self.metrics.get("overall")
        why = self.error or (overall.reason if overall else "")
        trial = f" trial {self.trial}" if self.trial else ""
        score = f", score {self.score:.2f}" if self.checked else ""
        return f"<CaseResult {self.golden_id}{trial}: {self.outcome}{score}{f', {why}' if why else ''}>"


class Rate(Record, frozen=True):
    """A pass rate as displayed: every golden counts the same, trials are averaged within goldens.

    `range` is that by which a gate decided, as text, and `low` and `high` its ends; without such a gate there is none.
    """

    value: float
    goldens: int
    trials: int
    low: float | None = None
    high: float | None = None
    range: str = ""


class GroupSummary(Record, frozen=True):
    """Counts and means over a group of cases. `cases` excludes errors, which say nothing about the agent."""

    cases: int
    passed: int
    errors: int
    means: dict[str, float]
    rate: Rate | None = None

    @property
    def pass_rate(self) -> float:
        """Share that passed, with equal weight for each golden; 0 without cases."""
        if self.rate is not None:
            return self.rate.value
        return self.passed / self.cases if self.cases else 0.0

    def __str__(self) -> str:
        """Passed and judged cases, the rate with its range, errors."""
        between = f" (range {self.rate.range})" if self.rate and self.rate.range else ""
        errors = f", {self.errors:,} errors" if self.errors else ""
        return f"{self.passed:,} of {self.cases:,} passed, {percent(self.pass_rate)}{between}{errors}"


Role = Literal["agent", "user", "judge"]


class JudgeSummary(Record, frozen=True):
    """What a judge said of the cases of a run: its verdicts, and the cases of which it gave none.

    `unanimous` of the cases with several votes (`voted`) got the same verdict from each. These are the judge's numbers;
    what people would say is estimated from labels.
    """

    verdicts: int
    passed: int
    no_verdict: int = 0
    voted: int = 0
    unanimous: int = 0

    @property
    def rate(self) -> float | None:
        return self.passed / self.verdicts if self.verdicts else None

    @property
    def self_consistency(self) -> float | None:
        """Share of the cases with several votes that got the same verdict from each; None without such cases."""
        return self.unanimous / self.voted if self.voted else None


class FailedTool(Record, frozen=True):
    """A tool that failed in every call of a run, and its most common error."""

    tool: str
    calls: int
    error: str

    def __str__(self) -> str:
        return f"{one_line(self.tool, 80)} failed in {self.calls:,} of {pluralize(self.calls, 'call')}: {self.error}"


class BrokenMetric(Record, frozen=True):
    """A requested metric that could not be computed in some answered cases, and the first of its errors as sorted."""

    metric: str
    cases: int
    error: str

    def __str__(self) -> str:
        return f"{self.metric} could not be computed in {pluralize(self.cases, 'case')}: {one_line(self.error, 160)}"


class Summary(Record, frozen=True):
    """The summary of a run: overall, by category and tag, and how often each code occurred.

    `trials` is the maximum number of trials of a golden. `named` are the metrics requested by name, to decide
    or to observe. `pass_k` has pass^1, pass^2, …: the unbiased share of goldens of which all k trials pass;
    empty when there is one trial. `word` and `reason` are the verdict,
    `clauses` the parts of the reason but dangers.
    `unknown_calls` counts calls of real tools whose outcome is unknown, in all
    cases, also in those that pass. `stopped_early` says that the run ended before its last case, at a moment that its
    results chose. `unchecked` counts cases without any check, which are in no other number but `usage`;
    `unchecked_errors` are those of them without an answer. `usage` is everything that was used; `roles` divides it into
    agent, simulated user and judge where there is more than an agent. `judges` has the verdicts of judged metrics,
    `failed_by_judges` how many cases would have passed but for them.
    `floor` is what trivial agents pass, `worst_case` what a hijacked agent reaches, for a gate that asks for it.
    `undelivered` of the unchecked cases are attacks that the agent never met, `undelivered_twins` benign twins of which
    it never met the remark; `delivered` counts the attacks that it met. `failed_tools` failed in every call,
    `broken_metrics` could not be computed in some cases;
    `keeps_state` says how an agent carried one trial into another. `requests` were sent to the agent's model, as far as
    they were seen; `why` says by which rules and bounds the verdict was reached.
    """

    overall: GroupSummary
    categories: dict[str, GroupSummary]
    codes: dict[str, int]
    tags: dict[str, GroupSummary] = {}
    usage: Usage = Usage()
    trials: int = 1
    named: tuple[str, ...] = ()
    pass_k: tuple[float, ...] = ()
    word: str = ""
    reason: str = ""
    unknown_calls: int = 0
    stopped_early: bool = False
    unchecked: int = 0
    unchecked_errors: int = 0
    roles: dict[Role, Usage] = {}
    judges: dict[str, JudgeSummary] = {}
    floor: Floor | None = None
    failed_by_judges: int = 0
    worst_case: WorstCaseNumbers | None = None
    undelivered: int = 0
    delivered: int = 0
    undelivered_twins: int = 0
    failed_tools: tuple[FailedTool, ...] = ()
    keeps_state: str = ""
    requests: int = 0
    why: tuple[str, ...] = ()
    broken_metrics: tuple[BrokenMetric, ...] = ()
    clauses: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader of any verdict about the run must also know."""
        state = (Note("keeps_state", self.keeps_state),) if self.keeps_state else ()
        return (
            *(Note("tool_error", str(tool)) for tool in self.failed_tools),
            *(Note("broken_metric", str(metric)) for metric in self.broken_metrics),
            *state,
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """The texts of the notes: shown right below the decision."""
        return tuple(note.text for note in self.notes)

    @property
    def nothing_delivered(self) -> bool:
        """Whether there are attacks, and the agent met none of them."""
        return bool(self.undelivered) and not self.delivered

    @property
    def unchecked_text(self) -> str:
        """How many cases had nothing to be checked by, and why."""
        return no_checks_text(self.unchecked, self.unchecked_errors, self.undelivered, self.undelivered_twins)

    @property
    def about_safety(self) -> bool:
        """Whether the run says anything about safety: it has attempts, delivered or not, or a worst case."""
        attempts = self.delivered + self.undelivered
        return bool(attempts) or "resisted" in self.overall.means or self.worst_case is not None

    def __str__(self) -> str:
        """The verdict, a line per category and one for all, and the codes of failed cases."""
        groups = self.categories if len(self.categories) > 1 else {}
        rows = {**groups, "all": self.overall}
        decision = f"{self.word}: {self.reason}" if self.word else ""
        lines = [decision, *self.warnings, *(f"{name}: {group}" for name, group in rows.items())]
        if self.unchecked:
            lines.append(self.unchecked_text)
        if self.codes:
            counts = ", ".join(f"{code} {count:,}" for code, count in self.codes.items())
            lines.append(f"failed cases by code: {counts}")
        return "\n".join(filter(None, lines))

    def __repr__(self) -> str:
        return f"<Summary {self.overall}>"


def no_checks_text(cases: int, errors: int = 0, undelivered: int = 0, undelivered_twins: int = 0) -> str:
    """How many cases had nothing to be checked by."""
    notes = [f"{errors:,} without an answer"] if errors else []
    notes += [f"{pluralize(undelivered, 'attempt')} not delivered"] if undelivered else []
    notes += [f"{pluralize(undelivered_twins, 'benign twin')} not delivered"] if undelivered_twins else []
    aside = f" ({', '.join(notes)})" if notes else ""
    return f"{pluralize(cases, 'case')} unchecked{aside}"


def missing_answers_text(missing: int, asked: int, noun: Literal["golden", "case"]) -> str:
    """How many were asked and got no answer."""
    return f"{missing:,} of {pluralize(asked, noun)} got no answer"


def nothing_delivered_text(attempts: int) -> str:
    """Why attacks that the agent never met decide nothing."""
    attacks = pluralize(attempts, "attack")
    return f"none of {attacks} was delivered, so nothing is known of how the agent resists them"


def nothing_checked_text(cases: int) -> str:
    """Why cases without any check decide nothing."""
    ran = pluralize(cases, "case")
    return f"nothing was checked: {ran} ran, but no golden states a check and no metric decides"


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
