"""Recorded behaviour against goldens, from files: nothing is run and nothing is sent."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from rightcall.core.options import Option, takes
from rightcall.core.text import hundredths, percent, pluralize
from rightcall.metrics.matching.verdict import Rules
from rightcall.records.run import missing_answers_text, nothing_checked_text, nothing_delivered_text
from rightcall.records.tool import Tool

if TYPE_CHECKING:
    from rightcall.decide.safety_numbers import SafetyNumbers
    from rightcall.metrics.score_case import Scorer
    from rightcall.records.dialects.call_text import CallTextWatch
    from rightcall.records.run import CaseResult, Summary
    from rightcall.show.view.safety import SafetyView, SafetyViewTally


ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class ScoreChoices:
    """How recorded behaviour is scored."""

    metrics: Annotated[Sequence[Any], Option("Extra metric", flags=("--metric",))] = ()
    measure: Annotated[
        Sequence[Any],
        Option(
            "Metric to measure without affecting the verdict",
            flags=("--measure", "--observe"),
        ),
    ] = ()
    partial: Annotated[bool, Option("Skip goldens without a trajectory instead of failing")] = False


@dataclass(frozen=True)
class ScoreCall(ScoreChoices):
    """The parameters of `rightcall.score`."""

    goldens: Annotated[str | Path, Option("File of goldens: what an agent should have done")]
    trajectories: Annotated[str | Path, Option("File of trajectories: what it did")]
    _: KW_ONLY
    tools: Annotated[
        str | Path | Iterable[Tool], Option("Tool definitions, for defaults and schema checks")
    ] = ()
    rules: Annotated[
        Rules | None, Option("How the parts of a case count, and when it passes, as in a suite")
    ] = None


@dataclass(frozen=True, kw_only=True)
class ScoreOptions(ScoreChoices):
    """The options of `rightcall score`."""

    tools: Annotated[Path | None, Option("Tool definitions, for defaults and schema checks")] = None
    rules: Annotated[
        Literal["default", "seed"],
        Option("How a case passes: by every check, or by an overall score of at least 0.8 with half credit"),
    ] = "default"
    least: Annotated[float, Option("Minimum pass rate for exit code 0", flags=("--min",), ge=0, le=1)] = 1.0
    failures: Annotated[int, Option("Maximum kinds of failures shown", ge=0)] = 4
    as_json: Annotated[bool, Option("Output JSON, one line per case", flags=("--json",), is_python=False)] = (
        False
    )


class RecordedScores:
    """Results of recorded cases, scored as they are iterated over, once; memory does not grow with their number.

    `summary` is their summary; it scores cases that have not been iterated over yet.
    """

    def __init__(
        self,
        results: Iterator[CaseResult],
        scorer: Scorer,
        call_text: CallTextWatch,
        tools: Sequence[Tool] = (),
        safety: SafetyViewTally | None = None,
    ) -> None:
        from rightcall.metrics.tally import Tally

        self._safety = safety
        self._call_text = call_text
        self.metric_names = scorer.names
        self._tally = Tally(scorer.names)
        self._results = self._tally.watch(self._count_trials(results))
        self._goldens = array("q")  # of each case the hash of its golden
        self.left_out = 0
        self.tools = {tool.name: tool for tool in tools}

    def __iter__(self) -> Iterator[CaseResult]:
        return self._results

    @property
    def notices(self) -> list[str]:
        """What a reader of the scores iterated over so far should know."""
        return list(filter(None, [self._call_text.notice, self._missing_trials()]))

    def _count_trials(self, results: Iterator[CaseResult]) -> Iterator[CaseResult]:
        for result in results:
            self._goldens.append(hash(result.golden_id))
            yield result

    def _most_trials(self) -> int:
        """Number of trials if every golden had as many as the one with the most."""
        return max(len(self._goldens), len(set(self._goldens)) * self._tally.summary().trials)

    def _missing_trials(self) -> str:
        """How many trials were not recorded, of goldens with fewer than others; empty when all are there."""
        total = self._most_trials()
        gap = total - len(self._goldens)
        return f"{gap:,} of {total:,} trials have no trajectory" if gap else ""

    @property
    def summary(self) -> Summary:
        """The summary of all cases."""
        for _ in self._results:
            pass
        return self._tally.summary()

    @property
    def safety(self) -> SafetyNumbers | None:
        """What attacks did, over all cases; None when none of the goldens is an attempt."""
        return self.safety_view.numbers if self.safety_view is not None else None

    @cached_property
    def safety_view(self) -> SafetyView | None:
        """The same as reports show it."""
        for _ in self._results:
            pass
        return self._safety.view() if self._safety is not None and self._safety.used else None

    def verdict(self, min: float = 1.0) -> ScoreVerdict:
        """PASS when the pass rate is at least `min`; else the word and what is missing.

        Cases without an answer, and trials that were not recorded, are in no rate; nor must they make a build green.
        """
        summary = self.summary
        overall = summary.overall
        everything = overall.cases + overall.errors
        if summary.unchecked and not everything:
            return ScoreVerdict("INCONCLUSIVE", reason=nothing_checked_text(summary.unchecked))
        if overall.errors and not overall.cases:
            broken = f"{pluralize(overall.errors, 'case')} of {everything:,} could not be scored"
            unanswered = summary.codes.get("infra_error", 0) >= overall.errors  # else a metric broke
            missing = missing_answers_text(overall.errors, everything, "case")
            return ScoreVerdict("ERROR", reason=missing if unanswered else broken)
        noun = "golden" if summary.trials == 1 else "trial"
        wanted = "all wanted" if min == 1 else f"{hundredths(min)}% wanted"
        passed = f"{overall.passed:,} of {pluralize(overall.cases, noun)} passed"
        counts = f"{passed} ({percent(overall.pass_rate)}); {wanted}"
        if not overall.cases or overall.pass_rate < min - ROUNDING:
            return ScoreVerdict("FAIL", counts)
        gap = self._missing_trials()
        worst = overall.passed / (self._most_trials() - summary.unchecked)
        if worst < min - ROUNDING and (overall.errors or gap):
            errors = f"{overall.errors:,} of {everything:,} cases have no answer" if overall.errors else ""
            reason = f"{' and '.join(filter(None, (errors, gap)))}; counted as failures, the pass rate is "
            return ScoreVerdict(
                "FAIL", counts, f"{reason}{percent(worst, 1)}, below the required {percent(min, 1)}"
            )
        undelivered = nothing_delivered_text(summary.undelivered) if summary.nothing_delivered else ""
        counts = counts if min < 1 else passed
        return ScoreVerdict("INCONCLUSIVE" if undelivered else "PASS", counts, undelivered)


class ScoreVerdict(NamedTuple):
    """A word, the counts by which it is decided, and a reason that is not in the counts."""

    word: Literal["PASS", "FAIL", "INCONCLUSIVE", "ERROR"]
    counts: str = ""
    reason: str = ""

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 3 inconclusive, 4 error."""
        return {"PASS": 0, "FAIL": 1, "INCONCLUSIVE": 3, "ERROR": 4}[self.word]


def no_agent_known(summary: Summary) -> bool:
    """Whether goldens name agents, and no call says which agent made it: a broken setup."""
    from rightcall.metrics.dimensions import AGENTS_KNOWN

    return summary.overall.means.get(AGENTS_KNOWN) == 0.0


@takes(ScoreCall)
def score(options: ScoreCall) -> RecordedScores:
    """Score what an agent did (a file of trajectories) against what it should have done (a file of goldens).

    A case passes when its golden is satisfied and every one of `metrics` passes. With `partial`, goldens without a
    trajectory are skipped and counted. Unreviewed goldens, whose expectations are what an agent did, are refused.
    """
    from rightcall.records.dialects.call_text import CallTextWatch
    from rightcall.run.recorded_scores import score_recorded, scorer_of
    from rightcall.tools.definitions.source import load_tools

    tools = options.tools
    scorer = scorer_of(options.metrics, options.measure, options.rules)

    def note(count: int) -> None:
        scores.left_out += count

    watch = CallTextWatch()
    safety = None
    definitions = tuple(load_tools(tools) if isinstance(tools, str | Path) else tools or ())
    if mentions_attacks(Path(options.goldens)):
        from rightcall.show.view.safety import SafetyViewTally

        safety = SafetyViewTally({tool.name: tool for tool in definitions})
    results = score_recorded(
        Path(options.goldens),
        Path(options.trajectories),
        tools=definitions,
        scorer=scorer,
        partial=options.partial,
        left_out=note,
        look=watch.look,
        visit=safety.add if safety is not None else None,
    )

    scores = RecordedScores(results, scorer, watch, definitions, safety=safety)
    return scores


AT_ONCE = 1 << 20
FIELD = b"safety"


def mentions_attacks(goldens: Path) -> bool:
    """Whether a file may contain attempts: the name of their field occurs in it. Only such files are watched."""
    if not goldens.is_file():
        return False
    with goldens.open("rb") as file:
        end = b""
        while chunk := file.read(AT_ONCE):
            if FIELD in end + chunk:
                return True
            end = chunk[-len(FIELD) :]
    return False
