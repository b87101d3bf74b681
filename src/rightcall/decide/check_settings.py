"""The settings of `check`, and the strata it makes from a baseline: which trials are compared with which.

x = candidate − baseline is in [−1, 1] for one golden. In the rest it is one trial minus the mean of all the
baseline's; among the affected goldens each round has its own share of the baseline's trials, so that rounds are
independent. Nothing here looks at results to choose, order or weigh goldens: old failures look better again by
themselves, and old passes worse.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Annotated, Literal, NamedTuple

import msgspec

from rightcall.core.digest import hex_digest
from rightcall.core.options import described
from rightcall.records.record import Record

ALARM = 0.2
"""The risk of an alarm when nothing got worse, where fresh trials of both versions confirm it."""
CHECKS = 250
"""Checks of changes that are not worse, of which at most one is WORSE where fresh trials confirm an alarm."""
LONE_LEVEL = 0.001
"""The part of that risk for goldens that were tried again one by one, in checks of many goldens."""
UNKNOWN_NOISE = 0.02
"""p(1−p) of a golden that was tried only once and has no history."""
PAIRS_WANTED = 40
LEAST_ROUNDS = 3

ConfirmMode = Literal["base", "candidate", "off"]
"""What confirms an alarm: fresh trials of both versions, another draw of the candidate alone, or nothing."""

Scores = tuple[float, ...]


class Risks(Record, frozen=True):
    """`alpha`: WORSE though nothing changed. `beta`: PASS though a stratum is worse by its margin."""

    alpha: float = 0.05
    beta: float = 0.05


class CheckSettings(Record, frozen=True):
    """`check:` of a suite.

    `drop` is the margin for goldens that a changed tool can affect, `drop_rest` for all others. `sample` is the maximum
    number of the others to try, `rounds` the trials per affected golden [default: enough for 40 pairs, but at most as
    many as the baseline has]. `confirm` is what confirms an alarm; with `base`, at most 1 of 250 checks of changes that
    are not worse is WORSE.
    """

    drop: Annotated[float, described("largest acceptable drop on affected goldens", gt=0, lt=1)] = 0.2
    drop_rest: Annotated[float, described("largest acceptable drop on all other goldens", gt=0, lt=1)] = 0.1
    alpha: Annotated[
        float,
        described(
            "probability of an alarm when nothing got worse, for `confirm: candidate` and `off`", gt=0, le=0.5
        ),
    ] = 0.05
    beta: Annotated[float, described("risk of PASS at the margin", gt=0, le=0.5)] = 0.05
    sample: Annotated[int, described("maximum number of unaffected goldens to try", ge=1)] = 120
    rounds: Annotated[
        Annotated[int, msgspec.Meta(gt=0)] | None,
        described("trials per affected golden [default: enough for 40 pairs]"),
    ] = None
    on_inconclusive: Annotated[Literal["fail", "pass"], described("exit code of INCONCLUSIVE: 3, or 0")] = (
        "fail"
    )
    compare: Annotated[
        Literal["passes", "score"], described("what is compared: whether a trial passed, or its score")
    ] = "passes"
    control: Annotated[
        int, described("unaffected goldens to try as well, to detect a change at the provider", ge=0)
    ] = 0
    confirm: Annotated[
        ConfirmMode,
        described(
            "what confirms an alarm: trials of the base and the new version, a second draw of the new version, nothing"
        ),
    ] = "base"

    @property
    def risks(self) -> Risks:
        """The risks of the first comparison; its WORSE is an alarm where it has to be confirmed."""
        return Risks(ALARM if self.confirm == "base" else self.alpha, self.beta)

    @property
    def confirm_level(self) -> float:
        """The risk of a confirmation when nothing got worse."""
        return (1 / CHECKS - LONE_LEVEL) / ALARM if self.confirm == "base" else self.alpha

    @property
    def few_level(self) -> float:
        """The same where goldens are few: the suspicion that starts a confirmation has no level."""
        return 1 / CHECKS

    @property
    def regressed_risk(self) -> float:
        """The highest probability of WORSE when nothing got worse.

        With `confirm: candidate` that of the alarm alone: both draws share the baseline, so their levels may not be
        multiplied.
        """
        return 1 / CHECKS if self.confirm == "base" else self.alpha


class Stratum(Record, frozen=True):
    """Goldens that are judged together: the baseline's trials of each unit, and the margin.

    A unit is a golden, or the goldens of a cluster, which are drawn and judged as one. `order` is the order in which
    units are run and judged, the same in every round. `goldens` is how many the claim is about; more than are in
    `order` when only a sample is run. With `whole_rounds` the claim is about exactly these goldens, and it is judged at
    the ends of rounds; otherwise units are a random sample, and it may be judged after each. `unanswered` counts the
    trials of the baseline that got no answer.
    """

    name: str
    margin: float
    order: tuple[tuple[str, ...], ...]
    before: dict[str, Scores]
    rounds: int = 1
    goldens: int = 0
    noise: float = UNKNOWN_NOISE
    whole_rounds: bool = False
    unanswered: dict[str, int] = {}

    @property
    def share_size(self) -> float:
        """Baseline trials behind one x."""
        sizes = [len(self.before[golden]) for golden in chain.from_iterable(self.order)]
        return max(1.0, math.fsum(sizes) / len(sizes) / self.rounds) if sizes else 1.0

    @property
    def pairs(self) -> int:
        """How many x there are when every round is run."""
        return len(self.order) * self.rounds

    @property
    def calls(self) -> int:
        """Trials when every round is run."""
        return sum(map(len, self.order)) * self.rounds

    def trials_before(self, golden: str, unanswered: float | None) -> Scores:
        """The trials of the baseline, with what those without an answer count as; None leaves them out."""
        missing = 0 if unanswered is None else self.unanswered.get(golden, 0)
        return self.before[golden] + (unanswered or 0.0,) * missing

    def share(self, golden: str, round_: int, unanswered: float | None = None) -> Scores:
        """The trials of the baseline that a round is compared with; each is used in one round only."""
        return self.trials_before(golden, unanswered)[round_ :: self.rounds]


class ComparedGoldens(NamedTuple):
    """The baseline's trials of the goldens that a check is about, their clusters and older trials."""

    affected: Mapping[str, Scores]
    rest: Mapping[str, Scores]
    clusters: Mapping[str, str] = {}
    history: Mapping[str, Scores] = {}
    unanswered: Mapping[str, int] = {}

    def strata(self, settings: CheckSettings, seed: str, *, full: bool) -> list[Stratum]:
        """How they are tried, in the order drawn by the seed; with `full` nothing is sampled."""
        return strata_of(
            self.affected,
            self.rest,
            settings,
            seed,
            clusters=self.clusters,
            history=self.history,
            unanswered=self.unanswered,
            full=full,
        )


def strata_of(
    affected: Mapping[str, Scores],
    rest: Mapping[str, Scores],
    settings: CheckSettings,
    seed: str,
    *,
    clusters: Mapping[str, str] | None = None,
    history: Mapping[str, Scores] | None = None,
    unanswered: Mapping[str, int] | None = None,
    full: bool = False,
) -> list[Stratum]:
    """The strata that have goldens: `affected`, tried in rounds, and `rest`, a sample drawn by the seed.

    The noise is estimated from `history`, older trials, where there are enough, else from the baseline's own. With
    `full` the rest is not sampled, and tried in rounds like the affected ones.
    """
    strata = []
    for name, before, margin, in_rounds in (
        ("affected", affected, settings.drop, True),
        ("rest", rest, settings.drop_rest, full),
    ):
        if not before:
            continue
        order = units(before, seed, clusters or {})
        rounds = rounds_for(len(before), min(map(len, before.values())), settings.rounds) if in_rounds else 1
        drawn = order if in_rounds else first_units(order, settings.sample)
        scores = {golden: before[golden] for golden in chain.from_iterable(drawn)}
        missing = {golden: count for golden in scores if (count := (unanswered or {}).get(golden))}
        strata.append(
            Stratum(
                name,
                margin,
                drawn,
                scores,
                rounds=rounds,
                goldens=len(before),
                noise=_noise(before, history),
                whole_rounds=in_rounds,
                unanswered=missing,
            )
        )
    return strata


def units(names: Iterable[str], seed: str, clusters: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    """Goldens in an order that depends only on the seed, on every machine; those of a cluster are one unit."""
    groups: dict[str, list[str]] = {}
    for name in sorted(names):
        key = f"cluster {clusters[name]}" if name in clusters else f"golden {name}"
        groups.setdefault(key, []).append(name)
    drawn = sorted(groups, key=lambda key: hex_digest(f"{seed}/{key}"))
    return tuple(tuple(groups[key]) for key in drawn)


def first_units(order: tuple[tuple[str, ...], ...], most: int) -> tuple[tuple[str, ...], ...]:
    """The first units with no more goldens than requested; at least one."""
    taken = 0
    goldens = 0
    for unit in order:
        if taken and goldens + len(unit) > most:
            break
        taken = taken + 1
        goldens = goldens + len(unit)
    return order[:taken]


def _noise(before: Mapping[str, Scores], history: Mapping[str, Scores] | None) -> float:
    older = [scores for golden in before if len(scores := (history or {}).get(golden, ())) > 1]
    return noise_of(older if len(older) >= len(before) / 2 else before.values())


def pair_difference(before: Sequence[float], after: float) -> float:
    """x of one trial."""
    return after - math.fsum(before) / len(before)


def rounds_for(goldens: int, least_trials: int, rounds: int | None = None) -> int:
    """How often the affected goldens are tried: enough for 40 pairs, never more often than the baseline was."""
    asked = rounds or max(LEAST_ROUNDS, math.ceil(PAIRS_WANTED / max(1, goldens)))
    return max(1, min(least_trials, asked))


def noise_of(trials: Iterable[Sequence[float]]) -> float:
    """Mean of the unbiased p(1−p) over goldens that were tried twice or more: c(m−c)/(m(m−1)).

    It treats passes and failures alike, so it does not choose by the results that are compared.
    """
    alike = Counter(tuple(scores) for scores in trials if len(scores) > 1)  # 0 and 1 leave few that differ
    if not alike:
        return UNKNOWN_NOISE
    return math.fsum(_spread(scores) * number for scores, number in alike.items()) / alike.total()


def _spread(scores: Sequence[float]) -> float:
    mean = math.fsum(scores) / len(scores)
    return math.fsum((score - mean) ** 2 for score in scores) / (len(scores) - 1)
