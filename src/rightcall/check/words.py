"""A check's verdict in words: what was shown, with which confidence, what qualifies it, and what would decide it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from rightcall.check.reach import Reach
from rightcall.core.text import hundredths, margin_text, percent, pluralize, points
from rightcall.decide.check_result import AlarmConfirmation, ComparedInputs, FreshTrials
from rightcall.decide.check_rule import Decided, StratumState, settles_at_best
from rightcall.decide.check_settings import CHECKS, CheckSettings, Stratum
from rightcall.decide.input_change import InputChange
from rightcall.files.revision import base_commit, commits_between
from rightcall.run.agent_sources import Ownership
from rightcall.run.baseline_file import BaselinePool
from rightcall.run.plan import Plan
from rightcall.run.run_record import major, minor_changes

MOST_NAMED = 3
MOVED = 0.01
"""The p-value at which the base's fresh trials differ from its own baseline."""


def change_words(changes: Sequence[InputChange]) -> str:
    """The changes in a few words; the start of every sentence."""
    descriptions = [
        change.name if change.kind == "tool_changed" else change.words for change in changes[:MOST_NAMED]
    ]
    more = f" and {len(changes) - MOST_NAMED} more" if len(changes) > MOST_NAMED else ""
    last = changes[0 if more else -1]  # what the verb is about
    return ", ".join(descriptions) + more + (" changed" if last.kind == "tool_changed" else "")


def words_for_untouched(ownership: Ownership, compared: ComparedInputs) -> str:
    """Why nothing has to be run: what was compared, and that it is equal."""
    if ownership == "owned":
        return "nothing that reaches the model has changed"
    unchanged = "nothing that the agent reads in this project has changed"
    return "; ".join(filter(None, [unchanged, compared.words, "ran 0"]))


def reason_words(
    decided: Decided,
    states: Sequence[StratumState],
    settings: CheckSettings,
    what: str,
    confirm: AlarmConfirmation | None = None,
) -> str:
    """Why the verdict is what it is, as one line."""
    alarm = confirmation_words(confirm)
    if decided.word == "REGRESSED":
        return f"{what}; {_worse(states, decided, settings, alarm)}"
    evidence = _fine(states, settings) if decided.word == "PASS" else _open(states)
    return "; ".join(filter(None, [what, evidence, alarm]))


def _fine(states: Sequence[StratumState], settings: CheckSettings) -> str:
    confidence = f"with {hundredths(1 - settings.beta)}% confidence"
    parts = []
    for state in states:
        margin = margin_text(state.margin)
        if state.name == "affected":
            parts.append(f"{pluralize(state.goldens, 'golden')} it can affect are not worse by {margin}")
        else:
            others = "others" if len(states) > 1 else "goldens"
            sampled = f" ({state.run:,} sampled)" if state.run < state.goldens else ""
            parts.append(f"{state.goldens:,} {others} are not worse by {margin}{sampled}")
    return f"{', '.join(parts)}{', each' if len(parts) > 1 else ''} {confidence}"


def _worse(states: Sequence[StratumState], decided: Decided, settings: CheckSettings, confirmed: str) -> str:
    worst = max(
        states, key=lambda s: s.e_worse if decided.cause == "worse" else -(s.p if s.p is not None else 1.0)
    )
    which = _which(worst, states, "goldens it can affect")
    difference = 0.0 if worst.difference is None else worst.difference
    small = " (by less than the margin)" if -difference < worst.margin else ""
    if confirmed:
        sure = confirmed
    elif decided.cause == "worse":
        sure = f"the evidence is {worst.e_worse:,.0f} to 1"
    else:
        sure = f"chance alone does that in {max(worst.p or 0.0, 1e-9):.2g} of checks"
    asked = pluralize(worst.run, "trial")
    less = f"{hundredths(abs(difference), '.0f')} points less often{small}"
    return f"{worst.goldens:,} {which} pass {less} in {asked}; {sure}"


def _which(state: StratumState, states: Sequence[StratumState], affected: str) -> str:
    if state.name == "affected":
        return affected
    return "other goldens" if len(states) > 1 else "goldens"


def _open(states: Sequence[StratumState]) -> str:
    parts = []
    for state in states:
        if state.settled_after is None and state.difference is not None:
            which = _which(state, states, "affected goldens")
            worse = state.low is not None and state.low < 0
            low = f", possibly {hundredths(-(state.low or 0.0), '.0f')} worse" if worse else ""
            parts.append(
                f"the {which} differ by {points(state.difference, 0)}{low} (margin {hundredths(state.margin)})"
            )
    return "; ".join(parts) or "too few answers arrived"


def risk_words(
    settings: CheckSettings,
    confirm: AlarmConfirmation | None,
    states: Sequence[StratumState],
    spent: int,
    full: int,
) -> str:
    """The risk of the verdict and its cost."""
    cost = f"{spent:,} of {full:,} calls" if spent <= full else f"{spent:,} calls, {full:,} in a full run"
    risk = f"{cost}. {regressed_risk_words(settings, confirm)}"
    if any(state.name == "rest" and state.run < state.goldens for state in states):
        risk += " A change confined to a few of the others is detected only by a full run."
    return risk


def hint_words(decided: Decided, *, too_small: bool, everything: bool, moved: bool = False) -> str:
    """What to do next.

    `too_small`: a stratum could not settle its margin whatever its trials show. `moved`: the version before the change
    passes less often than in its baseline, too.
    """
    if moved:
        return "save a new baseline: run the suite on the main branch, then check again"
    if decided.word != "INCONCLUSIVE":
        return ""
    if everything:
        return (
            "everything was tried: add goldens, or more baseline trials on the main branch; "
            "`check: {on_inconclusive: pass}` in the suite lets such changes through"
        )
    if too_small:
        return "run everything: rightcall check --full"
    return (
        "more baseline trials would help: run the suite again on the main branch, where results of equal inputs are "
        "pooled; or run everything: rightcall check --full"
    )


def never_seen_chance(history: int, now: int) -> float:
    """The probability that a code that is equally frequent on main never occurred in its trials, but occurred now."""
    return (history / (history + now)) ** (history / now) * now / (history + now) if now and history else 1.0


OLD_DAYS, TOO_OLD_DAYS = 14, 30
MOST_UNKNOWN = 0.2
"""Share of goldens without a baseline above which it says too little of the suite."""


def why_everything(baseline: BaselinePool, reach: Reach, goldens: int, full: bool) -> str:
    """Why a sample is not enough; "" when it is."""
    if full:
        return "--full was passed"
    unknown = len(reach.new) / max(1, goldens)
    if unknown > MOST_UNKNOWN:
        return f"{percent(unknown, 0)} of the goldens are not in the baseline or were edited since"
    age = baseline.header.age_days()
    if age > TOO_OLD_DAYS:
        return f"the baseline is {age:.0f} days old"
    made_with = baseline.header.versions.get("rightcall", "")
    if made_with and major(made_with) != major(version("rightcall")):
        return f"the baseline was made with RightCall {made_with}"
    return ""


def why_more_trials(once: list[Stratum], full: list[Stratum], settings: CheckSettings) -> str:
    """Why goldens that are all tried are tried as often as in the baseline; "" when once is enough."""
    for sampled, more in zip(once, full, strict=True):
        whole = sampled.name == "rest" and sum(map(len, sampled.order)) == sampled.goldens
        if whole and not settles_at_best(sampled, settings.beta) and settles_at_best(more, settings.beta):
            return (
                f"{sampled.goldens} goldens tried once cannot settle a margin of {percent(sampled.margin, 0)}"
            )
    return ""


def notes_of(
    plan: Plan,
    baseline: BaselinePool,
    strata: list[Stratum],
    reach: Reach,
    folder: Path,
    versions: Mapping[str, str],
) -> list[str]:
    """Notes that qualify the verdict. `versions` that changed a little do not show in the requests."""
    notes = []
    age = baseline.header.age_days()
    if age > OLD_DAYS:
        notes.append(f"the baseline is {age:.0f} days old; save a new one on the main branch")
    for stratum in strata:
        if not settles_at_best(stratum):
            notes.append(_too_small(stratum))
    if strata and all(len(scores) == 1 for stratum in strata for scores in stratum.before.values()):
        notes.append(
            "the baseline has one trial per golden, which is weak evidence; run the suite again on the main branch: "
            "trials with equal inputs are pooled"
        )
    if reach.quarantined:
        notes.append(
            f"{len(reach.quarantined)} quarantined goldens are not tried: {', '.join(reach.quarantined[:5])}"
        )
    base = base_commit(folder) if baseline.header.commit else ""
    behind = commits_between(folder, baseline.header.commit, base) if base else None
    if behind:
        notes.append(
            f"the baseline is {pluralize(behind, 'commit')} behind the base: their changes are tested with yours"
        )
    if newer := minor_changes(baseline.header.versions, versions):
        notes.append(f"since the baseline: {', '.join(newer)}")
    if unchecked := sum(not plan.scorer.checks(golden) for golden in plan.in_dataset_order()):
        notes.append(f"{pluralize(unchecked, 'golden')} without a check not tried")
    return notes


def _too_small(stratum: Stratum) -> str:
    needed = math.ceil(math.log(0.025) / math.log(1 - stratum.margin))
    goldens = len(stratum.order)
    if stratum.name == "affected" and goldens:
        trials = math.ceil(40 / goldens)
        return (
            f"{goldens} affected goldens × {stratum.rounds} = {stratum.pairs} pairs cannot settle a margin of "
            f"{percent(stratum.margin, 0)} ({needed} are needed); {trials} baseline trials give {goldens * trials}"
        )
    tried = f"{goldens} goldens × {stratum.rounds} trials" if stratum.rounds > 1 else f"{goldens} goldens"
    return f"{tried} cannot settle a margin of {percent(stratum.margin, 0)}: {needed} are needed"


def confirmation_words(confirm: AlarmConfirmation | None) -> str:
    """What came of an alarm; "" when there was none."""
    if confirm is None or not confirm.alarm:
        return ""
    if confirm.mode == "candidate":
        draw = f"by a second draw ({pluralize(confirm.pairs, 'trial')})"
        return f"confirmed {draw}" if confirm.confirmed else f"first alarm not confirmed {draw}"
    goldens = pluralize(len(confirm.goldens), "golden")
    counts = f"base {_pass_count(confirm.base)}, candidate {_pass_count(confirm.candidate)}"
    if confirm.confirmed:
        return (
            f"confirmed by fresh trials of {goldens}: {counts}, the evidence is {confirm.evidence:,.0f} to 1"
        )
    words = f"first alarm not confirmed: {goldens}, {counts}"
    return f"{words}; main moved too: save a new baseline" if base_moved(confirm) else words


def base_moved(confirm: AlarmConfirmation | None) -> bool:
    """Whether the base passes less often than in its own baseline, so that the change is not to blame."""
    return (
        confirm is not None and not confirm.confirmed and confirm.moved is not None and confirm.moved <= MOVED
    )


def notes_on_confirmation(confirm: AlarmConfirmation | None) -> list[str]:
    """Why the base version was not run, and that a confirmation was cut short."""
    if confirm is None:
        return []
    notes = []
    if confirm.problem and confirm.mode == "candidate":
        notes.append(f"an alarm is confirmed by a second draw of this version alone: {confirm.problem}")
    if confirm.cut_short:
        notes.append(
            f"the budget of calls ended the confirmation after {pluralize(confirm.pairs, 'pair')} of trials"
            if confirm.mode == "base"
            else "the budget of calls ended the second draw"
        )
    return notes


def regressed_risk_words(settings: CheckSettings, confirm: AlarmConfirmation | None) -> str:
    """How often REGRESSED comes without a change."""
    if confirm is not None and confirm.mode == "base":
        return f"If nothing had changed, REGRESSED would occur in at most 1 of {CHECKS} checks."
    alpha = f"{hundredths(settings.alpha)} of 100 checks"
    if confirm is None:
        return f"If nothing had changed, REGRESSED would occur in at most {alpha}."
    return (
        f"If nothing had changed, an alarm would occur in at most {alpha}, and a second draw has to confirm it; both "
        "draws share the baseline, so the product of their risks is not a bound."
    )


def _pass_count(fresh: FreshTrials | None) -> str:
    return "not run" if fresh is None else f"{fresh.passed:g} of {fresh.trials}"
