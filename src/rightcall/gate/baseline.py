"""Against an earlier run: like with like, and not worse by more than was agreed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from rightcall.errors import ConfigError
from rightcall.gate.check import Check, counted, percent, word_for
from rightcall.gate.compare import compare, points
from rightcall.gate.outcome import Outcome
from rightcall.model.run import Run

MUST_MATCH = ("dataset", "metrics", "simulator")
"""Fingerprints without which a difference says nothing of the agent."""


def require_alike(a: Run, b: Run, *, anyway: bool = False) -> tuple[str, ...]:
    """What is unlike between two runs; refused unless asked for `anyway`, when it is handed back to be shown.

    A fingerprint that one of the runs lacks counts as unlike; one that both lack does not.
    """
    unlike = tuple(
        f"runs {a.id} and {b.id} differ in their {name} ({_short(a, name)} and {_short(b, name)})"
        for name in MUST_MATCH
        if a.fingerprints.get(name) != b.fingerprints.get(name)
    )
    if unlike and not anyway:
        raise ConfigError(*unlike, "such runs are compared only when asked for explicitly")
    return unlike


@dataclass(frozen=True)
class BaselineRule:
    """Non-inferiority: the pass rate is not below the baseline's by more than `margin`."""

    baseline: tuple[Outcome, ...]
    margin: float
    run: str = "the baseline"
    seed: int = 0

    @property
    def name(self) -> str:
        return f"against {self.run}"

    def look(self, outcomes: Sequence[Outcome], alpha: float) -> Check:
        """PASS when not worse by more than the margin, FAIL when worse by more, else not settled."""
        found = compare(self.baseline, outcomes, margin=self.margin, alpha=alpha, seed=self.seed)
        if found.p_non_inferior is None or found.p_regressed is None:
            return Check(self.name, "INCONCLUSIVE", f"{self.name}: {found.sentence}", limit=-self.margin)
        check = Check(
            self.name,
            word_for(found.p_non_inferior, found.p_regressed, alpha),
            "",
            controlled=True,
            value=found.difference,
            limit=-self.margin,
            low=found.bound_low,
            high=found.bound_high,
            n=found.n,
            p_pass=found.p_non_inferior,
            p_fail=found.p_regressed,
        )
        return msgspec.structs.replace(check, sentence=self.say(check, alpha))

    def say(self, check: Check, alpha: float) -> str:
        """The check in words, whatever it was ruled."""
        allowed = f"more than {self.margin * 100:.1f} points below it" if self.margin else "below it"
        means: dict[str, str] = {"PASS": f"not {allowed}", "FAIL": allowed}
        means.setdefault(check.word, f"not settled to be {allowed} or not")
        return (
            f"{self.name} the pass rate moved by {points(check.value or 0.0)} over "
            f"{counted(check.n, 'golden')} and is {means[check.word]}: with {percent(1 - alpha)} "
            f"confidence above {points(check.low or 0.0)}, with the same confidence below "
            f"{points(check.high or 0.0)}"
        )


def _short(run: Run, name: str) -> str:
    return run.fingerprints.get(name, "")[:12] or "none"
