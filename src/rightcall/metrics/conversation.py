"""Scores a conversation turn by turn and as a whole.

A turn is what user or agent said; calls belong to the agent's turn that made them. An exchange is a user's turn
and everything the agent said and did until the next user turn. Expected calls of a turn are expected in its exchange.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain

from msgspec.structs import replace

from rightcall.metrics.matching.call_kinds import NO_TOOLS
from rightcall.metrics.matching.judge_case import score_calls
from rightcall.metrics.matching.reasons import reason
from rightcall.metrics.matching.verdict import DEFAULT_RULES, CaseVerdict, Numbers, ScoringRules
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.failure import FORBIDDEN, Failure
from rightcall.records.golden import AnyGolden, ConversationalGolden, Golden
from rightcall.records.message import turn_title
from rightcall.records.record import Record
from rightcall.records.run import CallPairs
from rightcall.records.score import Score
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory

OF_TURNS = (
    "call_precision", "call_recall", "call_f1", "call_soft_f1", "tool_precision", "tool_recall", "tool_f1",
    "parameter_accuracy", "order",
)  # fmt: skip
"""Numbers that turns have as well as the whole."""

IN_BOTH = [name for name in ConversationalGolden.__struct_fields__ if name in Golden.__struct_fields__]
"""Fields that conversations and goldens of one turn share."""


class TurnVerdict(Record, frozen=True):
    """The verdict of one exchange. `turn` is where it counts: the agent's last turn in it, or the user's."""

    exchange: int
    turn: int
    verdict: CaseVerdict


class ConversationVerdict(Record, frozen=True):
    """A whole conversation: passed when every exchange with expectations passed, and the whole did."""

    passed: bool
    score: float
    whole: CaseVerdict
    turns: tuple[TurnVerdict, ...]
    failures: tuple[Failure, ...]
    problem: str = ""
    by_whole: bool = True

    @property
    def first_failing_turn(self) -> int | None:
        """The first turn that went wrong, from 0; None when none did or it cannot be determined."""
        return min((f.turn for f in self.failures if f.turn is not None), default=None)

    @property
    def summary(self) -> CaseVerdict:
        """The verdict whose numbers are shown: the whole's, or the mean over the turns when they alone expect calls.

        Where no calls are expected, no call is wrong, and those numbers are 1.
        """
        if self.by_whole:
            return self.whole
        turns = [turn.verdict.numbers for turn in self.turns] or [Numbers(0, 0, 0, 0)]
        means = {
            name: math.fsum(getattr(verdict, name) for verdict in turns) / len(turns) for name in OF_TURNS
        }
        numbers = replace(self.whole.numbers, **means)
        return replace(self.whole, numbers=numbers, failures=self.failures)

    @property
    def pairs(self) -> CallPairs:
        """The pairs of the whole and of the turns: a call that is right in either is not left over."""
        every = [*self.whole.pairs, *chain.from_iterable(turn.verdict.pairs for turn in self.turns)]
        right = tuple(pair for pair in every if pair[0] is not None)
        taken = {call for _, call in right}
        rest = dict.fromkeys(call for _, call in every if call not in taken)
        return right + tuple((None, call) for call in rest)

    def turns_score(self) -> Score:
        """Share of the exchanges with expectations that passed, and the first that did not."""
        wrong = [turn for turn in self.turns if not turn.verdict.passed]
        if not wrong:
            return Score(1.0, True)
        first = wrong[0]
        value = (len(self.turns) - len(wrong)) / len(self.turns)
        why = f"{turn_title(first.exchange)}: {reason(first.verdict.failures)}"
        return Score(value, False, why, first.verdict.failures)


def score_conversation(
    golden: ConversationalGolden,
    trajectory: Trajectory,
    tools: Mapping[str, Tool] = NO_TOOLS,
    *,
    rules: ScoringRules = DEFAULT_RULES,
) -> ConversationVerdict:
    """Every exchange that has expectations, then the whole: calls, forbidden calls, content anywhere in the answers."""
    held = _Held(trajectory)
    history_exchanges = sum(message.role == "user" for message in trajectory.messages[: trajectory.own_start])
    by_exchange = expectations_by_exchange(golden)
    expected_calls = {at: calls for at, calls in by_exchange.items() if at > (history_exchanges or -1)}
    said = replace(trajectory, output=trajectory.all_said)  # a fact may appear in any turn
    whole = score_calls(as_one_golden(golden), said, tools, rules=rules)
    if expected_calls and not trajectory.messages:
        problem = "the conversation was recorded without messages, so its turns cannot be distinguished"
        return ConversationVerdict(False, 0.0, whole, (), failures=whole.failures, problem=problem)
    # of each exchange's expected calls in `expectations_of`
    places = {}
    place = len(golden.expected_calls)
    for number, expected in by_exchange.items():
        places[number] = range(place, place + len(expected))
        place += len(expected)
    turns = tuple(
        held.judge_turn(number, expected, golden, tools, rules, places[number])
        for number, expected in expected_calls.items()
    )
    failures = (
        *(replace(f, turn=held.turn_of_call(f.call)) for f in whole.failures),
        *chain.from_iterable(turn.verdict.failures for turn in turns),
    )
    scores = [turn.verdict.score for turn in turns]
    if not expected_calls or golden.expected_calls or golden.output_contains:
        scores.append(whole.score)
    forbidden = any(failure.code in FORBIDDEN for failure in failures)
    passed = whole.passed and all(turn.verdict.passed for turn in turns)
    score = 0.0 if forbidden else math.fsum(scores) / len(scores)
    open_ones = [v for v in (whole, *(turn.verdict for turn in turns)) if not v.passed]
    problem = open_ones[0].error if open_ones and all(v.error for v in open_ones) else ""
    return ConversationVerdict(
        passed,
        score,
        whole,
        turns,
        failures=failures,
        problem=problem,
        by_whole=bool(golden.expected_calls or golden.no_calls),
    )


def expectations_by_exchange(golden: ConversationalGolden) -> dict[int, tuple[ExpectedCall, ...]]:
    """Expected calls by exchange: 0 is what the agent does before the user first speaks, 1 the first answer."""
    calls_by_exchange: dict[int, tuple[ExpectedCall, ...]] = {}
    exchange = 0
    for turn in golden.turns:
        exchange += turn.role == "user"
        if turn.expected_calls is not None:
            calls_by_exchange[exchange] = (*calls_by_exchange.get(exchange, ()), *turn.expected_calls)
    return calls_by_exchange


def as_one_golden(golden: AnyGolden) -> Golden:
    """A golden for metrics of the whole: itself, or a conversation as one golden.

    When only turns state calls, or nothing does, extra calls are allowed for the whole.
    """
    if isinstance(golden, Golden):
        return golden
    fields = {name: getattr(golden, name) for name in IN_BOTH}
    if not golden.expected_calls and not golden.no_calls:
        fields["extra_calls"] = "allow"
    return Golden(golden.scenario, expected_output=golden.expected_outcome, **fields)


class _Held:
    """A conversation split into exchanges."""

    def __init__(self, trajectory: Trajectory) -> None:
        self._trajectory = trajectory
        # Exchange and step of each turn; steps count the agent's turns, and are -1 for the user's.
        self._turn_order: list[tuple[int, int]] = []
        exchange = 0
        step = -1
        for message in trajectory.messages:
            if message.role == "user":
                exchange += 1
                self._turn_order.append((exchange, -1))
            elif message.role == "assistant":
                step += 1
                self._turn_order.append((exchange, step))

    def turn_of_call(self, call: int | None) -> int | None:
        if call is None or call >= len(self._trajectory.calls):
            return None
        step = self._trajectory.calls[call].step
        return next((at for at, (_, of) in enumerate(self._turn_order) if of == step), None)

    def judge_turn(
        self,
        number: int,
        expected: Sequence[ExpectedCall],
        golden: ConversationalGolden,
        tools: Mapping[str, Tool],
        rules: ScoringRules,
        expectations: Sequence[int],
    ) -> TurnVerdict:
        turns = [(at, step) for at, (exchange, step) in enumerate(self._turn_order) if exchange == number]
        steps = {step for _, step in turns if step >= 0}
        places = [place for place, call in enumerate(self._trajectory.calls) if call.step in steps]
        calls = tuple(self._trajectory.calls[place] for place in places)
        rest = {name: getattr(golden, name) for name in ("id", "order", "extra_calls", "judge")}
        turn_golden = Golden(golden.scenario, expected_calls=tuple(expected), **rest)
        made = Trajectory(calls=calls, ledger=self._trajectory.ledger)
        verdict = score_calls(turn_golden, made, tools, rules=rules)
        at = turns[-1][0] if turns else len(self._turn_order)
        failures = tuple(
            replace(
                failure,
                turn=at if failure.call is None else self.turn_of_call(places[failure.call]),
                call=None if failure.call is None else places[failure.call],
                expected_call=None if failure.expected_call is None else expectations[failure.expected_call],
            )
            for failure in verdict.failures
        )
        pairs = tuple(
            (None if wanted is None else expectations[wanted], places[call]) for wanted, call in verdict.pairs
        )
        return TurnVerdict(number, at, replace(verdict, failures=failures, pairs=pairs))
