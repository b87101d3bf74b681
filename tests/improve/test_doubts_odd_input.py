"""Doubts about goldens that nobody should write: broken matchers, functions that raise, odd names and values."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import msgspec
import pytest

from rightcall.core.codec import describe_value
from rightcall.core.errors import RightCallError
from rightcall.improve.golden_doubts import Doubter
from rightcall.improve.votes import Attempt, Ballot, Voter
from rightcall.metrics.score_case import Scorer
from rightcall.records import ConversationalGolden, ExpectedCall, Golden, ToolCall, Turn
from rightcall.records.golden import AnyGolden
from rightcall.run.rehearsal.trial import Trial
from tests.improve.test_doubts import FAMILIES, TOOLS


def raises(value: Any) -> bool:
    return bool({}[value])


PLAIN: list[Any] = [
    None, True, 0, 1.5, 10**400, float("nan"), float("inf"), "", "'", '"a', "YYYY-MM-DD", ["a", None], {}, {"a": {"b": [1]}},
    {"one_of": []}, {"one_of": ["a", "b"]}, {"any_of": [{"icontains": "x"}]}, {"regex": "("}, {"optional": {"one_of": [1, 2]}},
    {"ref": {"call": "c", "path": "a.b"}}, {"text": {"value": "a"}}, {"text": "a", "ignore": ["case"]}, {"bfcl": {"values": ["a", ""]}},
    {"bfcl": 3}, {"judge": "x"}, {"range": [1, 2]}, {"range": 3}, {"date": "2024-02-30"}, "\x00", "𝔘" * 300, {"schema": {"type": "string"}},
    {"absent": True}, {"not": "a"},
]  # fmt: skip
VALUES = [*PLAIN, raises]
PATTERNS: list[Any] = [
    "set_alarm",
    "get_weather",
    "nope",
    ("set_alarm", "note"),
    {"regex": "set_.*"},
    {"regex": "("},
    "",
]
NAMES = ["minutes", "volume", "mode", "city", "days", "text", "weird.args.[0]", ""]


def expected_call(chance: random.Random) -> ExpectedCall:
    args = {chance.choice(NAMES): chance.choice(VALUES) for _ in range(chance.randrange(3))}
    return ExpectedCall(
        chance.choice(PATTERNS), chance.choice([None, args]), required=chance.random() < 0.8, min=chance.choice([0, 1, 2]),
        id=chance.choice(["", "c"]), extra_args=chance.choice(["forbid", "ignore"]),
    )  # fmt: skip


def odd_golden(chance: random.Random) -> AnyGolden:
    calls = [expected_call(chance) for _ in range(chance.randrange(1, 3))]
    if chance.random() < 0.2:
        return ConversationalGolden(
            "do it", id="c", turns=[Turn("user", "hi", expected_calls=calls)], expected_calls=calls
        )
    return Golden(
        chance.choice(["", "Wake me in 20 minutes", "x" * 3000]), id=chance.choice(["g", "<b>"]), expected_calls=calls,
        any_of=[[expected_call(chance)] for _ in range(chance.randrange(2))], order=chance.choice(["any", "strict"]),
        defaults=chance.choice(["apply", "strict"]), extra_calls=chance.choice(["forbid", "allow"]),
        expected_state=chance.choice([None, {}]), output_contains=chance.choice([(), ({"regex": "("},)]),
    )  # fmt: skip


def odd_ballot(chance: random.Random) -> Ballot:
    def call() -> ToolCall:
        arguments = {name: chance.choice(PLAIN) for name in chance.sample(NAMES, chance.randrange(3))}
        return ToolCall(chance.choice(["set_alarm", "get_weather", ""]), chance.choice([None, arguments]))

    shared = (call(), call())
    return {
        Voter(name): [Attempt(chance.random() < 0.2, shared, chance.choice([None, {"a": 1}]))]
        for name in FAMILIES[: chance.randrange(7)]
    }


@pytest.mark.parametrize("seed", range(150))
def test_odd_goldens_are_examined_without_an_error(seed: int) -> None:
    chance = random.Random(seed)
    try:
        golden = odd_golden(chance)
    except RightCallError:
        return
    ballot = odd_ballot(chance)
    doubter = Doubter(Trial(Scorer(), TOOLS if seed % 2 else {}), lambda _: ballot)
    asyncio.run(doubter.examine("here", golden))
    assert doubter.examined == 1
    msgspec.json.encode(doubter.doubts(), enc_hook=describe_value)
