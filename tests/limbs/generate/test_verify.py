"""Verification: what is right is kept, what was corrupted on purpose is found."""

from __future__ import annotations

import asyncio
import random
import re

import msgspec
import pytest

from rightcall.agents.model_retries import Asker
from rightcall.limbs.generate.config import VerificationConfig
from rightcall.limbs.generate.statement import missing_values, surplus_numbers, unlike_a_request
from rightcall.limbs.generate.synthesizer import Synthesizer
from rightcall.limbs.generate.values import sample_arguments
from rightcall.limbs.generate.verify import Solver, Verifier, values_of
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import ExpectedCall, Golden, ToolCall
from tests.limbs.generate.builders import BY_NAME, PLANNED, TOOLS, plain_writer

CORRUPTED = 200


def sound_goldens(count=320):
    """Goldens whose requests state every value of their plans."""
    made = Synthesizer(plain_writer(77)[0], tools=TOOLS, seed=77).generate_goldens_from_tools((), count)
    wanted = ("one", "several", "parallel", "enum", "near_miss")
    return [golden for golden in made if golden.metadata["generated"]["plan"] in wanted]


class Reader:
    """A scripted solver: it knows what each request asks for, and leaves out what the text does not say."""

    def __init__(self, goldens):
        self._known = {golden.id: golden for golden in goldens}

    def __call__(self, request):
        meant = self._known[request.golden_id]
        text = request.messages[0].content
        calls = []
        for call in meant.expected_calls:
            said = {n: v for n, v in values_of(call).items() if not missing_values(text, [{n: v}])}
            calls.append(ToolCall(call.tool, said))
        return calls or "What would you like me to do?"


def verifier(goldens, *, literal=True):
    solver = Solver(Asker(ScriptedProvider(Reader(goldens)), 8), BY_NAME)
    return Verifier(BY_NAME, solver, VerificationConfig(literal=literal))


def corrupted(golden, number):
    """The golden with one error planted: an argument changed, a tool swapped, or information taken out of the request."""
    rng = random.Random(number)
    kind = ("argument", "tool", "request")[number % 3]
    calls = list(golden.expected_calls)
    at = rng.randrange(len(calls))
    values = values_of(calls[at])
    if kind == "argument":
        other = values
        name = ""
        while str(other.get(name)).casefold() == str(values.get(name)).casefold():
            name = rng.choice(list(values))
            other = sample_arguments(PLANNED[calls[at].tool], frozenset(values), rng)
        calls[at] = ExpectedCall(calls[at].tool, {**calls[at].args, name: other[name]})
    elif kind == "tool":
        tool = rng.choice([tool for tool in TOOLS if tool.name != calls[at].tool])
        arguments = sample_arguments(PLANNED[tool.name], frozenset(tool.input_schema["required"]), rng)
        calls[at] = ExpectedCall(tool.name, arguments)
    else:
        value = rng.choice([v for v in values.values() if not isinstance(v, bool)])
        text = re.sub(re.escape(str(value)), "…", golden.input, flags=re.IGNORECASE)
        return msgspec.structs.replace(golden, input=text)
    return msgspec.structs.replace(golden, expected_calls=tuple(calls))


@pytest.mark.parametrize("literal", [True, False], ids=["with literal check", "by solvers alone"])
@pytest.mark.stories
def test_at_least_95_percent_of_planted_errors_are_rejected(literal):
    goldens = sound_goldens()[:CORRUPTED]
    assert len(goldens) == CORRUPTED
    check = verifier(goldens, literal=literal)

    async def rejected():
        found = 0
        for number, golden in enumerate(goldens):
            scores, _ = await check.verify(corrupted(golden, number))
            found += not all(score.passed for score in scores.values())
        return found

    assert asyncio.run(rejected()) >= 0.95 * CORRUPTED


def test_what_is_sound_is_not_rejected():
    goldens = sound_goldens(75)[:50]
    check = verifier(goldens)

    async def kept():
        return [all(s.passed for s in (await check.verify(golden))[0].values()) for golden in goldens]

    assert all(asyncio.run(kept()))


def golden(text="Set a timer for 5 minutes", **fields):
    fields.setdefault("expected_calls", (ExpectedCall("set_timer", {"minutes": 5}),))
    return Golden(text, id="g", **fields)


@pytest.mark.parametrize(
    ("draft", "check", "says"),
    [
        (golden(expected_calls=(ExpectedCall("set_alarm", {}),)), "schema", "unknown tool 'set_alarm'"),
        (golden(expected_calls=(ExpectedCall("set_timer", {"minutes": 500}),)), "schema", "minutes"),
        (golden(expected_calls=(ExpectedCall("set_timer", {}),)), "schema", "minutes"),
        (
            golden(expected_calls=(ExpectedCall("set_timer", {"minutes": {"range": [1, 9]}}),)),
            "schema",
            "not a single value",
        ),
        (golden(expected_calls=()), "schema", "expects no call and does not forbid calls"),
        (golden("Start a timer"), "stated", "does not contain minutes = 5"),
        (golden("Set a timer for 5 minutes for 3 people"), "stated", "contains 3, which no call uses"),
        (golden("Use set_timer for 5 minutes"), "stated", "names the tool set_timer"),
        (golden("Hi [Name], 5 minutes please"), "stated", "placeholder"),
    ],
)
def test_each_check_says_what_is_wrong(draft, check, says):
    scores, _ = asyncio.run(Verifier(BY_NAME).verify(draft))
    assert list(scores)[-1] == check and not scores[check].passed
    assert says in scores[check].reason


def test_a_tool_whose_mock_fails_drops_the_golden():
    mocks = {"set_timer": {"error": {"error": "not_found", "detail": "no such timer"}}}
    scores, _ = asyncio.run(Verifier(BY_NAME, mocks=mocks).verify(golden()))
    assert "set_timer failed on its mock: no such timer" in scores["executes"].reason


def test_solvers_stop_as_soon_as_the_outcome_is_certain():
    asked = []

    def solve(request):
        asked.append(request.trial)
        return [ToolCall("set_timer", {"minutes": 5})]

    solver = Solver(Asker(ScriptedProvider(solve), 1), BY_NAME)
    asyncio.run(Verifier(BY_NAME, solver, VerificationConfig(samples=5, agree=2)).verify(golden()))
    assert asked == [0, 1]


def test_solvers_never_see_what_is_expected():
    seen = []

    def solve(request):
        seen.append(msgspec.json.encode(request).decode())
        return "no"

    solver = Solver(Asker(ScriptedProvider(solve), 1), BY_NAME)
    draft = golden("Five please", expected_output="SECRET-ANSWER", metadata={"plan": "SECRET-PLAN"})
    asyncio.run(Verifier(BY_NAME, solver, VerificationConfig(literal=False)).verify(draft))
    assert seen and not any("SECRET" in text for text in seen)


@pytest.mark.parametrize(
    ("text", "values", "missing", "surplus"),
    [
        ("Book for five people", {"guests": 5}, 0, 0),
        ("Chuyển 1,500 đô cho An", {"amount": 1500}, 0, 0),
        ("On 4 March 2027", {"date": "2027-03-04"}, 0, 0),
        ("On March 5, 2027", {"date": "2027-03-04"}, 1, 1),
        ("room 4B please", {"room": "4B"}, 0, 0),
        ("城市是北京，天数是9。", {"city": "北京", "days": 9}, 0, 0),
        ("sort by wrong item", {"reason": "wrong_item"}, 0, 0),
        ("3 nights and 2 guests", {"nights": 3}, 0, 1),
    ],
)
def test_statements_are_read_in_words_numbers_and_dates(text, values, missing, surplus):
    assert len(missing_values(text, [values])) == missing
    assert len(surplus_numbers(text, [values])) == surplus


def test_what_an_assistant_would_say_is_not_a_request():
    assert unlike_a_request("I'm here to help you with your order!")
    assert unlike_a_request("A user sent a message in Spanish to a shop, and here's how to respond: “Hola”")
    assert not unlike_a_request("Can you help me with my order?")
