"""Trials without an answer in a check: which hosts were silent, and what is known without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from rightcall.core.text import one_line, pluralize
from rightcall.decide.check_rule import CheckWord
from rightcall.records.run import CaseResult

MOST_ERRORS = 0.05
"""Share of trials without an answer from which nothing else is said."""


def too_silent(word: CheckWord, errors: int, spent: int, results: Mapping[str, Sequence[CaseResult]]) -> bool:
    """Whether trials without an answer leave no verdict: too many, or nothing else stands in the way of a PASS."""
    others = any(any(trial.judged and not trial.passed for trial in trials) for trials in results.values())
    return errors > MOST_ERRORS * spent or bool(errors and word != "PASS" and not others)


def silence_words(results: Mapping[str, Sequence[CaseResult]]) -> str:
    """How many goldens got no answer, and which hosts were silent, as far as that is known."""
    silent = [golden for golden, trials in results.items() if any(trial.error for trial in trials)]
    hosts = ", ".join(_silent_hosts(results))
    return (
        f"{len(silent):,} of {pluralize(len(results), 'golden')} could not run: no answer"
        f"{f' from {hosts}' if hosts else ''}"
    )


def silence_notes(results: Mapping[str, Sequence[CaseResult]], services: Sequence[str]) -> list[str]:
    """What the first silent trial said, whether main was answered, and what is known without an answer."""
    errors = [trial.error for trial in chain.from_iterable(results.values()) if trial.error]
    if not errors:
        return []
    known = [host for host in _silent_hosts(results) if host in services]
    notes = [one_line(errors[0], 300)]
    notes += [f"on main {', '.join(known)} answered"] if known else []
    passed = sum(all(trial.passed for trial in trials) for trials in results.values())
    return [*notes, f"no verdict about this change; {pluralize(passed, 'golden')} passed"]


def _silent_hosts(results: Mapping[str, Sequence[CaseResult]]) -> list[str]:
    trials = [trial.trajectory for trial in chain.from_iterable(results.values()) if trial.error]
    return sorted({trajectory.unreached for trajectory in trials if trajectory and trajectory.unreached})
