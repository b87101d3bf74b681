"""Recorded behaviour against goldens, from files: nothing is run and nothing is sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from rightcall.api.score_options import ScoreCall
from rightcall.core.options import takes
from rightcall.core.text import percent, pluralize
from rightcall.model.run import missing_answers_text, nothing_checked_text, nothing_delivered_text

if TYPE_CHECKING:
    from rightcall.decide.safety_numbers import SafetyNumbers
    from rightcall.metrics.score_case import Scorer
    from rightcall.model.dialects.call_text import CallTextWatch
    from rightcall.model.run import CaseResult, Summary
    from rightcall.model.tool import Tool
    from rightcall.show.view.safety import SafetyView, SafetyViewTally

ROUNDING = 1e-12


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

        self._safety, self._call_text = safety, call_text
        self.metric_names, self._tally = scorer.names, Tally(scorer.names)
        self._results = self._tally.watch(results)
        self.left_out = 0
        self.tools = {tool.name: tool for tool in tools}

    def __iter__(self) -> Iterator[CaseResult]:
        return self._results

    @property
    def notices(self) -> list[str]:
        """What a reader of the scores iterated over so far should know."""
        return list(filter(None, [self._call_text.notice, self._missing_trials()]))

    def _missing_trials(self) -> str:
        """How many trials were not recorded, of goldens with fewer than others; empty when all are there."""
        summary = self._tally.summary()
        whole = summary.overall
        planned = whole.rate.goldens * summary.trials if whole.rate is not None else 0
        missing = 0 if whole.errors or summary.unchecked else planned - whole.cases
        return f"{missing:,} of {planned:,} trials have no trajectory" if missing > 0 else ""

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

    @property
    def nothing_checked(self) -> bool:
        """Whether there are cases, but none of them states a check, so that nothing passed or failed."""
        return nothing_checked(self.summary)

    def shortfall(self, min: float) -> str | None:
        """None when the pass rate is at least `min`; else why it is not, or empty when the rate is the reason."""
        return shortfall(self.summary, min)


def nothing_checked(summary: Summary) -> bool:
    """Whether there are cases, but none of them states a check, so that nothing passed or failed."""
    overall = summary.overall
    return bool(summary.unchecked) and not overall.cases + overall.errors


def undecided(summary: Summary, min: float) -> bool:
    """Whether the pass rate is not what is missing: nothing was checked, or no attack was delivered."""
    return nothing_checked(summary) or shortfall(summary, min) == nothing_delivered_text(summary.undelivered)


def no_agent_known(summary: Summary) -> bool:
    """Whether goldens name agents, and no call says which agent made it: a broken setup."""
    from rightcall.metrics.dimensions import AGENTS_KNOWN

    return summary.overall.means.get(AGENTS_KNOWN) == 0.0


def shortfall(summary: Summary, min: float) -> str | None:
    """None when the pass rate is at least `min`; else why it is not, or empty when the rate itself is the reason.

    Cases without an answer are in no rate, but forty-nine of fifty of them must not make a build green.
    """
    overall = summary.overall
    if nothing_checked(summary):
        return nothing_checked_text(summary.unchecked)
    everything = overall.cases + overall.errors
    if overall.errors and not overall.cases:
        if summary.codes.get("infra_error", 0) < overall.errors:  # a metric broke
            return f"{pluralize(overall.errors, 'case')} of {everything:,} could not be scored"
        return missing_answers_text(overall.errors, everything, "case")
    if not overall.cases or overall.pass_rate < min - ROUNDING:
        return ""
    worst = overall.pass_rate * overall.cases / everything
    if not overall.errors or worst >= min - ROUNDING:
        return nothing_delivered_text(summary.undelivered) if summary.nothing_delivered else None
    return (
        f"{overall.errors:,} of {everything:,} cases have no answer; counted as failures, the pass rate is "
        f"{percent(worst, 1)}, below the required {percent(min, 1)}"
    )


@takes(ScoreCall)
def score(options: ScoreCall) -> RecordedScores:
    """Score what an agent did (a file of trajectories) against what it should have done (a file of goldens).

    A case passes when its golden is satisfied and every one of `metrics` passes. With `partial`, goldens without a
    trajectory are skipped and counted. Unreviewed goldens, whose expectations are what an agent did, are refused.
    """
    from rightcall.model.dialects.call_text import CallTextWatch
    from rightcall.run.recorded_scores import score_recorded, scorer_of
    from rightcall.tools.definitions.source import load_tools

    tools, scorer = options.tools, scorer_of(options.metrics, options.measure, options.rules)

    def note(count: int) -> None:
        scores.left_out += count

    watch, safety = CallTextWatch(), None
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

    scores = RecordedScores(results, scorer, watch, definitions, safety)
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
