"""Pairs of expected and actual calls, as they were scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from rightcall.core.errors import InputError
from rightcall.metrics.matching.call_kinds import read_skills
from rightcall.metrics.matching.handoffs import read_team
from rightcall.records.call import ToolCall
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.failure import CODES, NO_TOOLS, Failure, PairKind
from rightcall.records.golden import AnyGolden, expectations_of, names_agents
from rightcall.records.record import Record, Several
from rightcall.records.run import CaseResult
from rightcall.records.tool import Tool


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
    return result if trajectory is result.trajectory else replace(result, trajectory=trajectory)


def pairing_of(golden: AnyGolden | None, result: CaseResult, tools: Mapping[str, Tool] = NO_TOOLS) -> Pairing:
    """The pairs as they were scored: those that failures name, and those that were stored."""
    result = with_loads(result, tools)
    calls = _calls_as_scored(golden, result)
    pairs = _pairs_of_failures(result.codes)
    explained = {pair.call for pair in pairs}
    pairs += [
        ShownPair(expected, call, "allowed" if expected is None else "right")
        for expected, call in result.calls.pairs
        if call not in explained
    ]
    kept = [
        pair if pair.call is None or pair.call < len(calls) else replace(pair, call=None) for pair in pairs
    ]
    kept = [pair for pair in kept if pair.kind != "allowed" or pair.call is not None]
    kept.sort(key=lambda p: (p.expected is None, p.expected or 0, p.call is None, p.call or 0))
    return Pairing(_expected_calls(golden, result), tuple(kept), calls)


def _expected_calls(golden: AnyGolden | None, result: CaseResult) -> Sequence[ExpectedCall]:
    """The expected calls the case was scored by."""
    if golden is None or not golden.any_of:
        return () if golden is None else tuple(expectations_of(golden))
    alternatives: list[Sequence[ExpectedCall]] = [golden.expected_calls] if golden.expected_calls else []
    return [*alternatives, *golden.any_of][result.calls.alternative]


def _calls_as_scored(golden: AnyGolden | None, result: CaseResult) -> Sequence[ToolCall]:
    if result.trajectory is None:
        return ()
    if golden is None or not names_agents(golden):
        return result.trajectory.calls
    try:
        return read_team(golden, result.trajectory)[0].calls
    except InputError:  # a golden that cannot be scored is shown all the same
        return result.trajectory.calls


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
