"""From hypotheses to a ranked list in which every failed trial is explained once.

Greedy: the hypothesis that explains the most beyond chance, weighted by plausibility, takes its trials; then
the next, until none are left. No randomness, and no dependence on the order of goldens, results or tools
except for ties.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from typing import NamedTuple

from rightcall.improve.causes import causes
from rightcall.improve.counters import Class
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis
from rightcall.records.failure import SORTS
from rightcall.stats.special import binomial_sf

MOST_FINDINGS = 12
SHRINK = 3
FIRST_GUESS = 0.03
LEVEL = 0.01
LEAST_BACKGROUND = 0.01
PLAUSIBLE = 0.6
LEAST_PLAUSIBLE = 0.5
FEWEST_GOLDENS = 3
"""Failing goldens below which there is a symptom and no cause, unless the evidence is strong, or decisive by itself."""
STRONG = 0.8
FEWEST_STRONG = 2
LEVEL_STRONG = 0.05
DECISIVE_SHARE = 1 / 3
"""Share of the trials that a cause could act on in which it must act for one golden to decide."""
FEWEST_DANGEROUS = 2
"""Dangerous trials that are a finding whatever chance says: the rate of other failures does not excuse them."""

PLACES = {"parameter": 0, "tool": 1, "golden": 2, "pair": 3, "set": 4}


class Exposure(NamedTuple):
    """How many goldens and trials a hypothesis could act on, and how many failed."""

    goldens: int = 0
    trials: int = 0
    failed: int = 0

    def plus(self, other: Exposure) -> Exposure:
        return Exposure(self.goldens + other.goldens, self.trials + other.trials, self.failed + other.failed)


@dataclass(frozen=True)
class Explained:
    """A chosen hypothesis: the symptoms that were still unexplained, and their total.

    `gain` is in goldens, beyond chance. It is `stated` when it is unlikely to be chance, or when it is dangerous more
    than once: `dangerous` trials, the worst of which is a `danger`.
    """

    hypothesis: Hypothesis
    symptoms: tuple[int, ...]
    trials: int
    share: float
    gain: float
    stated: bool
    likely: bool
    danger: str = ""
    dangerous: int = 0


@dataclass(frozen=True)
class Ranking:
    """Findings in order, the background rate of failures, and the symptoms that nothing explains."""

    explained: tuple[Explained, ...]
    background: float
    left: tuple[int, ...]


def rank(evidence: Evidence, hypotheses: Sequence[Hypothesis]) -> Ranking:
    """Take the best hypothesis with its trials, and continue with the rest; then the dangerous ones first.

    The background is the rate of failures that no stated finding explains. It is not known before the findings are, and
    several causes at once hide each other in it: so it starts as the rate outside the first guess, without causes that
    act on most of what they could, and is lowered as long as that states further findings.
    """
    exposures = _Exposures(evidence)
    background = _background(evidence, hypotheses, exposures)
    explained = _greedy(evidence, hypotheses, exposures, background)
    whole = exposures.whole
    known = 0
    while (
        count := sum(finding.likely or _is_solid(evidence, finding, exposures) for finding in explained)
    ) > known:
        known = count
        trials = sum(
            finding.trials
            for finding in explained
            if finding.likely or _is_solid(evidence, finding, exposures)
        )
        background = min(background, (whole.failed - trials + 1) / (whole.trials - trials + 30))
        explained = _greedy(evidence, hypotheses, exposures, background)
    taken = set(chain.from_iterable(finding.symptoms for finding in explained))
    free = [number for number, seen in enumerate(evidence.seen) if seen.trials > 0 and number not in taken]
    sorts = {sort: place for place, sort in enumerate((*SORTS, ""))}  # what is not dangerous stays as ranked
    by_danger = sorted(explained, key=lambda finding: (sorts[finding.danger], -finding.dangerous))
    return Ranking(tuple(by_danger), background, tuple(free))


def _is_solid(evidence: Evidence, finding: Explained, exposures: _Exposures) -> bool:
    """Whether a plausible cause acts on most of what it could: then its failures are no noise that hides others."""
    goldens = sum(1 for _ in evidence.goldens_with(finding.symptoms))
    plausible = finding.hypothesis.weight.plausibility >= PLAUSIBLE and goldens >= FEWEST_GOLDENS
    return plausible and 2 * finding.trials >= exposures.of(finding.hypothesis).trials


def _greedy(
    evidence: Evidence, hypotheses: Sequence[Hypothesis], exposures: _Exposures, background: float
) -> list[Explained]:
    free = {number for number, seen in enumerate(evidence.seen) if seen.trials > 0}
    taken: list[Explained] = []
    candidates = list(enumerate(hypotheses))
    while free and candidates and len(taken) < MOST_FINDINGS:
        scored = [
            (_key(evidence, hypothesis, free, background, exposures=exposures), at, hypothesis)
            for at, hypothesis in candidates
        ]
        best = min(
            (item for item in scored if item[0] > 0),
            key=lambda item: (-round(item[0], 9), *_place(evidence, item[2]), item[1]),
            default=None,
        )
        if best is None:
            break
        explained = _explain(evidence, best[2], free, background, exposures=exposures)
        free -= set(explained.symptoms)
        taken.append(explained)
        candidates = [(at, hypothesis) for at, hypothesis in candidates if at != best[1]]
    return taken


class _Exposures:
    """Counts goldens by what they are exposed to; few combinations occur, however many goldens there are."""

    def __init__(self, evidence: Evidence) -> None:
        self._groups: defaultdict[frozenset[Class], Exposure] = defaultdict(Exposure)
        self._suspects = Exposure()
        for case in evidence.cases:
            counted = Exposure(1, case.trials, case.failed)
            self._groups[case.classes] = self._groups[case.classes].plus(counted)
            self._suspects = self._suspects.plus(counted) if case.suspect else self._suspects
        self.whole = reduce(Exposure.plus, self._groups.values(), Exposure())
        self._known: dict[frozenset[Class], Exposure] = {}

    def of(self, hypothesis: Hypothesis) -> Exposure:
        """What a hypothesis could act on."""
        if hypothesis.about == "golden":
            return self._suspects
        if hypothesis.exposed is None:
            return self.whole
        exposure = self._known.get(hypothesis.exposed)
        if exposure is None:
            fitting = (c for classes, c in self._groups.items() if not classes.isdisjoint(hypothesis.exposed))
            exposure = self._known[hypothesis.exposed] = reduce(Exposure.plus, fitting, Exposure())
        return exposure


def _background(evidence: Evidence, hypotheses: Sequence[Hypothesis], exposures: _Exposures) -> float:
    """The rate of failures outside the reach of the first hypothesis."""
    whole = exposures.whole
    best = 0.0
    outside = exposures.whole
    for hypothesis in hypotheses:
        exposure = exposures.of(hypothesis)
        worth = hypothesis.weight.plausibility * (
            _share(evidence, hypothesis.symptoms) - FIRST_GUESS * exposure.goldens
        )
        if worth > best:
            best = worth
            outside = Exposure(0, whole.trials - exposure.trials, whole.failed - exposure.failed)
    return (outside.failed + 1) / (outside.trials + 30)


def _share(evidence: Evidence, symptoms: Sequence[int]) -> float:
    return sum(evidence.seen[number].share for number in symptoms)


def _key(
    evidence: Evidence, hypothesis: Hypothesis, free: set[int], background: float, exposures: _Exposures
) -> float:
    symptoms = [number for number in hypothesis.symptoms if number in free]
    if not symptoms:
        return 0.0
    trials = evidence.trials_of(symptoms)
    gain = max(0.0, _share(evidence, symptoms) - background * exposures.of(hypothesis).goldens)
    # Hypotheses that explain no more than chance are listed last, so that every trial is covered.
    gain = gain or 1e-6 * trials
    return hypothesis.weight.plausibility * gain * trials / (trials + SHRINK)


def _explain(
    evidence: Evidence, hypothesis: Hypothesis, free: set[int], background: float, exposures: _Exposures
) -> Explained:
    symptoms = tuple(number for number in dict.fromkeys(hypothesis.symptoms) if number in free)
    trials = evidence.trials_of(symptoms)
    share = _share(evidence, symptoms)
    exposure = exposures.of(hypothesis)
    goldens = sum(1 for _ in evidence.goldens_with(symptoms))
    p = binomial_sf(trials, max(exposure.trials, trials), min(0.99, max(background, LEAST_BACKGROUND)))
    gain = max(0.0, share - background * exposure.goldens)
    dangers = Counter[str]()
    for number in symptoms:
        dangers[evidence.seen[number].symptom.danger] += evidence.seen[number].trials
    worst = next((sort for sort in SORTS if dangers[sort]), "")
    dangerous = dangers.total() - dangers[""]
    about_golden = hypothesis.about == "golden"
    plausibility = hypothesis.weight.plausibility
    strong = plausibility >= STRONG and not about_golden
    level = LEVEL_STRONG if strong else LEVEL
    decisive = hypothesis.decisive and trials >= DECISIVE_SHARE * exposure.trials
    likely = gain > 0 and (decisive or ((goldens >= 2 or about_golden) and p < level))
    sure = hypothesis.certain and plausibility >= LEAST_PLAUSIBLE
    enough = decisive or about_golden or goldens >= (FEWEST_STRONG if strong else FEWEST_GOLDENS)
    stated = sure and ((likely and enough) or dangerous >= (1 if strong else FEWEST_DANGEROUS))
    return Explained(
        hypothesis,
        symptoms,
        trials,
        share,
        gain=gain,
        stated=stated,
        likely=likely or stated,
        danger=worst,
        dangerous=dangerous,
    )


def _place(
    evidence: Evidence, hypothesis: Hypothesis
) -> tuple[int, int, int, tuple[int, ...], tuple[str, ...]]:
    """Ties: one tool before a pair, a parameter before a tool before the set, then the cause, then the file's order."""
    ranks = {name: at for at, name in enumerate(causes())}
    where = tuple(evidence.place.get(tool, len(evidence.place)) for tool in hypothesis.tools)
    return (
        len(hypothesis.tools),
        PLACES[hypothesis.about],
        ranks.get(hypothesis.cause, len(ranks)),
        where,
        hypothesis.parameters,
    )
