"""The rate that people would give, from a judge's verdicts on all cases and people's labels on some.

Cases are put into strata by what the judge says, and each stratum counts with its share of all cases at the rate of
its labels. A judge that adds nothing is not used: the estimate is then that of the labels alone.

    judged_strata   fail, split, none, pass; whether the judge is used; the rate, the shown interval
    melded_bounds   the bounds that decide
    agreement       the judge's κ with people
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, get_args

from msgspec.structs import asdict

from rightcall.core.errors import InputError
from rightcall.core.text import first_names, hundredths, one_line, pluralize
from rightcall.stats.agreement import Table, kappa, kappa_interval, quantile_of_sorted
from rightcall.stats.intervals import Interval, require_share
from rightcall.stats.judged_strata import (
    ALL,
    KNOWN,
    LEVELS,
    TIE,
    About,
    JudgedCases,
    Judgement,
    LabelStratum,
    require_known_cases,
    require_mapping,
    shown_interval,
    stratum_mean,
    usable_strata,
)
from rightcall.stats.melded_bounds import melded_bounds, melded_p_values


def _whole(share: float) -> str:
    """A share in hundredths, never rounded to 0 or 100 unless it is that."""
    text = hundredths(share, ".0f")
    if text in ("0", "100") and 0 < share < 1:
        return hundredths(share, ".1f") if 0.0005 <= share < 0.9995 else "<0.1" if share < 0.5 else ">99.9"
    return text


FORMAT = "rightcall/judged/1"
FIGURES = """
about conf rate low high lower upper judged cases labels unsure no_verdict effective_labels uses_judge kappa kappa_low
kappa_high
"""
LEAST_LABELS = 8


@dataclass(frozen=True)
class JudgedRate:
    """The share of cases that people would pass, with two intervals: `low` to `high` to show, `lower` and `upper` to
    decide.

    `low` and `high` are two-sided at `conf`. `lower` and `upper` are one-sided at `conf` each and are computed when
    first read, as are `kappa_low` and `kappa_high`. `judged` is the judge's own rate: the share of cases that more than
    half of its verdicts pass, ties left out, None when it gave no verdict; of a run, the rate of the metric there.
    `labels` counts pass and fail, `unsure` the labels that are neither, `no_verdict` the cases without a verdict.
    `effective_labels` is how many labels without a judge would be worth as much. `kappa` is the judge's agreement with
    people beyond chance, None when it is undefined.
    """

    rate: float
    low: float
    high: float
    judged: float | None
    cases: int
    labels: int
    unsure: int
    no_verdict: int
    effective_labels: float
    uses_judge: bool
    kappa: float | None
    strata: tuple[LabelStratum, ...]
    about: About
    conf: float
    _agreement: Table = field(repr=False)
    _trials: TrialsByGolden | None = field(default=None, repr=False)

    @property
    def sentence(self) -> str:
        """`48 labels: people pass 31% of these answers (95%: 22–41%). The judge says 27%. …`"""
        interval = f"({hundredths(self.conf)}%: {_whole(self.low)}–{_whole(self.high)}%)"
        people_pass = f"people pass {_whole(self.rate)}%"
        if not self.labels:
            return f"{people_pass} of these answers {interval}. Every outcome is known without labels."
        opening = f"{pluralize(self.labels, 'label')}: {people_pass}"
        if self.uses_judge and self.judged is not None:
            worth = f"With it the labels are worth {self.effective_labels:.0f}."
            return f"{opening} of these answers {interval}. The judge says {_whole(self.judged)}%. {worth}"
        agreement = (
            f" (κ {self.kappa:.2f})".replace("0.", ".", 1).replace("-", "−") if self.kappa is not None else ""
        )
        alone = "the estimate is that of the labels alone"
        return f"{opening} {interval}. This judge adds nothing{agreement}: {alone}."

    @cached_property
    def _bounds(self) -> Interval:
        if self._trials is None:
            return melded_bounds(self.strata, self.about, 1 - self.conf)
        return trial_bounds(self._trials, self.strata, 1 - self.conf)

    def p_values(self, theta: float) -> tuple[float, float]:
        """The evidence against "below θ" and against "θ or more", which the bounds at every confidence have."""
        if self._trials is None:
            return melded_p_values(self.strata, self.about, theta)
        return trial_p_values(self._trials, self.strata, theta)

    @property
    def lower(self) -> float:
        """The rate is above this with confidence `conf`: a gate passes when it reaches the minimum."""
        return self._bounds.low

    @property
    def upper(self) -> float:
        """The rate is below this with confidence `conf`: a gate fails when it is below the minimum."""
        return self._bounds.high

    @property
    def kappa_low(self) -> float | None:
        return (kappa_interval(self._agreement, self.conf) or (None, None))[0]

    @property
    def kappa_high(self) -> float | None:
        return (kappa_interval(self._agreement, self.conf) or (None, None))[1]

    def document(self) -> dict[str, Any]:
        """The whole record for JSON: `rightcall/judged/1`."""
        values = {name: getattr(self, name) for name in FIGURES.split()}
        strata = [asdict(stratum) for stratum in self.strata]
        return {"format": FORMAT, **values, "strata": strata, "sentence": self.sentence}


def judged_rate(
    labels: Mapping[Any, bool | None],
    judgements: Mapping[Any, Judgement],
    *,
    about: About = "cases_like_these",
    conf: float = 0.95,
    chosen: Mapping[Any, str] | None = None,
    known: Mapping[Any, bool] | None = None,
    goldens: Mapping[Any, Hashable] | None = None,
    saw_judge: Collection[Any] = (),
) -> JudgedRate:
    """Estimate the share of cases that people would pass, from labels of some cases and a judge's verdicts on all.

    `judgements` has every case of the run: true, false, a share from 0 to 1, None for no verdict, or a list of those
    (votes, or several judges). `labels` has true, false or, for unsure, None, for cases drawn at random, or as
    `label_plan` chose them: `chosen` is then its `stratum`. `known` has outcomes that are certain without judge or
    label, because an exact metric decided them; labels of such cases are not used. `about` says whether the cases
    stand for others like them, or only which of them were labelled is left to chance. `goldens` has the golden of
    each case when several cases are trials of one. `saw_judge` are labelled cases whose labeller had seen the
    verdict: they count for the rate and not for κ.
    """
    require_share("judged_rate", "conf", conf)
    if about not in get_args(About):
        raise InputError("judged_rate", f"about must be one of {', '.join(get_args(About))}, got {about!r}")
    labels = require_mapping("labels", labels)
    judgements = require_mapping("judgements", judgements)
    known = require_mapping("known", known or {})
    require_known_cases(labels, {**judgements, **known} if known else judgements)
    judged = JudgedCases(judgements, [case for case in known if case in judgements])
    decided = {case: _label(case, label) for case, label in labels.items() if case not in known}
    answered = {case: label for case, label in decided.items() if label is not None}
    _require_enough(answered, judged, len(known))
    strata, uses_judge = usable_strata(_label_strata(answered, judged, chosen), chosen is not None)
    if known:
        passes = sum(_label(case, outcome) is True for case, outcome in known.items())
        strata.append(LabelStratum(KNOWN, len(known), len(known), passes))
    trials = (
        golden_trials(goldens, judgements, known, answered, level_of=judged.level, strata=strata)
        if goldens
        else None
    )
    shown = shown_interval(
        [stratum_mean(stratum) for stratum in strata], about, conf, cluster=trials.cluster if trials else 1.0
    )
    table = _agreement_table(answered, judged, strata if chosen is not None else None, set(saw_judge))
    return JudgedRate(
        rate=shown.rate, low=shown.low, high=shown.high, judged=_raw_rate(judged, known),
        cases=sum(stratum.cases for stratum in strata), labels=len(answered), unsure=len(decided) - len(answered),
        no_verdict=judged.cases["none"], effective_labels=shown.effective_labels, uses_judge=uses_judge,
        kappa=kappa(table), strata=tuple(strata), about=about, conf=conf, _agreement=table,
        _trials=trials if about == "cases_like_these" else None,
    )  # fmt: skip


def _label(case: Hashable, label: Any) -> bool | None:
    value = label.tolist() if hasattr(label, "tolist") else label
    if value is None or value in (0, 1):
        return None if value is None else bool(value)
    raise InputError(
        f"labels[{one_line(repr(case), 80)}]", f"must be true, false or None, got {one_line(repr(label), 80)}"
    )


def _require_enough(answered: Mapping[Any, bool], judged: JudgedCases, known: int) -> None:
    open_cases = sum(judged.cases.values())
    if not open_cases + known or (open_cases and not judged.verdicts):
        raise InputError(
            "judged_rate",
            "no judgement at all" + (f": all {open_cases} are without a verdict" if open_cases else ""),
            "judge the cases first; without a judge, count the labels",
        )
    needed = min(LEAST_LABELS, open_cases) if known else LEAST_LABELS
    if len(answered) < needed:
        raise InputError(
            "judged_rate",
            f"{len(answered)} labels that say pass or fail, at least {needed} are needed",
            "label more cases: `rc.label_plan` says which",
        )


def _label_strata(
    answered: Mapping[Any, bool], judged: JudgedCases, chosen: Mapping[Any, str] | None
) -> list[LabelStratum]:
    """The strata of the judge's answers with their labels."""
    counts = {level_name: [0, 0] for level_name in LEVELS}
    for case, label in answered.items():
        level_name = judged.level(case)
        if chosen is not None and chosen.get(case) != level_name:
            raise InputError(
                "judged_rate",
                f"case {one_line(str(case), 80)} was chosen as {chosen.get(case)}, its judgement is {level_name}",
                "the plan's strata are of other judgements; make a new one",
            )
        counts[level_name][0] += 1
        counts[level_name][1] += label
    return [LabelStratum(level_name, judged.cases[level_name], *counts[level_name]) for level_name in LEVELS]


def _agreement_table(
    answered: Mapping[Any, bool],
    judged: JudgedCases,
    strata: list[LabelStratum] | None,
    saw_judge: Collection[Any],
) -> Table:
    """Judge against people where both decided; a tie of votes is none. Chosen labels are weighted to all cases."""
    weights = {}
    if strata is not None:
        cases = sum(s.cases for s in strata)
        labels = sum(s.labels for s in strata)
        for stratum in strata:
            for name in stratum.name.split("+"):
                weights[name] = stratum.cases / stratum.labels * labels / cases
    cells = {(True, True): 0.0, (True, False): 0.0, (False, True): 0.0, (False, False): 0.0}
    for case, label in answered.items():
        share = judged.share(case)
        if share is not None and share != TIE and case not in saw_judge:
            cells[share > TIE, label] += weights.get(judged.level(case), 1.0)
    return Table(*cells.values())


def _raw_rate(judged: JudgedCases, known: Mapping[Any, bool]) -> float | None:
    total = judged.decided + len(known)
    return (judged.passed + sum(map(bool, known.values()))) / total if total else None


DRAWS = 2_000


class GoldenCases(NamedTuple):
    """The cases of one golden: how many, how many surely pass, and in which strata the unlabelled ones are."""

    size: int
    passed: int
    open_cases: tuple[int, ...]


class TrialsByGolden(NamedTuple):
    """The goldens of a run, and Σ n_g²/N: 1 for one trial of each."""

    goldens: tuple[GoldenCases, ...]
    cluster: float


def golden_trials(
    goldens: Mapping[Any, Hashable],
    judgements: Mapping[Any, Any],
    known: Mapping[Any, bool],
    answered: Mapping[Any, bool],
    level_of: Callable[[Any], str],
    strata: Sequence[LabelStratum],
) -> TrialsByGolden | None:
    """The cases by golden; None when every golden has one case."""
    cases = [*judgements, *(case for case in known if case not in judgements)]
    strangers = [str(case) for case in cases if case not in goldens]
    if strangers:
        raise InputError("judged_rate", f"goldens has no golden for {first_names(strangers, 3)}")
    sizes = Counter(goldens[case] for case in cases)
    if max(sizes.values()) == 1:
        return None
    index = {name: i for i, stratum in enumerate(strata) for name in stratum.name.split("+")}
    certain = {**answered, **known}
    passed: Counter[Hashable] = Counter()
    open_cases: dict[Hashable, list[int]] = {}
    for case in cases:
        golden = goldens[case]
        if case in certain:
            passed[golden] += bool(certain[case])
        else:
            place = index[ALL] if ALL in index else index[level_of(case)]
            open_cases.setdefault(golden, []).append(place)
    rows = (GoldenCases(size, passed[g], tuple(sorted(open_cases.get(g, ())))) for g, size in sizes.items())
    return TrialsByGolden(tuple(sorted(rows)), sum(size * size for size in sizes.values()) / len(cases))


def trial_bounds(
    trials: TrialsByGolden, strata: Sequence[LabelStratum], alpha: float, draws: int = DRAWS
) -> Interval:
    """One-sided lower and upper bound at 1−α each."""
    rate = sum(s.cases * s.passed / s.labels for s in strata) / sum(s.cases for s in strata)
    lower = quantile_of_sorted(sorted(_rates(trials.goldens, strata, draws)), alpha)
    upper = 1 - quantile_of_sorted(sorted(_rates(*_mirror(trials, strata), draws)), alpha)
    return Interval(min(lower, rate), max(upper, rate))


def trial_p_values(
    trials: TrialsByGolden, strata: Sequence[LabelStratum], theta: float
) -> tuple[float, float]:
    """The evidence against "below θ" and against "θ or more": shares of the draws of either bound."""
    below = sum(draw < theta for draw in _rates(trials.goldens, strata, DRAWS))
    above = sum(1 - draw > theta for draw in _rates(*_mirror(trials, strata), DRAWS))
    return below / DRAWS, above / DRAWS


def _mirror(
    trials: TrialsByGolden, strata: Sequence[LabelStratum]
) -> tuple[list[GoldenCases], list[LabelStratum]]:
    """Goldens and strata with pass and fail exchanged."""
    goldens = [
        GoldenCases(row.size, row.size - row.passed - len(row.open_cases), row.open_cases)
        for row in trials.goldens
    ]
    return goldens, [stratum.mirrored for stratum in strata]


def _rates(goldens: Sequence[GoldenCases], strata: Sequence[LabelStratum], draws: int) -> Iterable[float]:
    rng = random.Random(0)  # noqa: S311  repeatable, not secret
    chance = rng.random
    weight = rng.expovariate
    unseen = max(row.size for row in goldens)
    for _ in range(draws):
        rates = [
            rng.betavariate(s.passed, s.labels - s.passed + 1) if s.passed and s.labels < s.cases else 0.0
            for s in strata
        ]
        total = unseen * weight(1.0)
        passed = 0.0
        for size, certain, open_cases in goldens:
            drawn = weight(1.0)
            total += size * drawn
            luck = chance()
            passed += drawn * (certain + sum([luck < rates[place] for place in open_cases]))
        yield passed / total
