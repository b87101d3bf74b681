"""What a comparison of two runs may claim, and the words for it: the same numbers give the same words everywhere."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

from rightcall.core.text import margin_text, percent, pluralize, points

Change = Literal["IMPROVED", "NON_INFERIOR", "REGRESSED", "INCONCLUSIVE"]


class ComparisonClaim(NamedTuple):
    """The numbers that a claim about B − A follows from.

    `p` is the two-sided test of no difference, `p_worse` that of "not worse by more than the margin" and `p_not_worse`
    that of "worse by more than the margin". `bound_low` is the one-sided lower bound of the difference. Both of the
    last are None when a single cluster says nothing about others. `units` are the clusters or single goldens compared.
    With several `candidates` the p-values are adjusted for their number.
    """

    difference: float
    p: float
    p_worse: float
    p_not_worse: float | None
    bound_low: float | None
    margin: float
    alpha: float
    units: int
    candidates: int = 1

    @property
    def change(self) -> Change:
        """IMPROVED before NON_INFERIOR: who is better is not worse either."""
        if self.differs and self.difference > 0:
            return "IMPROVED"
        if self.p_not_worse is not None and self.p_not_worse <= self.alpha:
            return "NON_INFERIOR"
        return "REGRESSED" if self.p_worse <= self.alpha else "INCONCLUSIVE"

    @property
    def differs(self) -> bool:
        return self.p <= self.alpha

    @property
    def worse(self) -> bool:
        return self.differs and self.difference < 0

    @property
    def powerless(self) -> bool:
        """Whether no result of so few units could have been significant."""
        return 2.0 ** (1 - self.units) > self.alpha

    def words(self, b: str = "B", a: str = "A") -> str:
        """The claim without its numbers: "B is worse than A (p = 0.01); whether by more than 5 points is …"."""
        more = f" by more than {margin_text(self.margin)}" if self.margin else ""
        worse = f"{b} is worse than {a} ({self.p_words(self.p)})" if self.worse else ""
        match self.change:
            case "IMPROVED":
                return f"{b} is better than {a} ({self.p_words(self.p)})"
            case "REGRESSED":
                return f"{b} is worse than {a}{more} ({self.p_words(self.p_worse)})"
            case "NON_INFERIOR":
                shown = self.p_words(self.p_not_worse or 0.0)
                return (
                    f"{worse}, but not{more} ({shown})"
                    if worse
                    else f"{b} is not worse than {a}{more} ({shown})"
                )
            case "INCONCLUSIVE" if worse:
                return f"{worse}; whether{more} is not settled"
        open_question = f", and whether {b} is worse{more} is not settled" if more else ""
        return f"{self._no_difference(a, b)}{open_question}"

    def _no_difference(self, a: str, b: str) -> str:
        if self.powerless:
            return f"undecided between {a} and {b}"
        return f"no significant difference between {a} and {b} ({self.p_words(self.p)})"

    def p_words(self, p: float) -> str:
        """p with enough digits to stand on its side of alpha."""
        digits = 2
        while digits < 9 and (float(f"{p:.{digits}g}") <= self.alpha) != (p <= self.alpha):
            digits += 1
        among = f", adjusted for {self.candidates} candidates" if self.candidates > 1 else ""
        return f"p = {p:.{digits}g}{among}"

    def margin_shown(self) -> str:
        """The margin that the results do show, whatever was asked; empty when they show none."""
        if self.bound_low is None or self.bound_low <= -1 or self.change in ("IMPROVED", "REGRESSED"):
            return ""
        confidence = f"with {percent(1 - self.alpha)} confidence"
        if self.bound_low >= 0:
            return f"{confidence} not worse" if self.bound_low < 0.0005 else (
                f"{confidence} above {points(math.floor(self.bound_low * 1000) / 1000)}"
            )  # fmt: skip
        # rounded up: a smaller margin was not shown
        shown = math.ceil(-self.bound_low * 1000 - 1e-9) / 10
        if self.p_not_worse is not None and self.p_not_worse <= self.alpha and self.margin:
            shown = min(shown, self.margin * 100)  # the test and the bound differ by rounding only
        return f"not worse by more than {shown:.4g} points {confidence}"


def undetectable_difference(mde: float | None, clusters: int, goldens: int, alpha: float) -> str:
    """What an undecided comparison cannot rule out."""
    if mde is not None:
        return f"a true difference under {points(mde).lstrip('+')} would likely go undetected"
    unit = "golden" if clusters == goldens else "cluster"
    fewest = 1 + math.ceil(-math.log2(alpha))
    if clusters < fewest:
        return f"{pluralize(clusters, unit)} cannot show any difference; at least {fewest} are needed"
    return f"{pluralize(clusters, unit)} are too few to detect even a large difference"
