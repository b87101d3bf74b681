"""An alarm and its confirmation in words."""

from __future__ import annotations

from rightcall.core.text import hundredths, pluralize
from rightcall.decide.check_result import AlarmConfirmation, FreshTrials
from rightcall.decide.check_settings import CheckSettings

MOVED = 0.01
"""The p-value at which the base's fresh trials differ from its own baseline."""


def confirmation_words(confirm: AlarmConfirmation | None) -> str:
    """What came of an alarm; "" when there was none."""
    if confirm is None or not confirm.alarm:
        return ""
    if confirm.mode == "candidate":
        draw = f"by a second draw ({pluralize(confirm.pairs, 'trial')})"
        return f"confirmed {draw}" if confirm.confirmed else f"first alarm not confirmed {draw}"
    goldens = pluralize(len(confirm.goldens), "golden")
    counts = f"base {_passed(confirm.base)}, candidate {_passed(confirm.candidate)}"
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
        often = f"{settings.false_alarms:g} of {pluralize(settings.checks, 'check')}"
        return f"If nothing had changed, REGRESSED would occur in at most {often}."
    alpha = f"{hundredths(settings.alpha)} of 100 checks"
    if confirm is None:
        return f"If nothing had changed, REGRESSED would occur in at most {alpha}."
    return (
        f"If nothing had changed, an alarm would occur in at most {alpha}, and a second draw has to confirm it; both "
        "draws share the baseline, so the product of their risks is no bound."
    )


def _passed(fresh: FreshTrials | None) -> str:
    return "not run" if fresh is None else f"{fresh.passed:g} of {fresh.trials}"
