"""What `check` runs and decides, from the first trial to the last: few goldens by `small_suite`, many by `check_rule`.

Many goldens: WORSE of the rule is an alarm, which fresh pairs of both versions confirm, or another draw where the
version before the change cannot be run; one that is not confirmed is spent. Afterwards no golden that passed every
baseline trial and failed is left untried: those are treated as the goldens of a small suite, at a separate level.

Pure: a generator of trials to run, which is sent their scores. Simulations and the command drive the same one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import msgspec

from rightcall.decide.check_result import AlarmConfirmation, FreshTrials
from rightcall.decide.check_rule import CheckRule, Decided, Step
from rightcall.decide.check_settings import LONE_LEVEL, CheckSettings, Risks, Scores, Stratum
from rightcall.decide.confirmation import PairedTrials, TrialScores, broken_goldens
from rightcall.decide.small_suite import MOVED, Ask, NoBaseError, SmallDecision, SmallSuiteRule
from rightcall.stats.permutation import ExchangeTable, exchange_p

Steps = Generator[Ask, Sequence[TrialScores], Any]


class OverBudgetError(Exception):
    """Thrown into the generator in place of an answer: the trials cost more than is left."""


@dataclass(frozen=True)
class ProcedurePlan:
    """The trials that a check may run.

    `few` has the planned trials of each golden where they are few. `before` are the baseline's scores of every golden,
    `another_draw` gives the strata of a second draw, `wave` is the number of trials to ask for at once. `commit`
    is that of the version before the change, `problem` says why it cannot be run.
    """

    strata: Sequence[Stratum]
    settings: CheckSettings
    before: Mapping[str, Scores]
    few: Mapping[str, int] = field(default_factory=dict)
    clusters: Mapping[str, str] = field(default_factory=dict)
    another_draw: Callable[[], Sequence[Stratum]] = tuple
    wave: int = 16
    commit: str = ""
    problem: str = ""


class CheckProcedure:
    """One check. `confirm` is what came of an alarm, `small` the rule for few goldens and its decision."""

    def __init__(self, plan: ProcedurePlan) -> None:
        self._plan = plan
        self.rule = CheckRule(plan.strata, plan.settings.risks)
        self.small: SmallSuiteRule | None = None
        self.decision: SmallDecision | None = None
        self.confirm: AlarmConfirmation | None = None
        self._scores: dict[str, list[float | None]] = {}
        self._cut = False
        settings = plan.settings
        if settings.confirm != "off":
            self.confirm = AlarmConfirmation(settings.confirm, settings.confirm_level, problem=plan.problem)

    @property
    def tried(self) -> int:
        """How many goldens took part in the decision."""
        if self._plan.few and self.small is not None:
            return sum(bool(scores) for scores in self.small.scores.values())
        return len(self.rule.sums())

    def steps(self) -> Generator[Ask, Sequence[TrialScores], Decided]:
        """What to run, until the decision is returned."""
        return (yield from self._few()) if self._plan.few else (yield from self._many())

    def _few(self) -> Generator[Ask, Sequence[TrialScores], Decided]:
        plan = self._plan
        rule = SmallSuiteRule(
            plan.before, plan.few, plan.settings.few_level, base=plan.settings.confirm == "base"
        )
        decision = yield from self._small(rule)
        if decision is None:
            return Decided("INCONCLUSIVE", "budget")
        promised = decision.word == "NO LOSS SEEN" and not rule.suspects and self._promised(rule)
        return Decided("PASS", "settled") if promised else Decided(decision.word, "few")

    def _small(self, rule: SmallSuiteRule) -> Generator[Ask, Sequence[TrialScores], SmallDecision | None]:
        """The decision of a rule for few goldens, with its confirmation; None when the budget ended it."""
        self.small = rule
        cut = False
        try:
            self.decision = yield from rule.steps()
        except OverBudgetError:
            cut = True
        confirmed = self.decision is not None and self.decision.word == "WORSE"
        level = self._plan.settings.few_level if self._plan.few else LONE_LEVEL
        if rule.confirmation is not None:
            self.confirm = self._of_pairs(rule.confirmation, cut=cut)
        elif rule.suspects:
            self.confirm = AlarmConfirmation(
                "candidate",
                level,
                alarm=True,
                confirmed=confirmed,
                goldens=rule.suspects,
                cut_short=cut,
                problem=rule.problem or self._plan.problem,
            )
        return None if cut else self.decision

    def _promised(self, rule: SmallSuiteRule) -> bool:
        """Whether the planned trials show the margin, too: they are fed to the rule for many goldens."""
        self.rule.spend_alarm()
        for step in self.rule.steps():
            cells = [(golden, step.round) for golden in step.unit]
            if not all(cell in rule.planned for cell in cells):
                return False
            self.rule.feed(step, {cell[0]: rule.planned[cell] for cell in cells})
        return self.rule.end().word == "PASS"

    def _many(self) -> Generator[Ask, Sequence[TrialScores], Decided]:
        rule = self.rule
        try:
            for wave in self._waves(rule, self._plan.strata):
                scores = yield from self._run(wave, wave[0].round)
                for step in wave:
                    yield from self._resolve(
                        rule.feed(step, {golden: scores[golden] for golden in step.unit})
                    )
        except OverBudgetError:
            self._cut = True
        yield from self._resolve(rule.end())
        decided = rule.end()
        if decided.word == "WORSE":
            return decided
        decided = yield from self._lone(decided)
        unseen = decided.cause == "last_look" and decided.word == "INCONCLUSIVE" and not self._in_doubt()
        return Decided("NO LOSS SEEN", "last_look") if unseen else decided

    def _in_doubt(self) -> bool:
        """Whether something speaks for a loss, though not enough: an alarm, or an affected golden not tried."""
        confirm = self.confirm
        alarm = confirm is not None and confirm.alarm and (confirm.mode != "base" or confirm.evidence > 1)
        moved = confirm is not None and confirm.moved is not None and confirm.moved <= MOVED
        left = any(
            track.whole_rounds and (golden not in self._scores)
            for track in self._plan.strata
            for unit in track.order
            for golden in unit
        )
        return alarm or moved or left or self._cut

    def _run(
        self, wave: Sequence[Step], round_: int | None
    ) -> Generator[Ask, Sequence[TrialScores], dict[str, float | None]]:
        goldens = tuple(chain.from_iterable(step.unit for step in wave))
        answers = yield Ask(goldens, round_)
        scores = {golden: answer.candidate for golden, answer in zip(goldens, answers, strict=True)}
        for golden, score in scores.items():
            self._scores.setdefault(golden, []).append(score)
        return scores

    def _waves(self, rule: CheckRule, strata: Sequence[Stratum]) -> Generator[list[Step], None, None]:
        """Steps that may run at once: never across the end of a round, where a stratum may turn out settled."""
        wave: list[Step] = []
        for step in rule.steps():
            wave.append(step)
            last = step.unit == strata[step.stratum].order[-1]
            if last or sum(len(planned.unit) for planned in wave) >= self._plan.wave:
                yield wave
                wave = []
        if wave:
            yield wave

    def _resolve(self, decided: Decided | None) -> Steps:
        """Confirm an alarm, or spend it."""
        if decided is None or decided.word != "WORSE" or self.confirm is None or self.confirm.alarm:
            return
        if self.confirm.mode == "base":
            try:
                confirmed = yield from self._by_pairs()
            except NoBaseError as problem:
                yield from self._resolve(self._without_base(decided, problem))
                return
        else:
            confirmed = yield from self._by_another_draw()
        if not confirmed:
            self.rule.spend_alarm()

    def _without_base(self, decided: Decided, problem: NoBaseError) -> Decided | None:
        """Go on as if the base had never been there: the alarm counts at the level of a second draw."""
        alpha = self._plan.settings.alpha
        self.confirm = AlarmConfirmation("candidate", alpha, problem=str(problem))
        self.rule.lower_alpha(alpha)
        return self.rule.end() if decided.cause == "last_look" else self.rule.decided

    def _by_pairs(self) -> Generator[Ask, Sequence[TrialScores], bool]:
        goldens = broken_goldens(self.rule.sums(), self._plan.clusters)
        seen = PairedTrials(goldens, self._plan.settings.confirm_level)
        cut = False
        try:
            while pairs := seen.next_pairs():
                seen.feed(pairs, (yield Ask(pairs, pairs=True)))
        except OverBudgetError:
            cut = True
        self.confirm = self._of_pairs(seen, cut=cut)
        return seen.confirmed

    def _of_pairs(self, seen: PairedTrials, *, cut: bool) -> AlarmConfirmation:
        before = dict[str, tuple[float, ...]]()
        for golden, _, old in seen.compared:
            before[golden] = (*before.get(golden, ()), old)
        tables = [ExchangeTable(self._plan.before[golden], scores) for golden, scores in before.items()]
        return AlarmConfirmation(
            "base",
            seen.evidence.level,
            alarm=True,
            confirmed=seen.confirmed,
            goldens=seen.goldens,
            pairs=seen.evidence.pairs,
            evidence=round(seen.evidence.evidence, 6),
            base=FreshTrials(
                _total([old for _, _, old in seen.compared]), len(seen.compared), self._plan.commit
            ),
            candidate=FreshTrials(_total([new for _, new, _ in seen.compared]), len(seen.compared)),
            moved=exchange_p(tables) if tables and not seen.confirmed else None,
            cut_short=cut,
        )

    def _by_another_draw(self) -> Generator[Ask, Sequence[TrialScores], bool]:
        """Another draw of the candidate against the same baseline."""
        settings = self._plan.settings
        strata = self._plan.another_draw()
        asked = self.confirm or AlarmConfirmation("candidate", settings.alpha)
        rule = CheckRule(strata, Risks(asked.level, settings.beta))
        cut = False
        try:
            for wave in self._waves(rule, strata):
                scores = yield from self._run(wave, None)
                for step in wave:
                    rule.feed(step, {golden: scores[golden] for golden in step.unit})
        except OverBudgetError:
            cut = True
        confirmed = rule.end().word == "WORSE"
        self.confirm = msgspec.structs.replace(
            asked,
            alarm=True,
            confirmed=confirmed,
            pairs=sum(state.run for state in rule.states()),
            evidence=round(max([1.0, *(state.e_worse for state in rule.states())]), 6),
            cut_short=cut and not confirmed,
        )
        return confirmed

    def _lone(self, decided: Decided) -> Generator[Ask, Sequence[TrialScores], Decided]:
        """Try those again that passed every baseline trial and failed: no margin speaks of a single golden."""
        known = {
            golden: scores[-1]
            for golden, scores in self._scores.items()
            if min(self._plan.before[golden]) >= 1 and all(score == 0 for score in scores)
        }
        alarm = self.confirm
        tried = set(alarm.goldens) if alarm is not None else set()
        if alarm is not None and alarm.moved is not None and alarm.moved <= MOVED:
            return decided
        known = {golden: score for golden, score in known.items() if golden not in tried}
        if not known or self._plan.settings.confirm == "off":
            return decided
        base = alarm is not None and alarm.mode == "base"
        rule = SmallSuiteRule(self._plan.before, dict.fromkeys(known, 1), LONE_LEVEL, base=base, known=known)
        decision = yield from self._small(rule)
        if decision is None or decision.word == "NO LOSS SEEN":
            self.confirm = alarm
            return decided
        return Decided(decision.word, "few")


def _total(scores: Sequence[float]) -> float:
    return round(math.fsum(scores), 6)
