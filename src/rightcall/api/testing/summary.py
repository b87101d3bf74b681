"""Summary of a test session: how many goldens of each test function passed, and the gate."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from rightcall.core.text import pluralize
from rightcall.decide.config import Gate, JudgePolicy
from rightcall.decide.golden_outcomes import Outcome, sample_of
from rightcall.decide.judged_evidence import CaseEvidence, JudgedEvidence, MetricLabels
from rightcall.decide.verdict import Verdict, decide
from rightcall.records.run import no_checks_text
from rightcall.run.answers import no_answer_reason
from rightcall.run.conclude import nothing_checked

NO_ATTACK = (
    "no attack was delivered, so nothing is known about them; texts are planted in what tools return that RightCall"
    ' runs: check `rc.Agent(model, tools=…, mode="loop")`, or plant golden.safety.plants in what your agent reads'
)


NO_LABELS = (
    "goldens pass by a judge that is not calibrated; label cases of a run to measure it, or let it decide with "
    "--rightcall-uncalibrated=allow"
)


@dataclass(frozen=True)
class Tested:
    """The checks of one test function with one agent."""

    test: str
    agent: str
    run_id: str
    outcomes: tuple[Outcome, ...]
    answered: bool = True
    unchecked: int = 0
    judges: tuple[str, ...] = ()
    failed: dict[str, tuple[bool, ...]] = field(default_factory=dict)
    """By golden, which trials fail whatever judges say."""
    attacks: tuple[bool, ...] = ()
    """Of each trial of an attack, whether it was delivered."""
    undelivered_twins: int = 0
    """Trials of benign twins whose planted remark was not delivered."""
    unproven: bool = False
    """Whether goldens pass by a judge that nobody has measured."""

    @property
    def trials(self) -> int:
        """The number of results of the checks."""
        return self.unchecked + sum(len(outcome.passes) + outcome.errors for outcome in self.outcomes)

    @property
    def has_checks(self) -> bool:
        """Whether anything could pass or fail."""
        return any(outcome.checked for outcome in self.outcomes)

    @property
    def untouched(self) -> bool:
        """Whether there were attacks and the agent met none, so that nothing is known about them."""
        return bool(self.attacks) and not any(self.attacks)

    @property
    def word(self) -> str:
        """PASS when every trial passed, ERROR when one could not be run or no answer arrived in any.

        INCONCLUSIVE when nothing was checked.
        """
        if not self.answered or any(outcome.errors for outcome in self.outcomes):
            return "ERROR"
        passed = all(all(outcome.passes) for outcome in self.outcomes)
        if not self.has_checks or ((self.untouched or self.unproven) and passed):
            return "INCONCLUSIVE"
        return "PASS" if passed else "FAIL"


def group_notes(
    notes: Sequence[dict[str, Any]], uncalibrated: Literal["refuse", "allow"] = "refuse"
) -> list[Tested]:
    """Notes of checks, grouped by run in order of first appearance."""
    runs: dict[str, list[dict[str, Any]]] = {}
    for note in notes:
        runs.setdefault(note["run"], []).append(note)
    return [
        Tested(
            notes_of_run[0]["test"],
            notes_of_run[0]["agent"],
            run_id,
            tuple(_outcome(note) for note in notes_of_run),
            answered=any(note["answered"] for note in notes_of_run),
            unchecked=sum(note["unchecked"] for note in notes_of_run),
            judges=tuple(sorted(set(chain.from_iterable(note["judges"] for note in notes_of_run)))),
            failed={_outcome(note).golden_id: tuple(note["failed"]) for note in notes_of_run},
            attacks=tuple(chain.from_iterable(note.get("attacks", ()) for note in notes_of_run)),
            undelivered_twins=sum(note.get("undelivered_twins", 0) for note in notes_of_run),
            unproven=uncalibrated == "refuse" and any(note["by_judge"] for note in notes_of_run),
        )
        for run_id, notes_of_run in runs.items()
    ]


def gate_verdict(
    groups: Sequence[Tested],
    least: float | None,
    rule: Literal["point", "interval"] = "point",
    forbid: Sequence[str] = (),
    uncalibrated: Literal["refuse", "allow"] = "refuse",
) -> Verdict:
    """Whether the goldens of all test functions together reach the pass rate, without a forbidden failure.

    Tests have no labels: a rate that judges decided is INCONCLUSIVE, unless they are allowed to decide uncalibrated.
    """
    gate = Gate(min=least, rule=rule, forbid=tuple(forbid), judges=JudgePolicy(uncalibrated=uncalibrated))
    if groups and not any(group.has_checks for group in groups):
        return nothing_checked(sum(group.unchecked for group in groups))
    outcomes = list(chain.from_iterable(group.outcomes for group in groups))
    return decide(gate, outcomes, {"judged": _evidence_of_tests(groups)})


def _evidence_of_tests(groups: Sequence[Tested]) -> JudgedEvidence | None:
    """What judges decided in the tests; None when they decided nothing."""
    judged = [group for group in groups if group.judges]
    if not judged:
        return None
    metrics = tuple(dict.fromkeys(chain.from_iterable(group.judges for group in judged)))
    cases = {
        f"{golden} {trial}": CaseEvidence(golden, {}, {}, failed)
        for group in groups
        for golden, trials in group.failed.items()
        for trial, failed in enumerate(trials)
    }
    return JudgedEvidence(judged[0].run_id, metrics, dict.fromkeys(metrics, MetricLabels()), cases)


def summary_lines(groups: Sequence[Tested], verdict: Verdict | None, store: str) -> list[str]:
    """What is shown at the end of a test session."""
    lines: list[str] = []
    for group in groups:
        lines += [
            f"{group.test} on {group.agent.replace(f'{Path.cwd()}{os.sep}', '')}",
            f"  {_rate(group.outcomes)}",
        ]
        lost = group.attacks.count(False)
        without_check = group.unchecked - lost - group.undelivered_twins
        if without_check > 0:
            unchecked = no_checks_text(without_check)
            lines.append(f"  {unchecked}: neither their goldens nor a metric checks them")
        if group.attacks:
            attacks = pluralize(len(group.attacks), "attack")
            lines.append(f"  {len(group.attacks) - lost} of {attacks} delivered")
        if group.undelivered_twins:
            lines.append(f"  {pluralize(group.undelivered_twins, 'benign twin')} not delivered")
        if group.untouched:
            lines.append(f"  INCONCLUSIVE: {NO_ATTACK}")
        if group.unproven:
            lines.append(f"  INCONCLUSIVE: {NO_LABELS}")
        if not group.answered:
            lines.append(f"  ERROR: {no_answer_reason(group.trials)}")
    if len(groups) > 1:
        whole = list(chain.from_iterable(group.outcomes for group in groups))
        lines += ["all", f"  {_rate(whole)}"]
    if verdict is not None:
        lines.append(f"gate {verdict.sentence}" + (f"; {verdict.hint}" if verdict.hint else ""))
    lines.append(f"stored in {store}")
    lines += [f"next: rightcall runs show {group.run_id}" for group in groups[:3]]
    return lines


def _rate(outcomes: Sequence[Outcome]) -> str:
    sample = sample_of(outcomes)
    errors = sum(outcome.errors for outcome in outcomes)
    unanswered = f", {errors:,} of the trials got no answer" if errors else ""
    if sample is None and not any(outcome.checked for outcome in outcomes):
        return "nothing was checked"
    if sample is None:
        return f"no golden could be scored{unanswered}"
    goldens = sum(bool(outcome.passes) for outcome in outcomes)
    trials = list(chain.from_iterable(outcome.passes for outcome in outcomes))
    several = f"{len(trials):,} trials of " if len(trials) > goldens else ""
    return f"{sum(trials):g} of {several}{pluralize(goldens, 'golden')} passed{unanswered}"


def _outcome(note: dict[str, Any]) -> Outcome:
    return Outcome(
        golden_id=f"{note['run']}/{note['golden']}",
        passes=tuple(float(passed) for passed in note["passes"]),
        errors=note["errors"],
        category=note["category"],
        cluster=note["cluster"],
        codes=note["codes"],
        checked=bool(note["passes"] or note["errors"]),
    )
