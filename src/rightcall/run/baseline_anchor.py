"""The anchor: a frozen baseline of a release, with which main is compared every week. It shows a slow decline.

Drops below the margin of `check` pass, and add up: fifty merges that lose 0.2 points each lose ten. The newest trials
of main are compared with the anchor by the exchange test, at a level that keeps a year of weekly comparisons at 5 %.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Literal

import msgspec

from rightcall.core.errors import InputError
from rightcall.core.text import hundredths, percent, pluralize
from rightcall.records.record import Record
from rightcall.run.baseline_file import BaselineLine, BaselinePool
from rightcall.stats.permutation import ExchangeTable, exchange_p

ANCHOR_TRIALS = 9
"""Trials per golden, of the anchor and of main."""
WEEKS = 52
LEVEL = 0.05 / WEEKS
"""The level of one comparison: over a year of weekly ones the risk of a false alarm is 5 %."""
FORMAT = "rightcall/anchor-check/1"
EXIT_CODES = {"PASS": 0, "DECLINED": 1, "INCONCLUSIVE": 3}


class AnchorCheck(Record, frozen=True, omit_defaults=False):
    """How main compares with its anchor.

    `goldens` are those that both have as they are now, `left_out` the others of main. `trials` are those of main and
    of the anchor, per golden at least. `worst` are goldens that lost most, with their trials before and now.
    """

    suite: str
    verdict: Literal["PASS", "DECLINED", "INCONCLUSIVE"]
    reason: str
    p: float
    level: float
    goldens: int
    left_out: int
    trials: tuple[int, int]
    passed: tuple[float, float]
    worst: tuple[tuple[str, str, str], ...] = ()
    notes: tuple[str, ...] = ()
    exit_code: int = 0
    format: str = FORMAT


def anchor_of(pool: BaselinePool) -> BaselinePool:
    """The newest trials of a baseline, to be frozen."""
    return BaselinePool(pool.header, tuple(map(newest_trials, pool.lines)))


def newest_trials(line: BaselineLine) -> BaselineLine:
    """A golden with its newest trials that were scored; the newest run comes first."""
    kept: list[str] = []
    left = ANCHOR_TRIALS
    for marks in line.t:
        scored = [mark for mark in marks if mark in "01"][:left]
        left -= len(scored)
        kept += ["".join(scored)] if scored else []
    return msgspec.structs.replace(line, t=tuple(kept), s=())


def check_anchor(anchor: BaselinePool, main: BaselinePool) -> AnchorCheck:
    """Compare the newest trials of main with the anchor's. A golden that was edited since is left out."""
    if anchor.header.suite != main.header.suite:
        raise InputError(
            "anchor", f"is of the suite '{anchor.header.suite}', the baseline of '{main.header.suite}'"
        )
    frozen = anchor.goldens
    pairs = [
        (before, newest_trials(line))
        for line in main.lines
        if (before := frozen.get(line.id)) is not None and before.golden == line.golden
    ]
    pairs = [(before, now) for before, now in pairs if before.scores and now.scores]
    if not pairs:
        raise InputError(
            "anchor",
            "has no golden that is unchanged in the baseline",
            "delete the file: the next `rightcall check --anchor FILE` freezes a new one",
        )
    p = exchange_p([ExchangeTable(before.scores, now.scores) for before, now in pairs])
    least = min(len(now.scores) for _, now in pairs), min(len(before.scores) for before, _ in pairs)
    rates = _rate(now for _, now in pairs), _rate(before for before, _ in pairs)
    few = min(least) < ANCHOR_TRIALS
    verdict: Literal["PASS", "DECLINED", "INCONCLUSIVE"] = (
        "DECLINED" if p <= LEVEL else "INCONCLUSIVE" if few else "PASS"
    )
    passed = f"{percent(rates[0], 1)} of its newest trials passed, {percent(rates[1], 1)} of the anchor's"
    told = {
        "DECLINED": f"main declined since the anchor by {hundredths(rates[1] - rates[0], '.1f')} points: {passed} "
        f"(p {p:.2g}, level {LEVEL:.2g})",
        "PASS": f"no decline since the anchor was detected: {passed} (p {p:.2g}, level {LEVEL:.2g})",
        "INCONCLUSIVE": f"some goldens have fewer than {ANCHOR_TRIALS} trials "
        f"({least[0]} of main, {least[1]} of the anchor), too few to see a slow decline; {passed} (p {p:.2g})",
    }[verdict]
    left_out = len(main.lines) - len(pairs)
    notes = (
        (f"{pluralize(left_out, 'golden')} of main left out: new or edited since the anchor",)
        if left_out
        else ()
    )
    return AnchorCheck(
        main.header.suite,
        verdict,
        f"{pluralize(len(pairs), 'golden')}; {told}",
        p,
        level=LEVEL,
        goldens=len(pairs),
        left_out=left_out,
        trials=least,
        passed=rates,
        worst=_worst(pairs) if verdict == "DECLINED" else (),
        notes=notes,
        exit_code=EXIT_CODES[verdict],
    )


def _rate(lines: Iterable[BaselineLine]) -> float:
    scores = list(chain.from_iterable(line.scores for line in lines))
    return sum(scores) / max(1, len(scores))


def _worst(pairs: list[tuple[BaselineLine, BaselineLine]]) -> tuple[tuple[str, str, str], ...]:
    """Goldens that lost most, with their trials before and now."""

    def lost(pair: tuple[BaselineLine, BaselineLine]) -> float:
        return _rate([pair[0]]) - _rate([pair[1]])

    fallen = sorted((pair for pair in pairs if lost(pair) > 0), key=lambda pair: (-lost(pair), pair[0].id))
    return tuple((now.id, " ".join(before.t), " ".join(now.t)) for before, now in fallen[:10])
