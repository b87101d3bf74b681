"""Scores a case: from golden, trajectory and tools to a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set as AbstractSet
from functools import partial
from itertools import chain
from typing import NamedTuple

from msgspec.structs import replace

from rightcall.core.errors import InputError, MatcherBroke
from rightcall.metrics.matching.alignment import Alignment, CallComparison, CallPair, align, align_in_order
from rightcall.metrics.matching.approvals import places_of_refusals, requests_by_call, without_tokens
from rightcall.metrics.matching.assignment import TooManyCalls, limit_effort
from rightcall.metrics.matching.base import Scope, Sources
from rightcall.metrics.matching.binding import Binding
from rightcall.metrics.matching.call_kinds import (
    NO_PLACES,
    NO_TOOLS,
    callable_tools,
    places_not_judged,
    places_of_upkeep,
    read_skills,
)
from rightcall.metrics.matching.case_numbers import (
    blank_read,
    case_numbers,
    half_credit,
    in_doubt,
    ratio,
    without_unknown,
)
from rightcall.metrics.matching.expectation import Slot, fits, make_slots, missing_content, refuse_unsound
from rightcall.metrics.matching.explain import (
    explain,
    extra_calls,
    failures_of_waiting_calls,
    forbidden_among,
)
from rightcall.metrics.matching.fast_path import flawless, is_flawless, nothing_unusual, score_single
from rightcall.metrics.matching.handoffs import (
    agents_seen,
    budget_problem,
    final_agent,
    read_team,
    team_failures,
    without_consequences,
)
from rightcall.metrics.matching.verdict import (
    DEFAULT_RULES,
    CaseVerdict,
    Numbers,
    ScoringRules,
    forbids_all,
    pass_threshold,
    score_of_stated,
)
from rightcall.records.call import ToolCall
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.failure import FORBIDDEN, SPOILING, Failure
from rightcall.records.golden import Golden, names_agents
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory, limit_trajectory_depth
from rightcall.tools.faults.measures import attempts_made_again, reads_after_fault

MOST_ALTERNATIVES = 256
UNKNOWN_ANSWERER = (
    "the golden has answered_by, and which agent gave the answer is not known; observe the agent by an adapter that "
    "names it, or record `answers`"
)


class SparePlaces(NamedTuple):
    """Places of calls that may be made. `verifying`: they count where one of them is expected. `not_judged`: they break
    no rule that forbids calls.
    """

    verifying: frozenset[int] = NO_PLACES
    not_judged: frozenset[int] = NO_PLACES


def score_calls(
    golden: Golden,
    trajectory: Trajectory,
    tools: Mapping[str, Tool] = NO_TOOLS,
    *,
    rules: ScoringRules = DEFAULT_RULES,
) -> CaseVerdict:
    """The verdict by calls, content and limits: every number, and a failure for each mistake.

    Final states, time that was not measured and missing answers are the scorer's: `score_trajectory` has them all.
    """
    trajectory = read_skills(trajectory, tools)
    if is_flawless(golden, trajectory):
        return flawless(len(golden.expected_calls))
    return score_closely(golden, trajectory, tools, rules)


def score_closely(
    golden: Golden,
    trajectory: Trajectory,
    tools: Mapping[str, Tool],
    rules: ScoringRules,
) -> CaseVerdict:
    """Like `score_calls`, for cases already known not to be flawless, with loads of skills in their normal form."""
    try:
        return _judge_case(golden, trajectory, tools, rules)
    except RecursionError:  # files and replies are bounded on input; values made in Python are bounded here
        bounded = limit_trajectory_depth(trajectory)
        if bounded is trajectory:
            raise
        return _judge_case(golden, bounded, tools, rules)


def _judge_case(
    golden: Golden,
    trajectory: Trajectory,
    tools: Mapping[str, Tool],
    rules: ScoringRules,
) -> CaseVerdict:
    upkeep = places_of_upkeep(trajectory.calls)
    left_out = places_not_judged(golden, trajectory.calls, tools)
    tools = callable_tools(tools)
    if not rules.half_credit and not upkeep and nothing_unusual(golden, trajectory):
        single = score_single(golden, trajectory, tools)
        if single is not None:
            numbers, failures = single
            verdict = _verdict(golden, numbers, failures, 1, rules=rules)
            return replace(verdict, pairs=((None if failures else 0, 0),))
    refuse_unsound(golden)
    trajectory = blank_read(trajectory, tools)
    trajectory, settled = _without_confirmations(golden, trajectory, tools)
    verifying = upkeep
    if names_agents(golden):
        trajectory, passed_on, of_others = read_team(golden, trajectory)
        verifying |= of_others
        settled = settled | passed_on
    places = places_that_count(trajectory.calls, golden.count_failed)
    shown = [place for place in places if place not in left_out]
    if settled or left_out:
        places = [place for place in places if place not in settled and place not in left_out]
    if any(entry.phase == "fault" for entry in trajectory.ledger):
        repeated = attempts_made_again(trajectory)
        verifying |= reads_after_fault(trajectory, tools)
        places = [place for place in places if place not in repeated]
    calls = [trajectory.calls[place] for place in places]
    alternatives = _alternatives(golden)

    def best(benefit_of_doubt: bool) -> CaseVerdict:
        by_schema = golden.argument_matching == "schema"
        scope = Scope(by_schema=by_schema, benefit_of_doubt=benefit_of_doubt)
        spare = SparePlaces(verifying, upkeep | left_out)
        judge = partial(_judge_one, golden, places, trajectory, tools, rules, scope, spare)
        verdicts = list(map(judge, alternatives))
        place = max(range(len(verdicts)), key=lambda at: _merit(verdicts[at]))
        right = verdicts[place].pairs
        taken = {call for _, call in right}
        rest = tuple((None, at) for at in shown if at not in taken)
        return replace(verdicts[place], pairs=right + rest, alternative=place)

    try:
        with limit_effort():
            if any(call.arguments is None and call.raw is None for call in calls):
                return in_doubt(best(True), best(False))
            return best(True)
    except MatcherBroke:
        raise
    except TooManyCalls:
        return _beyond_measure(golden, len(calls))
    except InputError as error:
        place = f"golden '{golden.id}'" + (f": {error.where}" if error.where else "")
        raise InputError(place, error.problem, error.hint) from None


def _beyond_measure(golden: Golden, calls: int) -> CaseVerdict:
    """The verdict of a case with too many calls to align: none counts as right."""
    required = sum(call.required for call in golden.expected_calls)
    why = f"too many to compare with {len(golden.expected_calls):,} expected calls"
    numbers = Numbers(0, calls, required, 0, *[0.0] * (len(Numbers.__struct_fields__) - 4))
    return CaseVerdict(False, 0.0, numbers, (Failure("over_calling", actual=calls, detail=why),))


def _without_confirmations(
    golden: Golden, trajectory: Trajectory, tools: Mapping[str, Tool]
) -> tuple[Trajectory, AbstractSet[int]]:
    """The trajectory without tokens of confirmations, and the places of calls that count with another or not at all.

    A request for confirmation and the call that carries it out are one call. A golden that only says that the agent
    must ask before a tool allows its calls. A call that was refused to the golden's caller did nothing.
    """
    calls = trajectory.calls
    plain = golden.as_ is None and not golden.confirm
    if plain and not any(call.status == "error" for call in calls):
        return trajectory, frozenset()
    settled = set[int]()
    if done := requests_by_call(calls):
        calls = without_tokens(calls, done.values())
        trajectory = replace(trajectory, calls=calls)
        settled |= done.keys()
    if plain:
        return trajectory, settled
    allowed = {at for at, call in enumerate(calls) if call.name in golden.confirm}
    if golden.as_ is not None:
        allowed |= places_of_refusals(golden.as_, calls, tools)
    stated = [fits(call.tool) for call in chain.from_iterable(_alternatives(golden))]
    unstated = {at for at in allowed if not any(fitting(calls[at].name) for fitting in stated)}
    return trajectory, settled | unstated


def places_that_count(calls: Sequence[ToolCall], which: str) -> Sequence[int]:
    """Positions of the calls that count: all, only those that succeeded, or of repeated attempts only the last."""
    if which == "successful":
        return [
            at
            for at, call in enumerate(calls)
            if call.status != "error" and not (call.approval and call.approval.decision == "rejected")
        ]
    if which == "final":
        last = {call.name: at for at, call in enumerate(calls)}
        return [at for at, call in enumerate(calls) if call.status != "error" or last[call.name] == at]
    return range(len(calls))


def _alternatives(golden: Golden) -> Sequence[Sequence[ExpectedCall]]:
    if not golden.any_of:
        return (golden.expected_calls,)
    if len(golden.any_of) > MOST_ALTERNATIVES:
        problem = f"any_of allows at most {MOST_ALTERNATIVES} alternatives, got {len(golden.any_of)}"
        raise InputError(f"golden '{golden.id}'", problem)
    return (golden.expected_calls, *golden.any_of) if golden.expected_calls else golden.any_of


def _merit(verdict: CaseVerdict) -> tuple[bool, float, float, float]:
    numbers = verdict.numbers
    return verdict.passed, verdict.score, numbers.call_f1, numbers.call_soft_f1


def _judge_one(
    golden: Golden,
    places: Sequence[int],
    trajectory: Trajectory,
    tools: Mapping[str, Tool],
    rules: ScoringRules,
    scope: Scope,
    spare: SparePlaces,
    expected: Sequence[ExpectedCall],
) -> CaseVerdict:
    """The verdict by one alternative. `places` are those of the calls that count, by which they are aligned.

    `spare` are the places of calls that count only where they are expected: reads that find out what a fault did, calls
    of inner agents that the golden does not name, skills loaded again, and calls of another kind.
    """
    calls = [trajectory.calls[place] for place in places]
    tool_of = {call.id: fits(call.tool) for call in expected if call.id}
    scope = replace(scope, calls=calls, tool_of=tool_of, sources=Sources())
    slots = make_slots(golden, expected, calls, tools, scope=scope)
    aligned = _align_calls(golden, expected, CallComparison(slots, calls), scope)
    if verifying := spare.verifying:
        pairs = (*aligned.free, *aligned.pairs)
        expected_places = {places[pair.call] for pair in pairs if _is_expected(slots[pair.slot], calls, pair)}
        needed = [place for place in places if place not in verifying or place in expected_places]
        if len(needed) < len(places):
            left = spare._replace(verifying=NO_PLACES)
            return _judge_one(
                golden, needed, trajectory, tools, rules=rules, scope=scope, spare=left, expected=expected
            )
    absent = missing_content(golden.output_contains, trajectory.output, scope)
    numbers = case_numbers(golden, trajectory, aligned, len(absent))
    if rules.half_credit:
        numbers = replace(numbers, parameter_accuracy=half_credit(slots, calls))
    failures = explain(golden, aligned, tools, trajectory)
    failures += [Failure("missing_content", expected=text, actual=trajectory.output) for text in absent]
    if len(calls) < len(trajectory.calls):
        failures = [_at_place(failure, places) for failure in failures]
        counted = set(places)
        others = [(at, call) for at, call in enumerate(trajectory.calls) if at not in counted]
        failures += forbidden_among(golden, slots, others)
    failures += failures_of_waiting_calls(golden, trajectory)
    about_agents = names_agents(golden)
    if about_agents:
        failures = without_consequences([*failures, *team_failures(golden, trajectory)], golden)
    verdict = _verdict(golden, numbers, failures, len(trajectory.calls) - len(spare.not_judged), rules=rules)
    if about_agents:
        verdict = _with_agents_seen(golden, trajectory, aligned, verdict)
    if not verdict.passed and not failures:  # allowed calls lower precision, which affects `pass_rule: score`
        extra = (_at_place(failure, places) for failure in extra_calls(calls, aligned.pairs))
        verdict = replace(verdict, failures=tuple(extra))
    right = tuple((slots[pair.slot].index, places[pair.call]) for pair in aligned.pairs if pair.strict)
    return replace(without_unknown(verdict, aligned, rules), pairs=right)


def _is_expected(slot: Slot, calls: Sequence[ToolCall], pair: CallPair) -> bool:
    """Whether a pair is right but for its agent."""
    return pair.strict or (
        slot.by is not None and Slot.argument_score(slot, calls[pair.call], pair.call) == 1.0
    )


def _with_agents_seen(
    golden: Golden, trajectory: Trajectory, aligned: Alignment, verdict: CaseVerdict
) -> CaseVerdict:
    """The verdict with the number of agents that were known; an error where a budget cannot be judged."""
    table = aligned.table
    pairs = [(table.calls[pair.call], table.slots[pair.slot].by) for pair in aligned.free]
    known, unknown = agents_seen(golden, trajectory, pairs)
    verdict = replace(verdict, agents_known=known, agents_unknown=unknown)
    why = budget_problem(golden, trajectory)
    if not why and golden.answered_by is not None and not final_agent(trajectory):
        why = UNKNOWN_ANSWERER
    return replace(verdict, passed=False, error=why) if verdict.passed and why else verdict


def _at_place(failure: Failure, places: Sequence[int]) -> Failure:
    """The failure with the position of its call among all calls, not among those that count."""
    return failure if failure.call is None else replace(failure, call=places[failure.call])


def _align_calls(
    golden: Golden, expected: Sequence[ExpectedCall], table: CallComparison, scope: Scope
) -> Alignment:
    chain = golden.order == "strict"
    ordered = chain or any(call.after for call in expected)
    if scope.sources.named:
        binding = Binding(table, scope.sources)
        free = binding.best(align)
        in_order = partial(align_in_order, expected=expected, chain=chain)
        return Alignment(table, free, binding.best(in_order) if ordered else free)
    free = align(table)
    return Alignment(table, free, align_in_order(table, expected, chain) if ordered else free)


def _verdict(
    golden: Golden, numbers: Numbers, failures: list[Failure], called: int, rules: ScoringRules
) -> CaseVerdict:
    spoiled = forbidden = called > 0 and forbids_all(golden)
    for failure in failures:
        if failure.code in SPOILING:
            spoiled = True
            forbidden = forbidden or failure.code in FORBIDDEN
        elif failure.code == "wrong_agent" and failure.call is None:  # of the answer, which no number counts
            spoiled = True
    if forbidden:
        score = 0.0
    elif golden.expected_calls or golden.any_of:
        score = rules.overall(numbers)
    else:
        score = score_of_stated(golden, numbers, rules)
    passed = not spoiled and _passes(golden, numbers, score, rules)
    return CaseVerdict(passed, score, numbers, tuple(failures))


def _passes(golden: Golden, numbers: Numbers, score: float, rules: ScoringRules) -> bool:
    if rules.pass_rule == "score":  # noqa: S105
        return score >= rules.pass_score and numbers.tool_recall == 1.0  # nothing missing, by name
    if numbers.content < 1.0:
        return False
    if golden.category == "secondary":
        f1 = numbers.call_f1
        if golden.extra_calls == "allow":  # calls that are allowed do not lower it
            f1 = ratio(2 * numbers.tp, 2 * numbers.tp + numbers.fn)
        return f1 >= pass_threshold(golden, rules)
    extra_is_fine = golden.extra_calls == "allow" or golden.category == "negative"
    return numbers.fn == 0 and (extra_is_fine or numbers.fp == 0)
