"""What `check` found: `rightcall/check/1`."""

from __future__ import annotations

from rightcall.core.text import percent, pluralize
from rightcall.decide.check_rule import CheckWord, StratumState
from rightcall.decide.check_settings import CHECKS, ConfirmMode
from rightcall.decide.input_change import ComparedInputs, InputChange
from rightcall.lint.report import Diagnostic
from rightcall.records.record import Record

FORMAT = "rightcall/check/1"
EXIT_CODES: dict[CheckWord, int] = {
    "SAME": 0,
    "PASS": 0,
    "NO LOSS SEEN": 0,
    "WORSE": 1,
    "INCONCLUSIVE": 3,
    "ERROR": 4,
}


class GoldenChange(Record, frozen=True, omit_defaults=False):
    """A golden with a different result than in the baseline, with its place in the dataset.

    `before` and `after` have a character for each trial. `expected` and `called` are the calls of one failing trial,
    in words; `reason` is what that trial failed for.
    """

    golden: str
    before: str
    after: str
    stratum: str
    reason: str = ""
    expected: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    file: str = ""
    line: int = 0


class HardFailure(Record, frozen=True, omit_defaults=False):
    """Damage that the baseline did not show for this golden. `times` of `tries` trials did it.

    Of fresh trials of the version before the change, `base_times` of `base_tries` did; 0 of 0 when it was not run.
    """

    golden: str
    code: str
    detail: str
    times: int
    tries: int
    file: str = ""
    line: int = 0
    base_times: int = 0
    base_tries: int = 0

    @property
    def often(self) -> str:
        """`2 of 4 trials (before the change in 0 of 3)`."""
        before = f" (before the change in {self.base_times} of {self.base_tries})" if self.base_tries else ""
        return f"{self.times} of {self.tries} trials{before}"


class FreshTrials(Record, frozen=True, omit_defaults=False):
    """Trials of a version in a confirmation: how many passed of those that got an answer, and the version's commit."""

    passed: float = 0.0
    trials: int = 0
    commit: str = ""


class AlarmConfirmation(Record, frozen=True, omit_defaults=False):
    """What came of an alarm: fresh trials, none of which had raised it.

    `mode` is how alarms of this check are confirmed; without an `alarm` nothing was tried. With `base`, the base and
    the candidate tried `goldens` in `pairs`, and `evidence` to 1 says that the candidate is worse; it has to reach
    1/`level`. With `candidate` another draw of `pairs` trials was compared with the same baseline. `moved` is the
    p-value of the base's fresh trials against its own baseline, `problem` says why the base was not run, and with
    `cut_short` the budget of calls ended the confirmation.
    """

    mode: ConfirmMode
    level: float
    alarm: bool = False
    confirmed: bool = False
    goldens: tuple[str, ...] = ()
    pairs: int = 0
    evidence: float = 1.0
    base: FreshTrials | None = None
    candidate: FreshTrials | None = None
    moved: float | None = None
    cut_short: bool = False
    problem: str = ""


class CheckCalls(Record, frozen=True, omit_defaults=False):
    """Numbers of calls of the agent: `spent` of at most `planned`; a run of everything takes `full`.

    `requests` are those to its model in the calls that were spent, both versions together, None when they were not
    seen; a run of everything takes about `full_requests`.
    """

    spent: int
    planned: int
    full: int
    replayed: int = 0
    requests: int | None = 0
    full_requests: int | None = None

    @property
    def price(self) -> str:
        """`19 of about 60 requests`."""
        if self.requests is None:
            return "requests not seen"
        if not self.full_requests:
            return pluralize(self.requests, "request")
        about = "" if self.requests == self.spent else "about "
        return f"{self.requests:,} of {about}{self.full_requests:,} requests"


class NewGoldens(Record, frozen=True, omit_defaults=False):
    """Goldens without a baseline: tried, but not compared."""

    goldens: int = 0
    passed: int = 0
    trials: int = 0
    low: float | None = None
    high: float | None = None


class BaselineFacts(Record, frozen=True, omit_defaults=False):
    """The baseline of a check."""

    id: str
    branch: str
    commit: str
    age_days: float
    runs: int
    trials: int


class StratumPlan(Record, frozen=True, omit_defaults=False):
    """How a stratum will be tried."""

    name: str
    goldens: int
    calls: int
    margin: float | None = None
    rounds: int = 1


class CheckResult(Record, frozen=True, omit_defaults=False, tag_field="format", tag=FORMAT):
    """The verdict, its evidence, and everything else a reviewer needs.

    `unknown` says why equal inputs do not mean equal behaviour, "" when they do.
    `p` is the smallest `alpha` that gives WORSE, apart from hard failures; None when nothing was compared.
    `alpha` is the highest probability of WORSE when nothing got worse. `confirm` is what came of an alarm; None
    where none has to be confirmed. `left` counts goldens in reach of the change that were not tried. `drawn` has the
    word of each draw of these inputs, when there were several.
    `warnings` are what a reader of the verdict must know.
    """

    suite: str
    verdict: CheckWord
    reason: str
    hint: str = ""
    cause: str = ""
    changes: tuple[InputChange, ...] = ()
    lint: tuple[Diagnostic, ...] = ()
    strata: tuple[StratumState, ...] = ()
    hard: tuple[HardFailure, ...] = ()
    broken: tuple[GoldenChange, ...] = ()
    fixed: tuple[GoldenChange, ...] = ()
    broken_more: int = 0
    fixed_more: int = 0
    new: NewGoldens = NewGoldens()
    untouched: int = 0
    compared: ComparedInputs = ComparedInputs()
    unknown: str = ""
    quarantined: tuple[str, ...] = ()
    calls: CheckCalls = CheckCalls(0, 0, 0)
    cost_usd: float | None = None
    estimate: float | None = None
    estimate_error: float | None = None
    alpha: float = 0.05
    beta: float = 0.05
    hard_chance: float | None = None
    p: float | None = None
    notes: tuple[str, ...] = ()
    seed: str = ""
    draws: int = 1
    drawn: tuple[CheckWord, ...] = ()
    baseline: BaselineFacts | None = None
    plan: tuple[StratumPlan, ...] = ()
    run_id: str = ""
    everything: str = ""
    exit_code: int = 0
    confirm: AlarmConfirmation | None = None
    left: int = 0
    warnings: tuple[str, ...] = ()

    @property
    def word(self) -> str:
        """The verdict as it is shown; a plan has none."""
        return "PLAN" if self.cause == "plan" else self.verdict

    @property
    def error_rate(self) -> str:
        """How often WORSE comes without a change."""
        by_draw = self.cause != "few" and (self.confirm is None or self.confirm.mode == "candidate")
        rate = f"{percent(self.alpha)} of checks" if by_draw else f"1 of {CHECKS} checks"
        return f"a change that is no change is called WORSE in at most {rate}"

    @property
    def sentence(self) -> str:
        """The word and its reason, to be shown."""
        return f"{self.word}: {self.reason}"
