"""Attacks on a run as they are shown everywhere: one sentence, one table, the rates, what was not tested, each hit."""

from __future__ import annotations

from collections import Counter

from rightcall.core.text import percent, percent_interval
from rightcall.decide.safety_numbers import (
    FamilyRow,
    SafetyNumbers,
    SafetyTally,
    outcome_of_result,
)
from rightcall.decide.safety_rate import SafetyRate
from rightcall.metrics.matching.reasons import call_text
from rightcall.metrics.safety.delivery import refusals
from rightcall.model.golden import AnyGolden
from rightcall.model.record import Record
from rightcall.model.run import CaseResult
from rightcall.model.safety import AttackOutcome, Safety
from rightcall.show.view.attack_search import SearchView
from rightcall.show.view.owasp import RiskLine, risk_lines

MOST_HITS = 20
COLUMNS = ("family", "attempts", "delivered", "tried", "done", "complete", "ASR", "upper bound")
GUARDS = {
    "send_to_attacker": "to", "exfiltrate": "secret", "pay_attacker": "to", "destroy": "destroy", "grant": "to",
    "execute": "pick", "change_setting": "asked", "visit": "to", "tamper_argument": "to", "use_identity": "pick",
}  # fmt: skip
"""The rule of `guard: auto` that a goal meets first."""


class HitView(Record, frozen=True):
    """One attack that moved the agent, for a person."""

    golden_id: str
    trial: int
    family: str
    goal: str
    template: str
    where: str
    planted: str
    call: str
    argument: str
    form: str
    step: int | None
    reached: str
    lint: str
    guard: str


class SafetyView(Record, frozen=True):
    """Everything that is shown of the attacks of a run."""

    sentence: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    facts: tuple[tuple[str, str], ...]
    risks: tuple[RiskLine, ...]
    not_run: tuple[tuple[str, int], ...]
    hits: tuple[HitView, ...]
    more_hits: int
    numbers: SafetyNumbers
    search: SearchView | None = None
    """The adaptive search, apart from all of the above."""


class SafetyViewTally:
    """Takes each case of a run once."""

    def __init__(self) -> None:
        self._tally, self._hits, self._count = SafetyTally(), list[HitView](), 0
        self._not_run: Counter[str] = Counter()
        self.used = False

    def add(self, golden: AnyGolden | None, result: CaseResult) -> None:
        safety = golden.safety if golden is not None else None
        outcome = outcome_of_result(result)
        self.used = self.used or safety is not None or outcome is not None
        self._tally.add(result, attack=safety is not None and safety.is_attack)
        if outcome is None or outcome.twin is not None:
            return
        if not outcome.delivered:
            self._not_run[_why_not(result)] += 1
        if outcome.tried:
            self._count += 1
            if len(self._hits) < MOST_HITS and safety is not None:
                self._hits.append(_hit(safety, result, outcome))

    def view(self) -> SafetyView | None:
        numbers = self._tally.numbers() if self.used else None
        if numbers is None:
            return None
        return SafetyView(
            safety_sentence(numbers),
            COLUMNS,
            tuple(_row(row) for row in numbers.families),
            tuple(_facts(numbers)),
            risk_lines(numbers),
            tuple(self._not_run.most_common(10)),
            tuple(self._hits),
            self._count - len(self._hits),
            numbers,
        )


def safety_sentence(numbers: SafetyNumbers) -> str:
    """The one sentence about attacks; it never sounds better than what was seen."""
    if not numbers.delivered:
        return f"None of {numbers.attempts:,} attacks was delivered: nothing is known about how the agent resists them."
    sentence = f"{numbers.asr.count:,} of {numbers.delivered:,} delivered attacks moved the agent"
    if numbers.asr.upper is not None and numbers.asr.upper < 1:
        sentence += f"; with 95 % confidence fewer than {percent(numbers.asr.upper)} of such attacks do"
        if numbers.asr_goldens.upper is not None and numbers.asr_goldens.upper < 1:
            sentence += f" (for new tasks of users: {percent(numbers.asr_goldens.upper)})"
    return f"{sentence}. Static attacks: a lower bound."


def rate_text(rate: SafetyRate) -> str:
    """A rate with its interval; a count where too little was seen."""
    if rate.value is None or rate.low is None or rate.high is None:
        return f"{rate.count:,} of {rate.n:,}" if rate.n else "–"
    return f"{percent(rate.value)} {percent_interval(rate.low, rate.high)} ({rate.count:,} of {rate.n:,})"


def _row(row: FamilyRow) -> tuple[str, ...]:
    shown = "–" if row.asr.value is None else percent(row.asr.value)
    upper = "–" if row.asr.upper is None else percent(row.asr.upper)
    counts = (row.attempts, row.delivered, row.tried, row.done, row.complete)
    return (row.name, *(f"{number:,}" for number in counts), shown, upper)


def _facts(numbers: SafetyNumbers) -> list[tuple[str, str]]:
    facts = [
        ("ASR: tried", rate_text(numbers.asr)),
        ("over-refusal", rate_text(numbers.over_refusal)),
        ("ASR: done", rate_text(numbers.asr_done)),
        ("ASR: complete", rate_text(numbers.asr_complete)),
        ("ASR: complete, of all attempts", rate_text(numbers.asr_all)),
        ("ASR: any template, by task and goal", rate_text(numbers.asr_any)),
        ("utility without attacks", rate_text(numbers.utility)),
        ("utility under attack", rate_text(numbers.utility_under_attack)),
        ("safe utility", rate_text(numbers.safe_utility)),
        ("utility kept", rate_text(numbers.utility_kept)),
        ("neutral loss", rate_text(numbers.neutral_loss)),
        ("leak rate, a lower bound", rate_text(numbers.leak_rate)),
        ("guarded effects confirmed", rate_text(numbers.confirmation_rate)),
        ("effects outside the request", rate_text(numbers.scope_rate)),
        ("another user's id", rate_text(numbers.cross_user_rate)),
    ]
    if numbers.amplification is not None and numbers.worst_amplification is not None:
        facts.append(
            ("amplification", f"median {numbers.amplification:.2g}, worst {numbers.worst_amplification:.2g}")
        )
    if numbers.refused_at_load:
        facts.append(("a linter would refuse at load", f"{numbers.refused_at_load:,} attempts"))
    if numbers.errors:
        facts.append(("errors, in no rate", f"{numbers.errors:,}"))
    return facts


def _why_not(result: CaseResult) -> str:
    reasons = refusals(result.trajectory) if result.trajectory is not None else ()
    return reasons[0] if reasons else "the agent did not read the carrier"


def _hit(safety: Safety, result: CaseResult, outcome: AttackOutcome) -> HitView:
    plant = next((plant for plant in reversed(safety.plants) if plant.canary is None), None)
    calls = result.trajectory.calls if result.trajectory is not None else ()
    call = calls[outcome.call] if outcome.call is not None and outcome.call < len(calls) else None
    reached = "complete" if outcome.complete else "done" if outcome.done else "tried, and stopped or refused"
    return HitView(
        result.golden_id,
        result.trial,
        outcome.family,
        outcome.goal,
        outcome.template,
        f"{plant.carrier}{f' of {plant.tool}' if plant.tool else ''}" if plant else "",
        plant.text if plant else "",
        call_text(call.name, call.arguments) if call is not None else "",
        outcome.argument,
        outcome.form,
        call.step + 1 if call is not None and call.step is not None else None,
        reached,
        ", ".join(safety.lint),
        GUARDS.get(outcome.goal, ""),
    )
