"""The verdict of a gate: PASS, FAIL, INCONCLUSIVE or ERROR, with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, compress
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from rightcall.core.seam import BUILT_IN, load
from rightcall.core.text import percent, pluralize
from rightcall.decide.config import Gate, OnInconclusive
from rightcall.decide.golden_outcomes import Outcome, Unanswered, unanswered_trials
from rightcall.decide.rule_source import AdvisedRule, Facts, RuleSource
from rightcall.decide.rules import (
    Check,
    ControlledRule,
    GateRule,
    RateRule,
    ToolErrorRule,
    UnknownRule,
    Word,
    fatal_rules,
    rules_of,
)
from rightcall.records.failure import TOOL_ERROR
from rightcall.records.record import Record
from rightcall.records.run import FailedTool
from rightcall.records.score import Note
from rightcall.stats.paired_tests import holm

if TYPE_CHECKING:
    from rightcall.decide.baseline import Baseline
    from rightcall.decide.early_stop import Stopped


RULES = tuple(BUILT_IN["rules"])


class Verdict(Record, frozen=True):
    """The decision about a run and its evidence.

    `reason` does not have the word. `hypotheses` is the number of rules with error control, for which Holm's correction
    was made. `unscored`
    names goldens without a scored trial, which are excluded from rates. `hint` says what would decide it; `notes` say
    what the numbers take for granted. `clauses` are the parts of the reason
    without the dangers, which screens show apart; None where the reason is one clause.
    `uncalibrated` names judged metrics whose own rate decided, without labels.
    """

    word: Word
    reason: str
    checks: tuple[Check, ...] = ()
    alpha: float = 0.05
    on_inconclusive: OnInconclusive = "warn"
    hypotheses: int = 0
    errors: int = 0
    trials: int = 0
    unscored: tuple[str, ...] = ()
    hint: str = ""
    saved: int = 0
    notes: tuple[Note, ...] = ()
    uncalibrated: tuple[str, ...] = ()
    clauses: tuple[str, ...] | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        """The clauses of the reason, for a line each."""
        return (self.reason,) if self.clauses is None else self.clauses

    @property
    def sentence(self) -> str:
        """The word and its reason, to be shown."""
        return f"{self.word}: {self.reason}"

    def __str__(self) -> str:
        """The decision in one sentence."""
        return self.sentence

    def with_clause(self, text: str) -> Verdict:
        """The verdict with one more clause of its reason; the same without a text."""
        if not text:
            return self
        return msgspec.structs.replace(self, reason=f"{self.reason}; {text}", clauses=(*self.lines, text))

    def because(self, *clauses: str, word: Word | None = None, hint: str | None = None) -> Verdict:
        """The verdict with another reason, and with another word or hint if they are given."""
        return msgspec.structs.replace(
            self,
            word=self.word if word is None else word,
            reason="; ".join(clauses),
            clauses=clauses,
            hint=self.hint if hint is None else hint,
        )

    def __repr__(self) -> str:
        return f"<Verdict {self.sentence}>"

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 3 inconclusive (unless a policy says otherwise), 4 error."""
        if self.word == "INCONCLUSIVE":
            return {"pass": 0, "fail": 1, "warn": 3}[self.on_inconclusive]
        return {"PASS": 0, "FAIL": 1, "ERROR": 4}[self.word]


def decide(
    gate: Gate,
    outcomes: Sequence[Outcome],
    facts: Facts | None = None,
    *,
    baseline: Baseline | Sequence[Outcome] | None = None,
    stopped: Stopped | None = None,
    failed_tools: tuple[FailedTool, ...] | None = None,
) -> Verdict:
    """Apply a gate to a run. `baseline` holds the outcomes of the run that `gate.baseline` names.

    `facts` are what else is known of the run, such as its `floor`, the `worst_case`, or what judges and people say of
    it (`judged`). `failed_tools` failed in every call; None where that is unknown.
    `stopped` is how a monitor ended the run; its word stands for the pass rate, since an interval computed
    at a moment chosen by the data would err more often than it says.
    """
    seen = _count_outcomes(outcomes)
    unanswered = seen.unanswered
    errors = unanswered.trials
    trials = unanswered.of_trials
    blank = Verdict(
        "ERROR",
        "no trial could be scored, so nothing is known about the agent",
        alpha=gate.alpha,
        on_inconclusive=gate.on_inconclusive,
        errors=errors,
        trials=trials,
        unscored=unanswered.never,
        saved=stopped.saved if stopped else 0,
    )
    if trials == errors:
        return blank.with_clause(unanswered.text)
    facts = {**(facts or {}), "baseline": baseline}
    sources = _rule_sources(gate, facts)
    required = (*rules_of(gate), *chain.from_iterable(source.rules(gate, facts) for source in sources))
    if TOOL_ERROR in gate.forbid:
        unknown = UnknownRule(f"no {TOOL_ERROR}", "the run has no summary")
        required += (unknown if failed_tools is None else ToolErrorRule(failed_tools),)
    rules = required + fatal_rules(gate, seen.codes)
    for source in sources:
        rules = tuple(source.replace(rule, gate, facts) for rule in rules)
    checks = _holm(
        rules, [_look(rule, outcomes, gate.alpha, stopped) for rule in rules], outcomes, gate.alpha
    )
    hypotheses = sum(check.controlled for check in checks)
    uncalibrated = tuple(dict.fromkeys(chain.from_iterable(c.judges for c in checks if c.uncalibrated)))
    verdict = msgspec.structs.replace(
        blank, checks=tuple(checks), hypotheses=hypotheses, uncalibrated=uncalibrated
    )
    errors -= sum(source.trials_of_estimate(gate, facts) for source in sources)
    if errors / trials > gate.max_error_rate:
        reason = (
            f"{pluralize(errors, 'trial')} of {trials:,} could not be run ({percent(errors / trials)}, "
            f"at most {percent(gate.max_error_rate)} allowed), so there is no verdict"
        )
        return msgspec.structs.replace(verdict, reason=reason)
    rulings = {check.word for check in checks}
    word: Word = "FAIL" if "FAIL" in rulings else "INCONCLUSIVE" if "INCONCLUSIVE" in rulings else "PASS"
    if word == "PASS" and not required:  # nothing was required, so nothing was shown
        reason = "the gate has no requirements, so it decides nothing"
        hint = "set min, above_floor, a baseline, forbid or the min of a metric, category or tag"
        return msgspec.structs.replace(verdict, word="INCONCLUSIVE", reason=reason, hint=hint)
    hint = _hint(rules, checks, outcomes, gate.alpha) if word == "INCONCLUSIVE" else ""
    decisive = _decisive(word, checks)
    verdict = verdict.because(*(check.sentence for check in decisive), word=word, hint=hint)
    clauses = tuple(check.sentence for check in decisive if not check.danger)
    return msgspec.structs.replace(verdict, clauses=clauses).with_clause(unanswered.text)


def _look(rule: GateRule, outcomes: Sequence[Outcome], alpha: float, stopped: Stopped | None) -> Check:
    """What a rule says; where a monitor ended the run, its word."""
    if stopped is not None:
        earlier = stopped.by == "earlier" and isinstance(rule, ControlledRule)
        if rule.name == "pass rate" or earlier:
            return Check(rule.name, stopped.word, stopped.reason, n=stopped.used)
    return rule.look(outcomes, alpha)


class _Seen(NamedTuple):
    unanswered: Unanswered
    codes: frozenset[str]


def _count_outcomes(outcomes: Iterable[Outcome]) -> _Seen:
    """Everything that can be counted in one pass: a million outcomes are made again for each."""
    codes: set[str] = set()

    def note_codes() -> Iterator[Outcome]:
        for outcome in outcomes:
            if outcome.codes:
                codes.update(code for code, times in outcome.codes.items() if times)
            yield outcome

    return _Seen(unanswered_trials(note_codes()), frozenset(codes))


def _rule_sources(gate: Gate, facts: Facts) -> list[RuleSource]:
    """What adds to the rules of a gate, in display order: by its keys, and by what is known of the run."""
    asked = (getattr(gate, name, None) is not None or facts.get(name) is not None for name in RULES)
    return [load("rules", name)() for name in compress(RULES, asked)]


def _holm(
    rules: Sequence[GateRule], checks: Sequence[Check], outcomes: Sequence[Outcome], alpha: float
) -> list[Check]:
    """Decide again with p-values adjusted for the number of controlled rules, PASS and FAIL separately."""
    p_pass = [c.p_pass for c in checks if c.controlled and c.p_pass is not None]
    p_fail = [c.p_fail for c in checks if c.controlled and c.p_fail is not None]
    if len(p_pass) < 2:
        return list(checks)
    adjusted = iter(zip(holm(p_pass), holm(p_fail), strict=True))
    return [
        _rule_again(rule, check, *next(adjusted), alpha=alpha, number=len(p_pass), outcomes=outcomes)
        if check.controlled and isinstance(rule, ControlledRule)
        else check
        for rule, check in zip(rules, checks, strict=True)
    ]


def _rule_again(
    rule: ControlledRule,
    check: Check,
    p_pass: float,
    p_fail: float,
    *,
    alpha: float,
    number: int,
    outcomes: Sequence[Outcome],
) -> Check:
    """The check with adjusted p-values, and with the bounds at the levels to which they hold the rule."""
    low = _bound(rule, check, outcomes, alpha, p=check.p_pass, adjusted=p_pass).low
    high = _bound(rule, check, outcomes, alpha, p=check.p_fail, adjusted=p_fail).high
    differs = None if check.p_differs is None else min(1.0, number * check.p_differs)
    after = msgspec.structs.replace(
        check, p_pass=p_pass, p_fail=p_fail, p_differs=differs, low=low, high=high
    )
    after = msgspec.structs.replace(after, word=rule.decision(after, alpha))
    return rule.with_statement(after, alpha)


def _bound(
    rule: ControlledRule,
    check: Check,
    outcomes: Sequence[Outcome],
    alpha: float,
    p: float | None,
    adjusted: float,
) -> Check:
    """The check whose bounds say what the adjusted p-value says at alpha; that of a difference stays as it is."""
    if not p or adjusted <= p or rule.name.startswith("against "):
        return check
    return rule.look(outcomes, alpha * p / adjusted)


def _decisive(word: Word, checks: Sequence[Check]) -> list[Check]:
    """The pass rate, if it has a say, then whatever else decides; of a PASS the first rule is enough."""
    deciding = [check for check in checks if check.word == word]
    if word == "PASS":
        return deciding[:1]
    rates = [check for check in checks if check.name == "pass rate" and check not in deciding]
    only_damage = all(check.danger for check in deciding)
    shown = rates if only_damage or any(check.word != "PASS" for check in rates) else []
    return [*shown, *deciding]


def _hint(
    rules: Sequence[GateRule], checks: Sequence[Check], outcomes: Sequence[Outcome], alpha: float
) -> str:
    """What would decide the first undecided rate, if the observed rate is the true rate."""
    from rightcall.decide.advice import advice

    for rule, check in zip(rules, checks, strict=True):
        if isinstance(rule, AdvisedRule) and check.word == "INCONCLUSIVE" and not check.uncalibrated:
            return rule.hint(check, alpha)
        if isinstance(rule, RateRule) and check.word == "INCONCLUSIVE" and check.controlled:
            return advice(rule, check, outcomes, alpha)
    return ""


def why_lines(verdict: Verdict) -> tuple[str, ...]:
    """The essay of a verdict, a line each; empty without a rule."""
    return tuple(_essay(verdict))


def _essay(verdict: Verdict) -> Iterator[str]:
    if not verdict.checks and verdict.trials:
        yield "rule: without a gate every golden must be answered and pass; no rate is estimated"
    for check in verdict.checks:
        yield f"{check.word}  {check.name}: {check.sentence}"
        yield from (f"    {line}" for line in _numbers(check, verdict.alpha))
    if verdict.hypotheses > 1:
        number = f"{verdict.hypotheses} rules"
        yield f"{number} are tested together, so each is held to a stricter level (Holm's correction)"
    yield from (note.text for note in verdict.notes)


def _numbers(check: Check, alpha: float) -> Iterator[str]:
    if check.controlled and check.low is not None and check.high is not None:
        low = percent(check.low)
        high = percent(check.high)
        wrong = f"each is wrong in at most {percent(alpha)} of runs"
        yield f"the true rate is at least {low}, and it is at most {high}: {wrong}"
    if check.controlled and check.p_pass is not None and check.p_fail is not None:
        bad = f"{check.p_fail:.3g} of results this bad above it"
        yield f"p = {check.p_pass:.3g} of results this good below the limit, {bad}"
    if check.controlled and check.trials:
        units = f" in {pluralize(check.clusters, 'independent unit')}" if check.clusters else ""
        yield f"{pluralize(check.trials, 'trial')} of {pluralize(check.n, 'golden')}{units}"
    if not check.controlled and check.value is not None and check.limit:
        yield "decided by the observed number, without error control"
    if not check.controlled and check.word == "PASS" and check.limit == 0.0 and check.high is not None:
        yield f"it may still occur in up to {percent(check.high)} of goldens ({percent(1 - alpha)} confidence)"
