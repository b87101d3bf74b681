"""Goldens that may be wrong themselves: every trial makes the same other call, and the request supports it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rightcall.improve.argument_kind import is_held, is_stated, plain_value, stated_values
from rightcall.improve.counters import Case, FailedTrial, GoldenTrials
from rightcall.improve.golden_facts import all_words, expected_tools, name_tools
from rightcall.improve.symptom import Symptom, SymptomRequest, enum_of, symptom_of
from rightcall.lint.confusability.word_use import Wording
from rightcall.model.tool import Tool

if TYPE_CHECKING:
    from rightcall.improve.evidence import Evidence
    from rightcall.model.failure import Failure

MORE_COVER, PLAINLY_MORE_COVER = 0.1, 0.3
MOST_ALIKE = 0.34
STEADY = 2 / 3
FEWEST_SEEN = 2


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


def behaviours_of(tools: Sequence[Tool], trials: Iterable[GoldenTrials]) -> dict[str, ObservedBehaviour]:
    """What a run does instead of what its goldens expect; the called tool is "" where it does as expected."""
    by_name = {tool.name: tool for tool in tools}
    wording = Wording(tools)
    behaviours: dict[str, ObservedBehaviour] = {}
    for trials_of_golden in trials:
        golden = trials_of_golden.golden
        calls = expected_tools(golden, by_name)
        request = SymptomRequest(all_words(golden, ""), [(call.tools[0], call.args) for call in calls])
        seen: Counter[ObservedBehaviour] = Counter()
        for trial in trials_of_golden.failed:
            failures = name_tools(trial.codes, calls, wording.likeness)
            symptom, _ = symptom_of(failures, trial.calls, request, by_name)
            if (behaviour := behaviour_of(symptom, trial)) is not None:
                seen[behaviour] += 1
        best = min(seen.items(), key=lambda item: (-item[1], repr(item[0])), default=None)
        steady = best is not None and best[1] >= STEADY * trials_of_golden.judged
        behaviours[golden.id] = best[0] if best and steady else ObservedBehaviour("", "")
    return behaviours


def find_suspect(
    trials: GoldenTrials,
    behaviours: Mapping[ObservedBehaviour, int],
    words: Sequence[str],
    request: SymptomRequest,
    evidence: Evidence,
) -> ObservedBehaviour | None:
    """The same wrong call that is made in a golden's trials again and again, in every run given; else None."""
    if not behaviours:
        return None
    behaviour, times = min(behaviours.items(), key=lambda item: (-item[1], repr(item[0])))
    agreeing = sum(other.get(trials.golden.id) == behaviour for other in evidence.others)
    compared_runs = sum(trials.golden.id in other for other in evidence.others)
    steady = (
        times >= STEADY * trials.judged
        and agreeing >= STEADY * (compared_runs + 1) - 1
        and (agreeing > 0 or not compared_runs)
    )
    seen_again = times + agreeing >= FEWEST_SEEN
    if not steady or not words_side_with(
        behaviour, trials.failed, words, request, evidence, plainly=not seen_again
    ):
        return None
    return behaviour


def settle_suspects(evidence: Evidence) -> None:
    """Drop suspects that are not exceptions: a third of their tool's other goldens fail in the same way."""
    alike = Counter(_kind_of_behaviour(behaviour) for behaviour in evidence.suspects.values())
    failing: Counter[tuple[Any, ...]] = Counter()
    for case in evidence.cases:
        kinds = {_kind_of_symptom(evidence.seen[number].symptom) for number, _ in case.cells}
        failing.update(kind for kind in kinds if kind is not None)
    dropped = set()
    contradicted: defaultdict[str, set[str]] = defaultdict(set)
    for behaviour in evidence.suspects.values():
        if behaviour.called != behaviour.wanted:
            contradicted[behaviour.called].add(behaviour.wanted)
    for golden_id, behaviour in evidence.suspects.items():
        kind = _kind_of_behaviour(behaviour)
        of_tool = evidence.tool_stats[behaviour.wanted].goldens
        others = failing[kind] - alike[kind]
        if (
            others / max(1, of_tool - alike[kind]) >= MOST_ALIKE
            or alike[kind] > of_tool / 2
            or (behaviour.called != behaviour.wanted and evidence.is_low_cover(behaviour.wanted))
            or (alike[kind] > 1 and not behaviour.values and not evidence.others)  # a pattern of definitions
            or len(contradicted[behaviour.called])
            > 1  # one tool takes the requests of several: its text is broad
            or any(_mostly_unsaid(evidence, behaviour.wanted, name) for name, _, _ in behaviour.values)
        ):
            dropped.add(golden_id)
    for golden_id in dropped:
        del evidence.suspects[golden_id]
    for at, case in enumerate(evidence.cases):
        if case.suspect and case.id in dropped:
            evidence.cases[at] = _without_suspicion(evidence, case)


def _mostly_unsaid(evidence: Evidence, tool: str, parameter: str) -> bool:
    """Whether most requests do not contain the value of a parameter: then none of its goldens is an exception."""
    stats = evidence.parameters[tool, parameter]
    return 2 * stats.lacking_trials >= stats.expected


def _kind_of_behaviour(behaviour: ObservedBehaviour) -> tuple[Any, ...]:
    return *behaviour[:2], tuple(sorted(name for name, _, _ in behaviour.values))


def _kind_of_symptom(symptom: Symptom) -> tuple[Any, ...] | None:
    if symptom.group == "miss":
        return symptom.tool, symptom.called, ()
    if symptom.group == "arguments":
        return symptom.tool, symptom.tool, tuple(bad.parameter for bad in symptom.arguments)
    return None


def _without_suspicion(evidence: Evidence, case: Case) -> Case:
    cells = []
    for number, count in case.cells:
        old = evidence.seen[number]
        fresh = evidence.seen[new := evidence.number(old.symptom, False, old.negative)]
        for seen, sign in ((old, -1), (fresh, 1)):
            seen.trials += sign * count
            seen.share += sign * count / case.trials
            seen.goldens += sign
        cells.append((new, count))
    return case._replace(cells=tuple(cells), suspect=False)


def words_side_with(
    behaviour: ObservedBehaviour,
    trials: Sequence[FailedTrial],
    words: Sequence[str],
    request: SymptomRequest,
    evidence: Evidence,
    *,
    plainly: bool = False,
) -> bool:
    """Whether the request supports the call and not the golden. `trials` are those that failed.

    `plainly` is for behaviour that was seen once: the request must say what was done, rather than allow it.
    """
    if behaviour.called != behaviour.wanted:
        covered = evidence.wording.cover(words, behaviour.called)
        more = PLAINLY_MORE_COVER if plainly else MORE_COVER
        return covered >= evidence.wording.cover(words, behaviour.wanted) + more
    failures = {_value(f): f for trial in trials for f in trial.codes}
    return all(
        value in failures and _value_sides(failures[value], request, evidence, plainly)
        for value in behaviour.values
    )


def _value_sides(failure: Failure, request: SymptomRequest, evidence: Evidence, plainly: bool) -> bool:
    actual, values = failure.actual, stated_values(failure.expected)
    enum = enum_of(evidence.by_name.get(failure.tool), failure.parameter)
    if enum:
        text = str(evidence.schema(failure.tool, failure.parameter).get("description", ""))
        said = _is_meant(actual, text, request.words)
        expected_said = any(_is_meant(value, text, request.words) for value in values)
        sides = bool(values) and actual in enum and all(value in enum for value in values)
        return sides and (not plainly or (said and not expected_said))
    return is_held(actual, request.words) and not is_stated(failure.expected, request.words)


def _is_meant(value: Any, description: str, words: str) -> bool:
    """Whether a request contains a value of an enum, or the words by which the description explains it."""
    meaning = re.search(rf"(?<!\w){re.escape(str(value))}\s*[:=]\s*([^;,()]+)", description)
    return is_held(value, words) or (meaning is not None and is_held(meaning[1].strip(), words))


def _value(failure: Failure) -> tuple[str, str, str]:
    return failure.parameter, _value_text(plain_value(failure.expected)), _value_text(failure.actual)


def _value_text(value: Any) -> str:
    return repr(value)[:120]
