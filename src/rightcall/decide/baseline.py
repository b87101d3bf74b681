"""The baseline rule: comparable to an earlier run, and not worse by more than the margin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from rightcall.core.errors import ConfigError
from rightcall.core.text import pluralize, points
from rightcall.decide.comparison import MOST_ERRORS, compare
from rightcall.decide.comparison_claim import ComparisonClaim
from rightcall.decide.config import Gate
from rightcall.decide.golden_outcomes import Outcome, unanswered_trials
from rightcall.decide.rule_source import Facts, RuleSource
from rightcall.decide.rules import Check, Decision, GateRule
from rightcall.records.run import Run

MUST_MATCH = ("metrics", "simulator")
"""Fingerprints that must match for a difference to say anything about the agent.

The dataset is not among them: datasets grow, and goldens are compared one by one.
"""
SHOWN = 3


def require_alike(a: Run, b: Run, *, anyway: bool = False) -> tuple[str, ...]:
    """What differs between two runs; raises unless `anyway` is set, then returns it for display.

    A fingerprint missing from one run counts as different; one missing from both does not.
    """
    unlike = tuple(
        f"runs {a.id} and {b.id} differ in their {name} ({_short(a, name)} and {_short(b, name)})"
        for name in MUST_MATCH
        if a.fingerprints.get(name) != b.fingerprints.get(name)
    )
    if unlike and not anyway:
        raise ConfigError(*unlike, "pass --anyway to compare them")
    return unlike


def same_dataset(a: Run, b: Run) -> bool:
    """Whether both used the same dataset, so that no golden can have changed."""
    return "dataset" in a.fingerprints and a.fingerprints["dataset"] == b.fingerprints.get("dataset")


class Baseline(NamedTuple):
    """Earlier outcomes to compare with. `left_out` are goldens to exclude, for the reasons in `notes`."""

    outcomes: Sequence[Outcome]
    notes: tuple[str, ...] = ()
    left_out: frozenset[str] = frozenset()


class BaselineRules(RuleSource):
    """The rule of `baseline`, by the outcomes of the run that it names."""

    def rules(self, gate: Gate, facts: Facts) -> Sequence[GateRule]:
        if gate.baseline is None:
            return ()
        earlier = facts.get("baseline")
        if earlier is None:
            raise ConfigError(f"gate: the outcomes of the baseline '{gate.baseline.run}' are needed")
        baseline = earlier if isinstance(earlier, Baseline) else Baseline(earlier)
        margin = gate.baseline.margin
        name = gate.baseline.run
        return (BaselineRule(baseline, margin, name, max_error_rate=gate.max_error_rate),)


class BaselineRule(msgspec.Struct, frozen=True):
    """Non-inferiority: the pass rate is not below the baseline's by more than `margin`."""

    baseline: Baseline
    margin: float
    run: str = "the baseline"
    seed: int = 0
    max_error_rate: float = MOST_ERRORS

    @property
    def name(self) -> str:
        return f"against {self.run}"

    def look(self, outcomes: Sequence[Outcome], alpha: float) -> Check:
        """PASS when not worse by more than the margin, FAIL when worse by more, otherwise undecided."""
        unlike = self.baseline.left_out
        before = [o for o in self.baseline.outcomes if o.golden_id not in unlike]
        after = [o for o in outcomes if o.golden_id not in unlike]
        most = self.max_error_rate
        comparison = compare(
            before, after, margin=self.margin, alpha=alpha, seed=self.seed, max_error_rate=most
        )
        if comparison.p_non_inferior is None or comparison.p_regressed is None or comparison.doubt:
            return Check(self.name, "INCONCLUSIVE", f"{self.name}: {comparison.sentence}", limit=-self.margin)
        check = Check(
            self.name,
            "INCONCLUSIVE",
            "",
            controlled=True,
            value=comparison.difference,
            limit=-self.margin,
            low=comparison.bound_low,
            high=comparison.bound_high,
            n=comparison.n,
            clusters=comparison.clusters,
            p_pass=comparison.p_non_inferior,
            p_fail=comparison.p_regressed,
            p_differs=comparison.p,
            only_here=comparison.only_b,
            only_there=comparison.only_a,
        )
        word = self.decision(check, alpha)
        return self.with_statement(msgspec.structs.replace(check, word=word), alpha)

    def decision(self, check: Check, alpha: float) -> Decision:
        """The word that `compare` finds for the same numbers: better is not worse."""
        words: dict[str, Decision] = {"IMPROVED": "PASS", "NON_INFERIOR": "PASS", "REGRESSED": "FAIL"}
        return words.get(self._claim(check, alpha).change, "INCONCLUSIVE")

    def with_statement(self, check: Check, alpha: float) -> Check:
        """The check with its sentence."""
        return msgspec.structs.replace(check, sentence=self._say(check, alpha))

    def _say(self, check: Check, alpha: float) -> str:
        claim = self._claim(check, alpha)
        words = claim.words("this run", self.run)
        shown = f"; {text}" if (text := claim.margin_shown()) else ""
        return (
            f"{self.name} the pass rate moved by {points(check.value or 0.0)} over "
            f"{pluralize(check.n, 'golden')}: {words}{shown}{self._others(check)}"
        )

    def _claim(self, check: Check, alpha: float) -> ComparisonClaim:
        return ComparisonClaim(
            difference=check.value or 0.0,
            p=1.0 if check.p_differs is None else check.p_differs,
            p_worse=1.0 if check.p_fail is None else check.p_fail,
            p_not_worse=check.p_pass,
            bound_low=check.low,
            margin=self.margin,
            alpha=alpha,
            units=check.clusters,
        )

    def _others(self, check: Check) -> str:
        """The number and names of goldens in only one of the runs."""
        parts = [
            f"{pluralize(len(ids), 'golden')} only in {where} ({_first_names(ids)})"
            for ids, where in ((check.only_here, "this run"), (check.only_there, self.run))
            if ids
        ]
        text = f"; not compared: {' and '.join(parts)}" if parts else ""
        missing = unanswered_trials(self.baseline.outcomes)
        text += f"; {missing.text} in {self.run}" if missing.trials else ""
        return "; ".join([text, *self.baseline.notes])


def _first_names(ids: Sequence[str]) -> str:
    return ", ".join(ids[:SHOWN]) + (f" and {len(ids) - SHOWN:,} more" if len(ids) > SHOWN else "")


def _short(run: Run, name: str) -> str:
    return run.fingerprints.get(name, "")[:12] or "none"
