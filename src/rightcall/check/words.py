"""A check's verdict in words: what was shown, with which confidence, what qualifies it, and what would decide it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from rightcall.check.reach import Reach
from rightcall.core.text import hundredths, margin_text, percent, pluralize, points
from rightcall.decide.check_result import AlarmConfirmation, FreshTrials
from rightcall.decide.check_rule import Decided, StratumState, settles_at_best
from rightcall.decide.check_settings import CheckSettings, Stratum
from rightcall.decide.input_change import ComparedInputs, InputChange
from rightcall.decide.small_suite import MOVED
from rightcall.files.revision import base_commit, commits_between
from rightcall.run.agent_sources import Ownership
from rightcall.run.baseline_file import BaselinePool
from rightcall.run.plan import Plan
from rightcall.run.run_record import major, minor_changes

MOST_NAMED = 3


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
    return compared.edits or "nothing that this agent reads has changed"


def reason_words(
    decided: Decided, states: Sequence[StratumState], confirm: AlarmConfirmation | None = None
) -> str:
    """Why the verdict on many goldens is what it is, as one line."""
    alarm = confirmation_words(confirm)
    if decided.word == "WORSE":
        return f"{_worse(states, decided)}{f'; {alarm}' if alarm else ''}"
    evidence = _fine(states) if decided.word == "PASS" else _open(states)
    return "; ".join(filter(None, [evidence, alarm]))


def _fine(states: Sequence[StratumState]) -> str:
    parts = []
    for state in states:
        which = "it can affect" if state.name == "affected" else "others" if len(states) > 1 else ""
        sampled = f" ({state.run:,} sampled)" if state.run < state.goldens else ""
        goldens = f"{state.goldens:,} others" if which == "others" else pluralize(state.goldens, "golden")
        affected = f" {which}" if which == "it can affect" else ""
        parts.append(f"{goldens}{affected} are not worse by {margin_text(state.margin)}{sampled}")
    return ", ".join(parts)


def _worse(states: Sequence[StratumState], decided: Decided) -> str:
    worst = max(
        states, key=lambda s: s.e_worse if decided.cause == "worse" else -(s.p if s.p is not None else 1.0)
    )
    which = _which(worst, states, "goldens it can affect")
    difference = 0.0 if worst.difference is None else worst.difference
    small = " (by less than the margin)" if -difference < worst.margin else ""
    return f"{worst.goldens:,} {which} pass {hundredths(abs(difference), '.0f')} points less often{small}"


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
            parts.append(f"the {which} differ by {points(state.difference, 0)}{low}")
    return "; ".join(parts) or "too few answers arrived"


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
        return "add goldens, or save more baseline trials on the main branch"
    if too_small:
        return "run everything: rightcall check --full"
    return (
        "more baseline trials would help: run the suite again on the main branch, where results of equal inputs are "
        "pooled; or run everything: rightcall check --full"
    )


def never_seen_chance(history: int, now: int) -> float:
    """The probability that a code that is equally frequent on main never occurred in its trials, but occurred now."""
    return (history / (history + now)) ** (history / now) * now / (history + now) if now and history else 1.0


OLD_DAYS = 14
TOO_OLD_DAYS = 30
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
    if strata and all(all(len(scores) == 1 for scores in stratum.before.values()) for stratum in strata):
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
        draw = f"by {pluralize(confirm.pairs, 'trial')} more"
        return f"confirmed {draw}" if confirm.confirmed else f"a first suspicion was not confirmed {draw}"
    goldens = pluralize(len(confirm.goldens), "golden")
    counts = f"{_pass_count(confirm.base)} pass before the change, {_pass_count(confirm.candidate)} after it"
    if confirm.confirmed:
        return f"in fresh trials of {goldens} {counts}"
    words = f"a first suspicion of {goldens} was not confirmed: {counts}"
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
        notes.append(f"the version before the change cannot be run: {confirm.problem}")
    if confirm.cut_short:
        notes.append(
            f"the budget of calls ended the confirmation after {pluralize(confirm.pairs, 'pair')} of trials"
            if confirm.mode == "base"
            else "the budget of calls ended the second draw"
        )
    return notes


def _pass_count(fresh: FreshTrials | None) -> str:
    return "not run" if fresh is None else f"{fresh.passed:g} of {fresh.trials}"
