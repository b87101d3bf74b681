"""The settings of `check`, and the strata it makes from a baseline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Literal

import msgspec

from rightcall.core.digest import hex_digest
from rightcall.core.options import described, suite_key
from rightcall.decide.check_rule import Risks
from rightcall.decide.options import CheckThresholds, ConfirmMode
from rightcall.decide.trial_pairs import Scores, Stratum, noise_of, rounds_for
from rightcall.model.record import Record

ALARM = 0.2
"""The risk of an alarm when nothing got worse, where fresh trials of both versions confirm it."""
LOOSEST = 0.5
"""The highest level of a confirmation."""


class CheckSettings(Record, frozen=True):
    """`check:` of a suite.

    `drop` is the margin for goldens that a changed tool can affect, `drop_rest` for all others. `sample` is the maximum
    number of the others to try, `rounds` the trials per affected golden [default: enough for 40 pairs, but at most as
    many as the baseline has]. `confirm` is what confirms an alarm; with `base`, at most `false_alarms` REGRESSED
    verdicts are to be expected in `checks` checks of changes that are not worse.
    """

    drop: Annotated[float, suite_key(CheckThresholds, "drop")] = 0.2
    drop_rest: Annotated[float, suite_key(CheckThresholds, "drop_rest")] = 0.1
    alpha: Annotated[float, suite_key(CheckThresholds, "alpha")] = 0.05
    beta: Annotated[float, described("risk of PASS at the margin", gt=0, le=0.5)] = 0.05
    sample: Annotated[int, suite_key(CheckThresholds, "sample")] = 120
    rounds: Annotated[
        Annotated[int, msgspec.Meta(gt=0)] | None,
        described("trials per affected golden [default: enough for 40 pairs]"),
    ] = None
    hard: Annotated[
        Literal["stop", "confirm"],
        described("stop: one new hard failure is REGRESSED; confirm: require a second one"),
    ] = "stop"
    on_inconclusive: Annotated[Literal["fail", "pass"], described("exit code of INCONCLUSIVE: 3, or 0")] = (
        "fail"
    )
    compare: Annotated[
        Literal["passes", "score"], described("what is compared: whether a trial passed, or its score")
    ] = "passes"
    control: Annotated[int, suite_key(CheckThresholds, "control")] = 0
    confirm: Annotated[ConfirmMode, suite_key(CheckThresholds, "confirm")] = "base"
    false_alarms: Annotated[float, suite_key(CheckThresholds, "false_alarms")] = 1.0
    checks: Annotated[int, suite_key(CheckThresholds, "checks")] = 250

    @property
    def risks(self) -> Risks:
        """The risks of the first comparison; its REGRESSED is an alarm where it has to be confirmed."""
        return Risks(ALARM if self.confirm == "base" else self.alpha, self.beta)

    @property
    def confirm_level(self) -> float:
        """The risk of a confirmation when nothing got worse."""
        if self.confirm == "base":
            return min(LOOSEST, self.false_alarms / (self.checks * ALARM))
        return self.alpha

    @property
    def regressed_risk(self) -> float:
        """The highest probability of REGRESSED when nothing got worse.

        With `confirm: candidate` that of the alarm alone: both draws share the baseline, so their levels may not be
        multiplied.
        """
        return ALARM * self.confirm_level if self.confirm == "base" else self.alpha


def strata_of(
    affected: Mapping[str, Scores],
    rest: Mapping[str, Scores],
    settings: CheckSettings,
    seed: str,
    *,
    clusters: Mapping[str, str] | None = None,
    history: Mapping[str, Scores] | None = None,
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
        scores = {golden: before[golden] for unit in drawn for golden in unit}
        noise = _noise(before, history)
        strata.append(
            Stratum(name, margin, drawn, scores, rounds, len(before), noise, whole_rounds=in_rounds)
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
    taken, goldens = 0, 0
    for unit in order:
        if taken and goldens + len(unit) > most:
            break
        taken, goldens = taken + 1, goldens + len(unit)
    return order[:taken]


def _noise(before: Mapping[str, Scores], history: Mapping[str, Scores] | None) -> float:
    older = [scores for golden in before if len(scores := (history or {}).get(golden, ())) > 1]
    return noise_of(older if len(older) >= len(before) / 2 else before.values())
