"""Which doubts explain failures of a run: whether a golden is wrong, or the definition that agents read.

Doubts say that agents agree on another call. A definition that misleads makes agents agree too: so the request must
support the call and not the golden, and the golden must be an exception among those of its tool.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from rightcall.improve.argument_kind import is_held, is_stated, plain_value, values_of_matcher
from rightcall.improve.call_difference import ArgumentDifference, CallDifference
from rightcall.improve.counters import Case, GoldenTrials
from rightcall.improve.doubt import SuspectGolden
from rightcall.improve.doubt_reasons import against_schema, most_do_otherwise, too_strict
from rightcall.improve.evidence import Evidence
from rightcall.improve.golden_facts import all_words, expected_tools
from rightcall.improve.symptom import Symptom, enum_of
from rightcall.improve.votes import (
    Alternative,
    Ballot,
    ObservedBehaviour,
    Votes,
    attempts_of,
    count_votes,
    voters_of,
)
from rightcall.metrics.matching.base import MISSING
from rightcall.records.tool import Tool

MORE_COVER = 0.1
MOST_ALIKE = 0.34
STEADY = 2 / 3
FEWEST_SEEN = 2


def find_suspect(trials: GoldenTrials, words: Sequence[str], evidence: Evidence) -> ObservedBehaviour | None:
    """Why a golden that fails may be wrong: what its trials do again and again, in every run given; else None."""
    if not trials.failed:
        return None
    golden = trials.golden
    attempts = attempts_of(trials)
    own = count_votes({evidence.voter: attempts}, evidence.toolset)
    ballot: Ballot = {
        **{
            other.voter: other.attempts[golden.id] for other in evidence.others if golden.id in other.attempts
        },
        evidence.voter: attempts,
    }
    votes = count_votes(ballot, evidence.toolset)
    words_read = all_words(golden, evidence.system or "")
    suspect = SuspectGolden(golden, evidence.toolset, words_read, _agreement(votes, own))
    if (reason := next(against_schema(suspect), None)) is not None:
        calls = expected_tools(golden, evidence.by_name_in_order)
        refused = (
            call.tools[0] for call in calls if _refuses(evidence.by_name.get(call.tools[0]), call.args)
        )
        tool = next(refused, calls[0].tools[0] if calls else "")
        return ObservedBehaviour(tool, tool, sentence=reason.sentence)
    behaviour = behaviour_of(suspect.difference)
    agreement = suspect.votes.agreement
    if behaviour is None or agreement is None or not _is_steady(agreement, own):
        return None
    agents = next((other.agents for other in votes.alternatives if other.key == agreement.key), ())
    behaviour = behaviour._replace(agents=len(agents))
    if any(reason.band == "likely" for reason in too_strict(suspect)):
        return behaviour
    if round(own.alternatives[0].share * trials.judged) + votes.n - 1 < FEWEST_SEEN:
        return None  # one answer contradicts nothing
    sides = words_side_with(suspect.difference, words, suspect.words, evidence)
    return behaviour if sides and most_do_otherwise(suspect.votes) else None


def _agreement(votes: Votes, own: Votes) -> Votes:
    """The votes of all agents; those of this one alone where agents of one maker agree, because they share mistakes."""
    if votes.agreement is not None or own.first is None:
        return votes
    first = votes.first
    others_agree = first is not None and first.share >= STEADY and first.key == own.first.key
    return own if votes.n == 1 or others_agree else Votes(votes.n, votes.passing)


def _is_steady(agreement: Alternative, own: Votes) -> bool:
    """Whether this run's own trials mostly do what is agreed on."""
    return own.first is not None and own.first.key == agreement.key and own.first.share >= STEADY


def behaviour_of(difference: CallDifference) -> ObservedBehaviour | None:
    """Another tool, or other values; None where calls or arguments are missing or additional."""
    if difference.other_tool is not None and not difference.arguments:
        return ObservedBehaviour(*difference.other_tool)
    places = difference.arguments
    if not places or difference.missing or difference.extra or len({place.tool for place in places}) > 1:
        return None
    if any(place.expected is MISSING for place in places):
        return None
    values = tuple(sorted({_value(place) for place in places}))
    return ObservedBehaviour(places[0].tool, places[0].tool, values)


def settle_suspects(evidence: Evidence) -> None:
    """Drop suspects that are not exceptions: a third of their tool's other goldens fail in the same way.

    What several goldens lack in common is the setup or a definition: a tool that no request had or that is never
    called, a parameter or a value that the schema refuses to more than one of its tool's goldens. An agent that passes
    less than half does not vote, so that nothing it does speaks against a golden.
    """
    trials, failed = (sum(getattr(case, name) for case in evidence.cases) for name in ("trials", "failed"))
    votes = voters_of({evidence.voter: (trials - failed, trials)})
    alike = Counter(_kind_of_behaviour(behaviour) for behaviour in evidence.suspects.values())
    refused = Counter(behaviour.wanted for behaviour in evidence.suspects.values() if behaviour.sentence)
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
        if behaviour.sentence:
            if refused[behaviour.wanted] > 1 or _is_set_up(evidence, behaviour.wanted):
                dropped.add(golden_id)
            continue
        kind = _kind_of_behaviour(behaviour)
        of_tool = evidence.tool_stats[behaviour.wanted].goldens
        others = failing[kind] - alike[kind]
        if (
            not votes
            or others / max(1, of_tool - alike[kind]) >= MOST_ALIKE
            or alike[kind] > of_tool / 2
            or (behaviour.called != behaviour.wanted and evidence.is_low_cover(behaviour.wanted))
            or (alike[kind] > 1 and not behaviour.values and not evidence.others)  # a pattern of definitions
            or behaviour.wanted not in evidence.called
            or (alike[kind] > 1 and any(actual == "nothing" for _, _, actual in behaviour.values))
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


def _refuses(tool: Tool | None, arguments: Mapping[str, Any]) -> bool:
    return tool is None or any(tool.lacks(name) for name in arguments)


def _is_set_up(evidence: Evidence, tool: str) -> bool:
    """Whether a tool was not offered, and is no misspelt name of one that was."""
    misspelt = get_close_matches(tool, evidence.by_name, 1)
    return tool in evidence.not_offered and (len(evidence.not_offered) > 1 or not misspelt)


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
        cells.append((new, count))
    return case._replace(cells=tuple(cells), suspect=False)


def words_side_with(difference: CallDifference, words: Sequence[str], text: str, evidence: Evidence) -> bool:
    """Whether the request supports the call and not the golden."""
    if difference.other_tool is not None:
        wanted, called = difference.other_tool
        covered = evidence.wording.cover(words, called)
        return covered >= evidence.wording.cover(words, wanted) + MORE_COVER
    return all(_value_sides(place, text, evidence) for place in difference.arguments)


def _value_sides(place: ArgumentDifference, text: str, evidence: Evidence) -> bool:
    actual = place.actual
    values = values_of_matcher(place.expected)
    if actual is MISSING:
        return False
    enum = enum_of(evidence.by_name.get(place.tool), place.parameter)
    if enum:
        return bool(values) and actual in enum and all(value in enum for value in values)
    return is_held(actual, text) and not is_stated(place.expected, text)


def _value(place: ArgumentDifference) -> tuple[str, str, str]:
    actual = "nothing" if place.actual is MISSING else repr(place.actual)
    return place.parameter, repr(plain_value(place.expected))[:120], actual[:120]
