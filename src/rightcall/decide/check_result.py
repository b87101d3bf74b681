"""What `check` found: `rightcall/check/1`."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rightcall.core.text import hundredths, pluralize
from rightcall.decide.check_ledger import CheckBudget, CheckEntry
from rightcall.decide.check_rule import CheckWord, StratumState
from rightcall.decide.input_change import InputChange
from rightcall.decide.options import ConfirmMode
from rightcall.lint.report import Diagnostic
from rightcall.model.floor import Floor
from rightcall.model.record import Record
from rightcall.stats.paired_tests import holm

FORMAT = "rightcall/check/1"
EXIT_CODES: dict[CheckWord, int] = {"PASS": 0, "REGRESSED": 1, "INCONCLUSIVE": 3, "ERROR": 4}


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
    """Numbers of calls: `spent` of at most `planned`; a run of everything takes `full`."""

    spent: int
    planned: int
    full: int
    replayed: int = 0


class ComparedInputs(Record, frozen=True, omit_defaults=False):
    """What was compared with the baseline without asking a model: names of files and of environment variables that the
    agent's code reads, and the number of goldens whose first request was captured.
    """

    files: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    first_requests: int = 0

    @property
    def words(self) -> str:
        """`compared 7 files, 2 variables`; "" when nothing was."""
        parts = (
            (len(self.files), "file"),
            (len(self.variables), "variable"),
            (self.first_requests, "first request"),
        )
        named = ", ".join(pluralize(number, what) for number, what in parts if number)
        return f"compared {named}" if named else ""


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


class CheckForecast(Record, frozen=True, omit_defaults=False):
    """What a check will probably do, by simulating its rule on agents like the baseline's.

    `guessed`: most goldens were tried only once, so how flaky they are is taken from other suites.
    """

    passes_without_change: float
    regressed_at_margin: float
    least_calls: int
    typical_calls: int
    most_calls: int
    passes_with_everything: float | None = None
    guessed: bool = False


class CheckResult(Record, frozen=True, omit_defaults=False):
    """The verdict, its evidence, and everything else a reviewer needs.

    `unknown` says why equal inputs do not mean equal behaviour, "" when they do.
    `p` is the smallest `alpha` that gives REGRESSED, apart from hard failures; None when nothing was compared.
    `floor` is what trivial agents pass on the suite; None when nothing was run.
    `alpha` is the highest probability of REGRESSED when nothing got worse. `confirm` is what came of an alarm; None
    where none has to be confirmed. `entry` is this check's line in the ledger, None when it made no call, and `budget`
    what all checks used of the allowed false alarms. `drawn` has the word of each draw of these inputs, when there
    were several. `warnings` are what a reader of the verdict must know.
    """

    suite: str
    verdict: CheckWord
    sentence: str
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
    forecast: CheckForecast | None = None
    run_id: str = ""
    everything: str = ""
    exit_code: int = 0
    floor: Floor | None = None
    confirm: AlarmConfirmation | None = None
    budget: CheckBudget | None = None
    entry: CheckEntry | None = None
    warnings: tuple[str, ...] = ()
    format: str = FORMAT


def share_risk(results: Sequence[CheckResult], alpha: float) -> list[CheckResult]:
    """The results with REGRESSED in any of them by chance in at most `alpha` of pull requests.

    Each was checked at alpha / number of suites, where it may stop early. Once one is REGRESSED, the others need not be
    as clear (Holm, 1979): what they showed is judged again, without another call. Where fresh trials confirm an alarm,
    the level of the confirmation was shared out, and nothing is judged again. Hard failures are outside the risk.
    """
    adjusted = holm(
        [1.0 if result.p is None or result.confirm is not None else result.p for result in results]
    )
    return [
        _with_adjusted_p(result, p, alpha, len(results)) for result, p in zip(results, adjusted, strict=True)
    ]


def _with_adjusted_p(result: CheckResult, p: float, alpha: float, suites: int) -> CheckResult:
    how = "" if result.confirm is not None else " (Holm's correction)"
    note = f"the risk of REGRESSED, {hundredths(alpha)}%, is shared with {pluralize(suites - 1, 'other suite')}{how}"
    result = msgspec.structs.replace(result, notes=(*result.notes, note) if suites > 1 else result.notes)
    if (
        result.confirm is not None
        or p > alpha
        or result.verdict not in ("PASS", "INCONCLUSIVE")
        or result.cause in ("control", "hard")
    ):
        return result
    what = result.sentence.partition(": ")[2].partition(";")[0]
    return msgspec.structs.replace(
        result,
        verdict="REGRESSED",
        cause="together",
        sentence=f"REGRESSED: {what}; worse than the baseline when judged together with the other suites "
        f"(adjusted p {p:.2g}; alone it would be {result.verdict})",
        hint="",
        exit_code=EXIT_CODES["REGRESSED"],
    )
