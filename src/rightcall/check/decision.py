"""The verdict of a check and its reason: what decided, or what overrides it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from rightcall.check.evidence import CheckEvidence, silence_words, too_silent
from rightcall.check.words import MOST_NAMED, never_seen_chance, reason_words
from rightcall.core.text import hundredths, margin_text, names_and_more, percent, pluralize
from rightcall.decide.check_rule import CheckWord, Decided, StratumState
from rightcall.decide.check_settings import LEAST_ROUNDS
from rightcall.decide.small_suite import visible_drop
from rightcall.records.run import Summary
from rightcall.run.answers import no_answer_reason

GOOD = ("PASS", "NO LOSS SEEN")


class CheckFinding(NamedTuple):
    word: CheckWord
    cause: str
    reason: str

    @property
    def worse_by_trials(self) -> bool:
        """WORSE by how often trials pass, and not by damage."""
        return self.word == "WORSE" and self.cause != "hard"


def with_failed_tools(finding: CheckFinding, summary: Summary) -> CheckFinding:
    """The finding, which is not PASS when a tool failed in every call: for gates that forbid it."""
    if finding.word not in GOOD or not summary.failed_tools:
        return finding
    return CheckFinding("INCONCLUSIVE", "tools", str(summary.failed_tools[0]))


def finding_of(
    seen: CheckEvidence, decided: Decided, states: Sequence[StratumState], *, base: bool
) -> CheckFinding:
    """The verdict, or what overrides it: damage, a change at the provider, errors, a budget, replays."""
    finding = CheckFinding(decided.word, str(decided.cause), "no golden of the baseline is affected")
    if not seen.design.reach.compared and not seen.design.reach.untouched:
        finding = _inconclusive(
            "new", "no golden of the baseline is unchanged in the dataset: nothing to compare with"
        )
    if decided.cause in ("few", "budget") or (seen.design.few and decided.cause == "settled"):
        finding = _few_finding(seen, decided)
    elif states:
        finding = finding._replace(reason=reason_words(decided, states, seen.confirm))
        if decided.word == "NO LOSS SEEN":
            finding = finding._replace(reason=_passed_words(seen, [*seen.results]))
    if decided.cause == "hard":
        finding = finding._replace(reason=_damage_reason(seen))
    elif seen.hard:
        finding = _inconclusive("hard", f"{seen.hard[0].golden} had {seen.hard[0].code} once, and not again")
    finding = _unless_moved(finding, seen, base=base)
    return _unless_judged(_unless_unanswered(finding, seen), seen)


def _inconclusive(cause: str, why: str) -> CheckFinding:
    return CheckFinding("INCONCLUSIVE", cause, why)


def _unless_moved(finding: CheckFinding, seen: CheckEvidence, *, base: bool) -> CheckFinding:
    """The finding, which is not WORSE when the provider changed as well."""
    against_base = seen.confirm is not None and seen.confirm.confirmed and seen.confirm.mode == "base"
    provider_moved = (
        seen.moved is not None and seen.moved <= seen.design.settings.alpha / 2 and not against_base
    )
    if provider_moved and finding.worse_by_trials:
        who = "the version before the change passes" if base else "untouched goldens pass"
        finding = _inconclusive(
            "control", f"the provider changed too: {who} less often as well (p {seen.moved:.2g})"
        )
    return finding


def _unless_unanswered(finding: CheckFinding, seen: CheckEvidence) -> CheckFinding:
    """The finding, unless too few trials were answered, or run at all."""
    if seen.errors and finding.word == "NO LOSS SEEN":
        finding = _inconclusive("unanswered", "not every trial got an answer")
    if finding.word != "WORSE" and too_silent(finding.word, seen.errors, seen.spent, seen.results):
        finding = CheckFinding("ERROR", "errors", silence_words(seen.results))
    silent_guards = [name for name in seen.design.reach.hard if seen.never_answered(name)]
    if silent_guards and finding.word in GOOD:
        finding = _inconclusive(
            "unanswered", f"{silent_guards[0]}, which guards against damage, got no answer"
        )
    tried = seen.tried
    answered = any(result.trajectory is None or result.trajectory.answered for result in tried)
    if tried and not answered and finding.word not in ("WORSE", "ERROR"):
        finding = CheckFinding("ERROR", "errors", no_answer_reason(len(tried)))
    if seen.skipped and finding.word in GOOD:
        finding = _inconclusive("budget", f"the budget ran out with {seen.skipped:,} trials left")
    if seen.confirm is not None and seen.confirm.cut_short and finding.word in GOOD:
        finding = _inconclusive("budget", "the budget ran out before an alarm was confirmed or not")
    if seen.only_replayed and finding.word in GOOD:
        finding = _inconclusive(finding.cause, "0 live calls: the model was not tested")
    return finding


def _unless_judged(finding: CheckFinding, seen: CheckEvidence) -> CheckFinding:
    """The finding, unless it rests on judges: any good one does, and a WORSE without a trial that fails by exact
    metrics.
    """
    tried = seen.tried
    exact = any(result.fails_exactly for result in tried)
    by_judges = finding.word in GOOD or (finding.worse_by_trials and not exact)
    if seen.design.judges and tried and by_judges:
        judges = ", ".join(seen.design.judges)
        finding = _inconclusive(
            "judged", f"{judges}: judged, not corrected, so that the difference decides nothing"
        )
    return finding


def _few_finding(seen: CheckEvidence, decided: Decided) -> CheckFinding:
    """The finding about few goldens, which are named."""
    small = seen.small
    if small is None:
        return CheckFinding("INCONCLUSIVE", "budget", "the budget ran out before every golden was tried")
    named = names_and_more(small.goldens, MOST_NAMED)
    broken = f"{named} passed on main and {'fails' if len(small.goldens) == 1 else 'fail'} now"
    counts = f" ({_counts(seen, small.goldens)})" if small.goldens else ""
    if decided.word == "WORSE":
        return CheckFinding("WORSE", "few", f"{broken}{counts}")
    if decided.word == "INCONCLUSIVE":
        why = {
            "moved": ", but so does the version before the change: the model, its provider or the environment changed",
            "weak": ", and the baseline has too few trials to compare with: save it with --trials 10",
        }.get(small.cause, ", but not often enough to be sure")
        return CheckFinding("INCONCLUSIVE", "few", f"{broken}{counts}{why}")
    goldens = [*seen.design.few]
    passed = _passed_words(seen, goldens)
    if decided.word == "PASS":
        return CheckFinding(
            "PASS", "few", f"not worse by {margin_text(seen.design.strata[0].margin)}: {passed}"
        )
    verb = "is" if len(goldens) == 1 else "are"
    return CheckFinding(
        "NO LOSS SEEN", "few", f"{pluralize(len(goldens), 'golden')} {verb} affected; {passed}"
    )


def _passed_words(seen: CheckEvidence, goldens: Sequence[str]) -> str:
    """`9 of 9 trials passed, as on main`."""
    compared = [name for name in goldens if name in seen.design.before]
    tried = [result.passed for result in chain.from_iterable(seen.results.get(name, ()) for name in compared)]
    before = list(chain.from_iterable(seen.design.before[name] for name in compared))
    same = all(tried) and min(before, default=0.0) >= 1
    main = "as on main" if same else f"on main {math.fsum(before):g} of {len(before)}"
    return f"{sum(tried)} of {pluralize(len(tried), 'trial')} passed, {main}"


def _counts(seen: CheckEvidence, goldens: Sequence[str]) -> str:
    """`0 of 13 trials, on main 3 of 3`."""
    tried = chain.from_iterable(seen.results.get(name, ()) for name in goldens)
    now = [result.passed for result in tried if result.judged]
    before = list(chain.from_iterable(seen.design.before[name] for name in goldens))
    return f"{sum(now)} of {pluralize(len(now), 'trial')}, on main {math.fsum(before):g} of {len(before)}"


def few_hint(seen: CheckEvidence) -> str:
    """What NO LOSS SEEN would have seen, and what would give more."""
    drop = hundredths(visible_drop([*seen.design.few.values()]), ".0f")
    stratum = seen.design.strata[0]
    trials = max(1, min(map(len, stratum.before.values())))
    more = math.ceil(math.log(0.025) / math.log(1 - stratum.margin) / min(LEAST_ROUNDS, trials))
    return (
        f"a drop of {drop} points on these goldens would have been seen in four of five checks; "
        f"{more} goldens like these can show one of {margin_text(stratum.margin)}"
    )


def _damage_reason(seen: CheckEvidence) -> str:
    damage = seen.hard[-1]
    chance = never_seen_chance(seen.design.baseline.trials, max(1, seen.trials))
    main = [line for line in seen.design.baseline.lines if damage.code in line.hard]
    if main:
        history = f"in the baseline {len(main)} other goldens had it"
    else:
        trials = f"{seen.design.baseline.trials:,} trials of the baseline"
        history = f"it never occurred in {trials}; chance at most {percent(chance, 1)}"
    return f"{damage.golden} had {damage.code} in {damage.often} ({history})"
