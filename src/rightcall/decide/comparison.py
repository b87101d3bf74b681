"""Compares two runs of the same goldens: direction, size and significance of the difference, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import msgspec

from rightcall.core.errors import ConfigError
from rightcall.core.text import percent, pluralize, points
from rightcall.decide.comparison_claim import Change, ComparisonClaim, undetectable_difference
from rightcall.decide.difference import (
    Difference,
    Differences,
    GoldenPair,
    difference_of,
    differences_of,
    non_inferior,
    worse_by_more,
)
from rightcall.decide.golden_outcomes import Outcome, Unanswered, alarms_of, unanswered_trials
from rightcall.records.record import Record
from rightcall.stats.clusters import weighted_mean
from rightcall.stats.intervals import Interval
from rightcall.stats.paired_tests import benjamini_hochberg, fisher_exact
from rightcall.stats.power import mde_paired

MOST_ERRORS = 0.05
"""Share of a run's trials without an answer above which a comparison settles nothing."""
MOST_ALPHA = 0.5
"""With a larger error rate a coin would decide better."""
FLAG_RATE = 0.10
"""Tolerated false discovery rate among the goldens listed as changed."""


class Slice(Record, frozen=True):
    """The difference within one category; exploratory, so its p is adjusted for the number of categories."""

    name: str
    n: int
    difference: float
    low: float | None
    high: float | None
    p: float
    p_adjusted: float


class AdjustedTests(Record, frozen=True):
    """The p-values of a comparison, adjusted by Holm for the number of candidates; None where there is none."""

    candidates: int
    p: float
    p_regressed: float | None
    p_non_inferior: float | None


class LabelledDifference(Record, frozen=True):
    """B − A by what people say of both answers to the same goldens: `low` to `high` to show, the bounds to decide."""

    pairs: int
    difference: float
    low: float
    high: float
    lower: float
    upper: float


class Comparison(Record, frozen=True):
    """B compared with A on the goldens that both scored.

    `difference` is B − A; `low` and `high` its two-sided interval; `bound_low` and `bound_high` the conservative
    one-sided bounds that NON_INFERIOR needs, None with a single cluster. `p` is McNemar's exact test for single
    yes/no trials and the sign-flip test otherwise, from which IMPROVED and REGRESSED follow. `mde` is the smallest
    true difference this comparison would have detected with 80 % probability, None when there is none. `alarms`
    names, by fatal code, the goldens that have it in B and not in A: B is then REGRESSED regardless of the rates.
    `doubt` says why the rates settle nothing, such as too many errors; empty when they do. With several candidates
    `adjusted` has the p-values that decide, and interval and bounds hold for all candidates together. `judges` are
    judged metrics that have a say in the rates: these are then the judge's, and only `labelled` pairs allow a claim.
    The rates and `low` to `high` are of what was answered. A trial without an answer (`unanswered_a`, `unanswered_b`)
    counts against every claim: `p` and the other p-values and bounds have it as whatever speaks against them. `broken`
    begins with the goldens that were answered in A and never in B.
    """

    change: Change
    sentence: str
    rate_a: float
    rate_b: float
    difference: float
    low: float | None
    high: float | None
    bound_low: float | None
    bound_high: float | None
    p: float
    p_mid: float | None
    mde: float | None
    margin: float
    alpha: float
    n: int
    clusters: int
    method: Literal["mcnemar", "sign_flip"]
    fixed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    alarms: dict[str, tuple[str, ...]] = {}
    changed: tuple[str, ...] = ()
    only_a: tuple[str, ...] = ()
    only_b: tuple[str, ...] = ()
    categories: tuple[Slice, ...] = ()
    hypotheses: int = 1
    p_non_inferior: float | None = None
    p_regressed: float | None = None
    doubt: str = ""
    adjusted: AdjustedTests | None = None
    judges: tuple[str, ...] = ()
    labelled: LabelledDifference | None = None
    unanswered_a: Unanswered = Unanswered()
    unanswered_b: Unanswered = Unanswered()

    @property
    def claim(self) -> ComparisonClaim:
        """What the rates allow to say; doubts and new damage come before it."""
        tests = self.adjusted or self
        return ComparisonClaim(
            self.difference,
            tests.p,
            1.0 if tests.p_regressed is None else tests.p_regressed,
            tests.p_non_inferior,
            bound_low=self.bound_low,
            margin=self.margin,
            alpha=self.alpha,
            units=self.clusters,
            candidates=self.adjusted.candidates if self.adjusted else 1,
        )

    @property
    def exit_code(self) -> int:
        """0 better or not worse, 1 worse, 3 undecided."""
        return {"IMPROVED": 0, "NON_INFERIOR": 0, "REGRESSED": 1, "INCONCLUSIVE": 3}[self.change]


def compare(  # noqa: PLR0913  keywords, each a separate question
    a: Sequence[Outcome],
    b: Sequence[Outcome],
    *,
    margin: float = 0.0,
    alpha: float = 0.05,
    power: float = 0.8,
    metric: str | None = None,
    seed: int = 0,
    max_error_rate: float = MOST_ERRORS,
    candidates: int = 1,
) -> Comparison:
    """Compare candidate b with baseline a, golden by golden, on passes or on a metric.

    IMPROVED when the exact test says that B differs and B is above A; NON_INFERIOR when the lower bound of B − A
    reaches −margin; REGRESSED when the exact test says that B is below A by more than the margin; else INCONCLUSIVE.
    Also INCONCLUSIVE when more than `max_error_rate` of a run's trials are errors; up to that, each counts as whatever
    speaks against the claim. Interval and bounds are those of one of several `candidates`; their tests
    are adjusted by `compare_many`.
    """
    if not 0 <= margin < 1:
        raise ConfigError(f"compare: margin must be at least 0 and below 1, got {margin:g}")
    if not 0 < alpha <= MOST_ALPHA:
        raise ConfigError(f"compare: alpha must be above 0 and at most {MOST_ALPHA:g}, got {alpha:g}")
    share = alpha / candidates
    differences = differences_of(a, b, metric=metric, alpha=share, seed=seed)
    pairs = differences.pairs
    missing = (unanswered_trials(a, metric), unanswered_trials(b, metric))
    answered = {o.golden_id for o in a if o.scores(metric)}
    lost = tuple(golden for golden in missing[1].never if golden in answered)
    bare = msgspec.structs.replace(
        _numbers(differences, margin, alpha, share),
        broken=(*lost, *(p.golden_id for p in pairs if p.b < 0.5 <= p.a)),
        only_a=_only_in(a, b, metric),
        only_b=_only_in(b, a, metric),
        unanswered_a=missing[0],
        unanswered_b=missing[1],
        doubt=_errors(*missing, max_error_rate),
    )
    if not pairs:
        what = "a scored trial" if metric is None else f"a value of the metric '{metric}'"
        nothing = f"nothing to compare: no golden has {what} in both runs{_missing(bare)}"
        bare = msgspec.structs.replace(bare, sentence=nothing, hypotheses=0)
        return with_alarms(bare, alarms_of(a, b))
    slices = _slices(pairs, alpha, seed)
    compared = msgspec.structs.replace(
        bare,
        mde=_noticeable(differences.answered, share, power),
        fixed=tuple(p.golden_id for p in pairs if p.a < 0.5 <= p.b),
        changed=_flags(pairs),
        categories=slices,
        hypotheses=1 + len(slices),
        p_regressed=worse_by_more(differences.most_pairs, differences.most, margin, seed),
    )
    return with_alarms(with_claim(compared), alarms_of(a, b))


def _only_in(runs_own: Sequence[Outcome], other: Sequence[Outcome], metric: str | None) -> tuple[str, ...]:
    """The goldens that the other run did not ask, or of which it has no value."""
    asked = {o.golden_id for o in other if o.worst(metric)}
    return tuple(o.golden_id for o in runs_own if o.golden_id not in asked)


def _numbers(differences: Differences, margin: float, alpha: float, share: float) -> Comparison:
    """A comparison without its claim; interval and bounds are at `share`, which is `alpha` with one candidate."""
    pairs = differences.pairs
    difference = differences.answered
    p, p_mid = differences.p
    rate_a = weighted_mean([p.a for p in pairs], [p.weight for p in pairs]) if pairs else 0.0
    p_ok, bounds = non_inferior(differences, margin, share)
    (low, high) = _ends(difference.interval)
    (bound_low, bound_high) = _ends(bounds)
    return Comparison(
        change="INCONCLUSIVE",
        sentence="",
        rate_a=rate_a,
        rate_b=rate_a + difference.mean,
        difference=difference.mean,
        low=low,
        high=high,
        bound_low=bound_low,
        bound_high=bound_high,
        p=p,
        p_mid=p_mid,
        mde=None,
        margin=margin,
        alpha=alpha,
        n=len(pairs),
        clusters=difference.clusters,
        method=difference.method,
        p_non_inferior=p_ok,
    )


def with_claim(bare: Comparison) -> Comparison:
    """The comparison with the change that its numbers show, and its sentence."""
    change: Change = "INCONCLUSIVE" if bare.doubt else bare.claim.change
    return msgspec.structs.replace(bare, change=change, sentence=comparison_sentence(bare))


def comparison_sentence(comparison: Comparison) -> str:
    """The one sentence of a comparison: the claim, the rates it is about, and what was not shown."""
    rates = f"{percent(comparison.rate_a)} → {percent(comparison.rate_b)} over {pluralize(comparison.n, 'golden')}"
    if comparison.doubt:
        return f"not settled: {comparison.doubt}; on what was answered {rates}"
    claim = comparison.claim
    if comparison.clusters < 2:
        only = "cluster" if comparison.n > 1 else "golden"
        return f"{claim.words()}: {rates}; a single {only} is not enough to estimate the error"
    parts = [f"{claim.words()}: {rates}, difference {points(comparison.difference)}", claim.margin_shown()]
    if claim.change == "INCONCLUSIVE" and not claim.differs:
        parts.append(
            undetectable_difference(comparison.mde, comparison.clusters, comparison.n, comparison.alpha)
        )
    return "; ".join(filter(None, [*parts, _other_interval(comparison), _alone(comparison)])) + _missing(
        comparison
    )


def _missing(comparison: Comparison) -> str:
    """How many got no answer in each run."""
    sides = (("A", comparison.unanswered_a), ("B", comparison.unanswered_b))
    return "".join(f"; {missing.text} in {name}" for name, missing in sides if missing.trials)


def _other_interval(comparison: Comparison) -> str:
    """Which test decides, where the interval shown says otherwise; empty where they agree."""
    if comparison.low is None or comparison.high is None or comparison.claim.powerless:
        return ""
    if (
        comparison.unanswered_a.trials or comparison.unanswered_b.trials
    ):  # the interval is of what was answered
        return ""
    if (comparison.low <= 0 <= comparison.high) != comparison.claim.differs:
        return ""
    test, interval = (
        ("McNemar's exact test", "Bonett and Price's interval")
        if comparison.method == "mcnemar"
        else ("the sign-flip test", "the t interval")
    )
    ends = f"{points(comparison.low)} to {points(comparison.high)}"
    return f"{test} decides; {interval}, {ends}, is an approximation"


def _alone(comparison: Comparison) -> str:
    """What the comparison would be without the other candidates, where that differs."""
    if comparison.adjusted is None:
        return ""
    change = msgspec.structs.replace(comparison, adjusted=None).claim.change
    if change == comparison.claim.change:
        return ""
    candidates = comparison.adjusted.candidates
    return f"alone it would be {change}, but {candidates} candidates are compared (Holm's correction)"


def with_alarms(comparison: Comparison, alarms: dict[str, tuple[str, ...]]) -> Comparison:
    """The comparison with new damage stated first."""
    if not alarms:
        return comparison
    told = "; ".join(f"{code} is new in {pluralize(len(ids), 'golden')}" for code, ids in alarms.items())
    sentence = f"B is worse than A: {told}. By rates: {comparison.sentence}"
    return msgspec.structs.replace(comparison, change="REGRESSED", sentence=sentence, alarms=alarms)


def _noticeable(difference: Difference, alpha: float, power: float) -> float | None:
    """The smallest true difference that would likely have been detected; None when not even the largest would."""
    if difference.careful is None or 2.0 ** (1 - difference.clusters) > alpha:
        return None
    smallest = mde_paired(1, difference.careful.se**2, alpha, power)
    return smallest if smallest < 1 else None


def _slices(pairs: Sequence[GoldenPair], alpha: float, seed: int) -> tuple[Slice, ...]:
    names = list(dict.fromkeys(p.category for p in pairs))
    if len(names) < 2:
        return ()
    members = [[p for p in pairs if p.category == name] for name in names]
    differences = [difference_of(group, alpha, seed) for group in members]
    adjusted = benjamini_hochberg([f.p for f in differences])
    return tuple(
        Slice(name, len(group), f.mean, *_ends(f.interval), f.p, p)
        for name, group, f, p in zip(names, members, differences, adjusted, strict=True)
    )


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)


def _flags(pairs: Sequence[GoldenPair]) -> tuple[str, ...]:
    """Goldens whose trials changed significantly: Fisher's exact test, Benjamini-Hochberg over goldens."""
    repeated = [p for p in pairs if min(map(len, p.trials)) > 1]
    if not all(x in (0, 1) for p in repeated for t in p.trials for x in t):
        return ()
    tests = [_fisher(*((int(sum(t)), len(t)) for t in p.trials)) for p in repeated]
    adjusted = benjamini_hochberg(tests)
    return tuple(p.golden_id for p, q in zip(repeated, adjusted, strict=True) if q <= FLAG_RATE)


@lru_cache(maxsize=4096)
def _fisher(a: tuple[int, int], b: tuple[int, int]) -> float:
    return fisher_exact([[a[0], a[1] - a[0]], [b[0], b[1] - b[0]]])


def _errors(a: Unanswered, b: Unanswered, most: float) -> str:
    """Which runs have too many errors to be compared, in words; empty when none has."""
    return " and ".join(
        f"{missing.text} in {name} ({percent(missing.share)}, at most {percent(most)} allowed)"
        for name, missing in (("A", a), ("B", b))
        if missing.share > most
    )
