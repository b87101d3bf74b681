"""The rule of `check` for few goldens, where no number of trials could settle a margin.

Each golden is tried once. One that passed in the baseline and fails is tried again, at most twice: failed twice, it is
a suspect. Suspects are confirmed by fresh pairs of both versions (`PairedBets`), which hold the rate alone:
P(WORSE | nothing changed) ≤ level, whatever raised the suspicion. When none is left, the other rounds are run, and the
word is NO LOSS SEEN.

Where the version before the change cannot be run, fresh trials of a suspect are compared with its own baseline by the
exchange test at level/n for n goldens. That holds whichever goldens are suspected: P(any p ≤ level/n) ≤ level.

A trial without an answer raises no suspicion, and in a pair it counts as passed.

Pure: a generator of trials to run, which is sent their scores.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from typing import Literal, NamedTuple

from rightcall.decide.check_settings import Scores
from rightcall.decide.confirmation import (
    BET,
    MOST_GOLDENS,
    MOST_PAIRS,
    PairedEvidence,
    PairedTrials,
    TrialScores,
)
from rightcall.stats.permutation import ExchangeTable, exchange_p

LARGEST = 20
"""Goldens up to which a suite is small."""
SUSPICIOUS = 2 / 3
"""By how much a trial has to fall short of its baseline for a suspicion."""
MORE_TRIES = 2
MOVED = 0.01
"""The p-value at which the base's fresh trials differ from its own baseline."""


class PairedBets(PairedEvidence):
    """Two bets on the same pairs: W = ⅔ Π (1 − .8 x) + ⅓ Π (1 − 2x)²/3, confirmed once W ≥ 1/level.

    If nothing changed, both trials of a pair pass alike often and independently of each other, so that E[x] = 0 and
    E[x²] = 2 Var ≤ ½: E[(1 − 2x)²] ≤ 3, and W is a supermartingale. The second bet triples with each pair that is lost,
    which finds a dead golden in 6 pairs where the first one alone needs 10; the first one finds a golden that fails
    now and then.
    """

    def __init__(self, level: float) -> None:
        super().__init__(level)
        self._bets = (math.log(2 / 3), math.log(1 / 3))

    @property
    def pairs_needed(self) -> int:
        """Further pairs that confirm the alarm if the candidate loses all of them."""
        bets = self._bets
        needed = 0
        while _log_sum(bets) < self._enough - 1e-9:
            bets = _after_pair(bets, -1.0)
            needed += 1
        return needed

    def feed(self, x: float) -> bool:
        """Take a pair into account; whether the alarm is confirmed."""
        if not self.confirmed:
            self.pairs += 1
            self._bets = _after_pair(self._bets, x)
            self._log = _log_sum(self._bets)
            self.confirmed = self._log >= self._enough - 1e-12
        return self.confirmed


def _after_pair(bets: tuple[float, float], x: float) -> tuple[float, float]:
    square = (1 - 2 * x) ** 2 / 3
    return bets[0] + math.log1p(-BET * x), bets[1] + math.log(square) if square else -math.inf


def _log_sum(bets: tuple[float, float]) -> float:
    most = max(bets)
    return most + math.log(math.fsum(math.exp(bet - most) for bet in bets))


class NoBaseError(Exception):
    """Thrown into the generator in place of an answer: the version before the change cannot be run."""


class Ask(NamedTuple):
    """Trials to run at once: those of a planned round, or fresh ones; with `pairs` also as many of the base."""

    goldens: tuple[str, ...]
    round: int | None = None
    pairs: bool = False


Steps = Generator[Ask, Sequence[TrialScores], None]


class SmallDecision(NamedTuple):
    """The word, and the goldens that it is about: those that broke, or that may have broken.

    `cause`: `moved` when the base fails them now as well, `weak` when the baseline has too few trials to compare.
    """

    word: Literal["WORSE", "NO LOSS SEEN", "INCONCLUSIVE"]
    goldens: tuple[str, ...] = ()
    cause: Literal["", "moved", "weak"] = ""


class SmallSuiteRule:
    """Says what to run, and decides. `rounds` has the number of planned trials of each golden.

    `known` are trials of the first round that took place: `suspects` then failed each of three, else two of three.
    `flaky` are those of them that the base fails as often.
    """

    def __init__(
        self,
        before: Mapping[str, Scores],
        rounds: Mapping[str, int],
        level: float,
        *,
        base: bool,
        known: Mapping[str, float | None] | None = None,
    ) -> None:
        self._before = before
        self._rounds = rounds
        self._known = known
        self._level = level
        self.base = base
        self.scores: dict[str, list[float | None]] = {golden: [] for golden in rounds}
        self.planned: dict[tuple[str, int], float | None] = {}
        """Trials of the candidate, all of them and those of the rounds."""
        self.suspects: tuple[str, ...] = ()
        self.flaky: tuple[str, ...] = ()
        self.confirmation: PairedTrials | None = None
        self.problem = ""
        """Why the base could not be run after all."""

    def steps(self) -> Generator[Ask, Sequence[TrialScores], SmallDecision]:
        """What to run, until the decision is returned."""
        for round_ in range(max(self._rounds.values(), default=0)):
            yield from self._try_round(round_)
            if round_ == 0:
                yield from self._suspect()
                decision = (yield from self._resolve()) if self.suspects else None
                if decision is not None:
                    return decision
        if self._known is not None:
            return SmallDecision("NO LOSS SEEN")
        fallen = tuple(golden for golden in self._rounds if golden not in self.flaky and self._fell(golden))
        return SmallDecision("INCONCLUSIVE" if fallen else "NO LOSS SEEN", fallen)

    def _try_round(self, round_: int) -> Steps:
        goldens = tuple(golden for golden, planned in self._rounds.items() if planned > round_)
        if round_ == 0 and self._known is not None:
            answers: Sequence[TrialScores] = [TrialScores(self._known[golden]) for golden in goldens]
        else:
            answers = yield Ask(goldens, round_)
        for golden, answer in zip(goldens, answers, strict=True):
            self.planned[golden, round_] = answer.candidate
            self.scores[golden].append(answer.candidate)

    def _try(self, goldens: tuple[str, ...]) -> Steps:
        answers = yield Ask(goldens)
        for golden, answer in zip(goldens, answers, strict=True):
            self.scores[golden].append(answer.candidate)

    def _suspect(self) -> Steps:
        """Try those again that passed before and fail now."""
        failures = {golden: 1 for golden in self._rounds if self._fails(golden)}
        always = self._known is not None
        for tried in range(1, MORE_TRIES + 1):
            again = tuple(golden for golden, failed in failures.items() if failed == (tried if always else 1))
            if again:
                yield from self._try(again)
            for golden in again:
                failures[golden] += self._fails(golden)
        least = 1 + MORE_TRIES if always else 2
        self.suspects = tuple(golden for golden, failed in failures.items() if failed >= least)

    def _fails(self, golden: str) -> bool:
        """Whether the newest trial falls short of the baseline."""
        score = self.scores[golden][-1]
        return score is not None and _mean(self._before[golden]) - score >= SUSPICIOUS - 1e-9

    def _fell(self, golden: str) -> bool:
        """Whether a golden passed every baseline trial and passes at most half of its trials now."""
        scores = [score for score in self.scores[golden] if score is not None]
        return bool(scores) and min(self._before[golden]) >= 1 and _mean(scores) <= 0.5

    def _resolve(self) -> Generator[Ask, Sequence[TrialScores], SmallDecision | None]:
        """What the suspects turn out to be; None when they are flaky in both versions."""
        if self.base:
            try:
                return (yield from self._compare_with_base())
            except NoBaseError as problem:
                self.base = False
                self.problem = str(problem)
                self.confirmation = None
        return (yield from self._compare_with_baseline())

    def _compare_with_base(self) -> Generator[Ask, Sequence[TrialScores], SmallDecision | None]:
        suspects = self.suspects[:MOST_GOLDENS]
        seen = self.confirmation = PairedTrials(suspects, self._level)
        seen.evidence = PairedBets(self._level)
        while goldens := seen.next_pairs():
            answers = yield Ask(goldens, pairs=True)
            seen.feed(goldens, answers)
            for golden, answer in zip(goldens, answers, strict=True):
                self.scores[golden].append(answer.candidate)
        if seen.confirmed:
            return SmallDecision("WORSE", suspects)
        if seen.evidence.evidence > 1:
            return SmallDecision("INCONCLUSIVE", suspects)
        if moved := tuple(golden for golden in suspects if self._base_moved(golden, seen)):
            return SmallDecision("INCONCLUSIVE", moved, "moved")
        self.flaky = suspects
        return None

    def _base_moved(self, golden: str, seen: PairedTrials) -> bool:
        """Whether the base fails a golden, too, that passed in its baseline: that is no flakiness."""
        now = tuple(old for name, _, old in seen.compared if name == golden)
        if not now:
            return False
        return not any(now) or exchange_p([ExchangeTable(self._before[golden], now)]) <= MOVED

    def _compare_with_baseline(self) -> Generator[Ask, Sequence[TrialScores], SmallDecision | None]:
        level = self._level / len(self._rounds)
        unproven = list[str]()
        weak = False
        for golden in self.suspects[:MOST_GOLDENS]:
            before = self._before[golden]
            planned = _trials_needed(before, level)
            weak = weak or not planned
            after = list[float]()
            while len(after) < planned and _best_p(before, after, planned) <= level:
                yield from self._try((golden,))
                newest = self.scores[golden][-1]
                after.append(1.0 if newest is None else newest)
            if planned and len(after) == planned and _best_p(before, after, planned) <= level:
                return SmallDecision("WORSE", (golden,))
            if not after or _mean(after) < _mean(before):
                unproven.append(golden)
        self.flaky = tuple(golden for golden in self.suspects if golden not in unproven)
        return SmallDecision("INCONCLUSIVE", tuple(unproven), "weak" if weak else "") if unproven else None


def _trials_needed(before: Scores, level: float) -> int:
    """Fresh trials that show a golden to be worse if they all fail; 0 when no affordable number does."""
    return next((fresh for fresh in range(1, MOST_PAIRS + 1) if _best_p(before, (), fresh) <= level), 0)


def _best_p(before: Scores, after: Sequence[float], planned: int) -> float:
    """The p-value if every trial that is left fails."""
    whole = (*after, *(0.0,) * (planned - len(after)))
    return exchange_p([ExchangeTable(before, whole)])


def visible_drop(rounds: Sequence[int]) -> float:
    """The smallest drop that four of five checks would see, if these goldens always passed and all fell alike.

    Seen: failed twice of the first three trials, or passing at most half of all.
    """
    for hundredths in range(1, 100):
        rate = 1 - hundredths / 100
        if math.prod(_unseen(rate, planned) for planned in rounds) <= 0.2:
            return hundredths / 100
    return 1.0


def _unseen(rate: float, rounds: int) -> float:
    at_once = rate * _more_than_half(1, 1, rounds - 1, rate)
    failed_once = (1 - rate) * rate**MORE_TRIES
    return at_once + failed_once * _more_than_half(MORE_TRIES, 1 + MORE_TRIES, rounds - 1, rate)


def _more_than_half(passed: int, tried: int, more: int, rate: float) -> float:
    """The chance that more than half of all trials pass, after `passed` of `tried` with `more` to follow."""
    return math.fsum(
        math.comb(more, k) * rate**k * (1 - rate) ** (more - k)
        for k in range(more + 1)
        if 2 * (passed + k) > tried + more
    )


def _mean(scores: Sequence[float]) -> float:
    return math.fsum(scores) / len(scores)
