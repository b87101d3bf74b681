"""Goldens that may be wrong themselves: every trial makes the same other call, and the request supports it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rightcall.analysis.argument_kind import is_held, plain_value
from rightcall.analysis.symptom import Symptom, SymptomRequest, enum_of

if TYPE_CHECKING:
    from rightcall.analysis.evidence import Evidence, FailedTrial
    from rightcall.model.failure import Failure

MORE_COVER = 0.1


class ObservedBehaviour(NamedTuple):
    """What an agent does instead of what a golden expects, comparable between runs."""

    wanted: str
    called: str
    values: tuple[tuple[str, str, str], ...] = ()


def behaviour_of(symptom: Symptom, trial: FailedTrial) -> ObservedBehaviour | None:
    """The wrong call of a trial; None where nothing was called or a tool failed in between."""
    if symptom.group == "miss" and symptom.called:
        return ObservedBehaviour(symptom.tool, symptom.called)
    if symptom.group != "arguments" or any(bad.kind in ("missing", "extra") for bad in symptom.arguments):
        return None
    names = {bad.parameter for bad in symptom.arguments}
    values = {
        _value(f)
        for f in trial.codes
        if f.tool == symptom.tool and f.parameter in names and f.code != "schema_violation"
    }
    return ObservedBehaviour(symptom.tool, symptom.tool, tuple(sorted(values))) if values else None


def words_side_with(
    behaviour: ObservedBehaviour,
    trials: Sequence[FailedTrial],
    said: Sequence[str],
    request: SymptomRequest,
    evidence: Evidence,
) -> bool:
    """Whether the request supports the call and not the golden. `trials` are those that failed."""
    if behaviour.called != behaviour.wanted:
        covered = evidence.wording.cover(said, behaviour.called)
        return covered >= evidence.wording.cover(said, behaviour.wanted) + MORE_COVER
    failures = {_value(f): f for trial in trials for f in trial.codes}
    return all(
        value in failures and _value_sides(failures[value], request, evidence) for value in behaviour.values
    )


def _value_sides(failure: Failure, request: SymptomRequest, evidence: Evidence) -> bool:
    wanted, given = plain_value(failure.expected), failure.actual
    enum = enum_of(evidence.by_name.get(failure.tool), failure.parameter)
    if enum:
        return wanted in enum and given in enum
    return is_held(given, request.words) and not is_held(wanted, request.words)


def _value(failure: Failure) -> tuple[str, str, str]:
    return failure.parameter, _shown(plain_value(failure.expected)), _shown(failure.actual)


def _shown(value: Any) -> str:
    return repr(value)[:120]
