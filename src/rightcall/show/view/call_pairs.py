"""Pairs of expected and actual calls, reconstructed from the stored failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from rightcall.core.errors import InputError
from rightcall.metrics.matching.alignment import CallComparison, assign_by_groups
from rightcall.metrics.matching.assignment import TooManyCalls, limit_effort
from rightcall.metrics.matching.base import Scope
from rightcall.metrics.matching.call_kinds import places_not_judged, read_skills
from rightcall.metrics.matching.expectation import fits, make_slots
from rightcall.metrics.matching.handoffs import read_team
from rightcall.metrics.matching.judge_case import places_that_count, score_calls
from rightcall.records.call import ToolCall
from rightcall.records.danger import NO_TOOLS
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.failure import CODES, Failure, PairKind
from rightcall.records.golden import AnyGolden, Golden, expectations_of, names_agents
from rightcall.records.record import Record, Several
from rightcall.records.run import CaseResult
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory


class ShownPair(Record, frozen=True):
    """An expected call and the actual one, by position; None where there is no counterpart."""

    expected: int | None
    call: int | None
    kind: PairKind


class Pairing(Record, frozen=True):
    """All pairs of a case, in the order of the expected calls, then of the actual ones.

    `expected` is the alternative the case was scored by; `calls` are the actual ones as they were scored: where the
    golden names agents, one that hands over or delegates is named by that.
    """

    expected: Several[ExpectedCall]
    pairs: tuple[ShownPair, ...]
    calls: Several[ToolCall] = ()


def with_loads(result: CaseResult, tools: Mapping[str, Tool]) -> CaseResult:
    """The result with loads of skills as calls of the skills, as it was scored; the same without skills."""
    trajectory = read_skills(result.trajectory, tools) if result.trajectory is not None else None
    return (
        result if trajectory is result.trajectory else msgspec.structs.replace(result, trajectory=trajectory)
    )


def pairing_of(golden: AnyGolden | None, result: CaseResult, tools: Mapping[str, Tool] = NO_TOOLS) -> Pairing:
    """Derive the pairs from the failures; whatever no failure names was correct."""
    result = with_loads(result, tools)
    expected = expected_calls(golden, result, tools)
    calls = _calls_as_scored(golden, result)
    counted: Sequence[int] = range(len(calls))
    if isinstance(golden, Golden):
        left_out = places_not_judged(golden, calls, tools)
        counted = [at for at in places_that_count(calls, golden.count_failed) if at not in left_out]
    pairs = [_without_missing_call(pair, len(calls)) for pair in _pairs_of_failures(result.codes)]
    pairs += _silent(golden, expected, calls, counted, told=pairs, tools=tools, result=result)
    pairs.sort(key=lambda p: (p.expected is None, p.expected or 0, p.call is None, p.call or 0))
    return Pairing(expected, tuple(pairs), calls)


def _calls_as_scored(golden: AnyGolden | None, result: CaseResult) -> Sequence[ToolCall]:
    if result.trajectory is None:
        return ()
    if golden is None or not names_agents(golden):
        return result.trajectory.calls
    try:
        return read_team(golden, result.trajectory)[0].calls
    except InputError:  # a golden that cannot be scored is shown all the same
        return result.trajectory.calls


def expected_calls(
    golden: AnyGolden | None, result: CaseResult, tools: Mapping[str, Tool] = NO_TOOLS
) -> Sequence[ExpectedCall]:
    """The expected calls the case was scored by: of alternatives, the one whose failures were stored."""
    if golden is None:
        return ()
    if not isinstance(golden, Golden):
        return tuple(expectations_of(golden))
    if not golden.any_of:
        return golden.expected_calls
    first = (golden.expected_calls,) if golden.expected_calls else ()
    stored = _marks(result.codes)
    trajectory = result.trajectory or Trajectory()

    def distance(alternative: Sequence[ExpectedCall]) -> int:
        alone = msgspec.structs.replace(golden, expected_calls=alternative, any_of=())
        try:
            return len(_marks(score_calls(alone, trajectory, tools).failures) ^ stored)
        except InputError:
            return len(stored) + 1

    return min((*first, *golden.any_of), key=distance)


def _marks(failures: Sequence[Failure]) -> set[tuple[str, int | None, int | None, str]]:
    return {(f.code, f.call, f.expected_call, f.parameter) for f in failures if CODES[f.code].pair}


def _without_missing_call(pair: ShownPair, calls: int) -> ShownPair:
    """The pair, without its call when that was not kept."""
    return pair if pair.call is None or pair.call < calls else msgspec.structs.replace(pair, call=None)


def _pairs_of_failures(failures: Sequence[Failure]) -> list[ShownPair]:
    """One pair for each call or expected call that failures name; the most severe mark wins."""
    kinds: dict[tuple[int | None, int | None], PairKind] = {}
    for failure in failures:
        kind = CODES[failure.code].pair
        if kind is None or (failure.call is None and failure.expected_call is None):
            continue
        if failure.code == "forbidden_arg" and failure.expected_call is None:
            continue  # about a call that another failure explains
        kinds.setdefault((failure.expected_call, failure.call), kind)
    matched = {call for expected, call in kinds if expected is not None and call is not None}
    missing = Counter(f.expected_call for f in failures if CODES[f.code].pair == "missing")
    pairs = [ShownPair(e, c, k) for (e, c), k in kinds.items() if not (e is None and c in matched)]
    pairs += [ShownPair(e, None, "missing") for e, times in missing.items() for _ in range(times - 1)]
    return pairs


def _silent(
    golden: AnyGolden | None,
    expected: Sequence[ExpectedCall],
    calls: Sequence[ToolCall],
    counted: Sequence[int],
    told: Sequence[ShownPair],
    tools: Mapping[str, Tool],
    result: CaseResult,
) -> list[ShownPair]:
    """Pairs without a failure: correct calls, and extra calls that are allowed."""
    used = Counter(pair.expected for pair in told)
    least = [(call.min if call.required else 0) - used[i] for i, call in enumerate(expected)]
    if result.trajectory is None:
        met = enumerate(least) if result.judged else ()
        return [ShownPair(i, None, "right") for i, n in met for _ in range(n)]
    paired_calls = {pair.call for pair in told}
    free = [at for at in counted if at not in paired_calls]
    room = {i: max(least[i], (c.max or max(c.min, 1)) - used[i]) for i, c in enumerate(expected)}
    pairs = []
    for i, at in _matches(golden, expected, calls, free, tools=tools):
        if room[i] > 0 and at in free:
            room[i] -= 1
            free.remove(at)
            pairs.append(ShownPair(i, at, "right"))
    return pairs + [ShownPair(None, at, "allowed") for at in free]


def _matches(
    golden: AnyGolden | None,
    expected: Sequence[ExpectedCall],
    calls: Sequence[ToolCall],
    free: Sequence[int],
    tools: Mapping[str, Tool],
) -> list[tuple[int, int]]:
    """Candidates, best first: by arguments where several calls have one name, then by name in order."""
    by_name = [(i, at) for i, call in enumerate(expected) for at in free if fits(call.tool)(calls[at].name)]
    is_clear = len({at for _, at in by_name}) == len(by_name) == len({i for i, _ in by_name})
    if is_clear or not isinstance(golden, Golden):
        return by_name
    scope = Scope(calls=calls, tool_of={call.id: fits(call.tool) for call in expected if call.id})
    open_calls = set(free)
    try:
        with limit_effort():
            slots = make_slots(golden, expected, calls, tools, scope=scope)
            weights = [
                [weight if at in open_calls else 0.0 for at, weight in enumerate(line)]
                for line in CallComparison(slots, calls).weights
            ]
            return [(slots[row].index, at) for row, at in assign_by_groups(weights)] + by_name
    except (InputError, TooManyCalls):  # a matcher that needs a model, or too many calls: compare names only
        return by_name
