"""Trials without an answer in a check: which hosts were silent, and what is known without them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rightcall.core.text import one_line, pluralize
from rightcall.model.run import CaseResult


def only_silence(results: Mapping[str, Sequence[CaseResult]]) -> bool:
    """Whether everything that did not pass is a trial without an answer."""
    return not any(trial.judged and not trial.passed for trials in results.values() for trial in trials)


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
    errors = [trial.error for trials in results.values() for trial in trials if trial.error]
    known = [host for host in _silent_hosts(results) if host in services]
    notes = [one_line(errors[0], 300)]
    notes += [f"on main {', '.join(known)} answered"] if known else []
    passed = sum(all(trial.passed for trial in trials) for trials in results.values())
    return [*notes, f"no verdict about this change; {pluralize(passed, 'golden')} passed"]


def _silent_hosts(results: Mapping[str, Sequence[CaseResult]]) -> list[str]:
    trials = [trial.trajectory for trials in results.values() for trial in trials if trial.error]
    return sorted({trajectory.unreached for trajectory in trials if trajectory and trajectory.unreached})
