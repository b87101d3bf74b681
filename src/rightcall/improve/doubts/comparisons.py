"""Doubts that compare goldens: two with the same request contradict each other, or better agents fail one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rightcall.core.codec import describe_value
from rightcall.core.digest import hex_digest, json_digest
from rightcall.datasets.near_duplicates import NearTexts, normalize
from rightcall.improve.call_difference import alternatives_of
from rightcall.improve.doubt import Reason, SuspectGolden, values_of
from rightcall.improve.golden_edit import value_text
from rightcall.improve.votes import Ballot, Voter
from rightcall.model.golden import request_of
from rightcall.run.rehearsal.toolset import value_key

NEARLY_EQUAL = 0.9
MOST_COMPARED = 100_000
MOST_IN_BAND = 20
LONGEST_REQUEST = 2_000
LONGEST_VALUE = 200


class GoldenDemand(NamedTuple):
    """What a golden demands, small enough to keep: by place the texts of the values that it states."""

    golden_id: str
    where: str
    mark: str
    request: str
    tools: str
    values: Mapping[str, tuple[str, ...]]
    shown: Mapping[str, str]


def demand_of(suspect: SuspectGolden, where: str, mark: str) -> GoldenDemand | None:
    """The demand of a golden without alternatives that states values; else None."""
    alternatives = list(alternatives_of(suspect.golden))
    if len(alternatives) != 1 or not alternatives[0][1]:
        return None
    values: dict[str, tuple[str, ...]] = {}
    shown: dict[str, str] = {}
    for number, (_, call) in enumerate(alternatives[0][1]):
        for name, spec in (call.args or {}).items():
            place = f"{number} {call.tool}.{name}"
            values[place] = tuple(_text(value) for value in values_of(spec))
            shown[place] = value_text(spec)
    called = [call.tool for _, call in alternatives[0][1]]
    definitions = [suspect.toolset.tools.get(str(tool)) for tool in called]
    tools = json_digest([called, definitions], 16, enc_hook=describe_value)
    request = normalize(request_of(suspect.golden))[:LONGEST_REQUEST]
    return GoldenDemand(suspect.golden.id, where, mark, request, tools, values, shown)


def _text(value: object) -> str:
    """A value to compare; a long one by its digest."""
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else hex_digest(text, 32)


def contradictions(demands: list[GoldenDemand]) -> Iterator[tuple[GoldenDemand, Reason]]:
    """Both sides of every contradiction, in whatever order the goldens came.

    Values that differ only in spelling, or in whether they are passed.
    """
    by_id: dict[str, GoldenDemand] = {}
    near = NearTexts(NEARLY_EQUAL, MOST_IN_BAND)
    for demand in sorted(demands, key=lambda d: (d.request, d.golden_id))[:MOST_COMPARED]:
        by_id[demand.golden_id] = demand
        earlier = near.earlier(demand.golden_id, demand.request)
        if earlier is None:
            continue
        other = by_id[earlier[0]]
        place = _contradiction(demand, other)
        if place:
            for one, two in ((demand, other), (other, demand)):
                name = place.partition(" ")[2]
                theirs = two.shown.get(place, "nothing")
                sentence = f"{two.golden_id} asks the same and expects {name} as {theirs}, this one as "
                yield one, Reason("look", sentence + one.shown.get(place, "nothing"))


def _contradiction(first: GoldenDemand, second: GoldenDemand) -> str:
    """The one place in which two demands differ, by spelling or presence only; else empty."""
    if first.tools != second.tools:
        return ""
    places = [
        place
        for place in sorted(first.values.keys() | second.values.keys())
        if first.values.get(place) != second.values.get(place)
    ]
    if len(places) != 1:
        return ""
    one, two = first.values.get(places[0]), second.values.get(places[0])
    if one is None or two is None:
        return places[0] if first.request == second.request else ""  # nearly equal requests may ask for more
    bare: list[set[str]] = [{value_key(text, {}) for text in texts} for texts in (one, two)]
    return places[0] if bare[0] and bare[0] == bare[1] else ""


FEWEST = 20
HIGHEST = -0.1


class PassMatrix:
    """How often each agent passed each golden: further evidence against a golden, no more."""

    def __init__(self) -> None:
        self._shares: dict[str, dict[Voter, float]] = {}

    def add(self, golden_id: str, ballot: Ballot) -> None:
        if len(ballot) >= FEWEST:
            self._shares[golden_id] = {
                voter: sum(attempt.passed for attempt in trials) / len(trials)
                for voter, trials in sorted(ballot.items())
                if trials
            }

    def reasons(self, golden_ids: frozenset[str]) -> Iterator[tuple[str, Reason]]:
        """The goldens of these that better agents fail more often."""
        totals: dict[Voter, float] = {}
        for _, shares in sorted(self._shares.items()):
            for voter, share in shares.items():
                totals[voter] = totals.get(voter, 0.0) + share
        for golden_id in sorted(golden_ids & self._shares.keys()):
            shares = self._shares[golden_id]
            if len(shares) < FEWEST:
                continue
            correlation = _correlation(shares, {voter: totals[voter] - shares[voter] for voter in shares})
            if correlation < HIGHEST:
                sentence = (
                    f"agents that do better elsewhere fail it more often (correlation {correlation:.2f})"
                )
                yield golden_id, Reason("look", sentence)


def _correlation(first: Mapping[Voter, float], second: Mapping[Voter, float]) -> float:
    """Pearson's; 0 where one of them does not vary."""
    n = len(first)
    mean_first, mean_second = sum(first.values()) / n, sum(second.values()) / n
    covariance = sum((first[voter] - mean_first) * (second[voter] - mean_second) for voter in first)
    spread = sum((value - mean_first) ** 2 for value in first.values()) * sum(
        (value - mean_second) ** 2 for value in second.values()
    )
    return covariance / spread**0.5 if spread > 1e-12 else 0.0
