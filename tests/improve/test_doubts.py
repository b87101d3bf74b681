"""Goldens that are probably wrong: every reason by examples in both directions, and the laws of voting."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from rightcall.improve.doubt import Doubt, apply_edits, certain_goldens
from rightcall.improve.golden_doubts import Doubter
from rightcall.improve.votes import Attempt, Ballot, Voter, family_of, no_ballot, voters_of
from rightcall.metrics.score_case import Scorer
from rightcall.records import ExpectedCall, Golden, Tool, ToolCall, Trajectory
from rightcall.records.golden import AnyGolden
from rightcall.run.rehearsal.known_good import make_trajectory
from rightcall.run.rehearsal.trial import Trial


def schema(required: Sequence[str] = (), **parameters: Any) -> dict[str, Any]:
    return {"type": "object", "properties": parameters, "required": list(required)}


TEXT = {"type": "string"}
NUMBER = {"type": "number"}
TOOLS = {
    tool.name: tool
    for tool in (
        Tool("set_alarm", "Sets an alarm.", schema(["minutes"], minutes={"type": "integer"}, volume={"type": "integer", "description": "Volume; default is 5"}, mode={"type": "string", "default": "soft"})),
        Tool("get_weather", "Weather of a city.", schema(["city"], city=TEXT, days={"type": "array", "items": TEXT})),
        Tool("find_flights", "Finds flights.", schema(["city"], city={"type": "string", "description": "City and state, such as 'San Francisco, CA'"})),
        Tool("get_order", "Returns the order with this id.", schema(["order_id"], order_id=TEXT)),
        Tool("fetch_order", "Returns the order with this id.", schema(["order_id"], order_id=TEXT)),
        Tool("note", "Writes a note.", schema(["text"], text={"type": ["string", "number"]})),
    )
}  # fmt: skip


def golden(tool: str, request: str = "Wake me in 20 minutes.", *, id: str = "g", **args: Any) -> Golden:
    return Golden(request, id=id, expected_calls=[ExpectedCall(tool, args)])


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name, arguments)


FAMILIES = ("gpt-4", "claude-3", "llama-3", "qwen-2", "mistral-7", "phi-4")


def ballot(*votes: ToolCall | bool | None, families: Sequence[str] = FAMILIES) -> Ballot:
    """One agent for each vote: a call that fails, None for no call, True for a pass."""
    attempts = [Attempt(vote is True, (vote,) if isinstance(vote, ToolCall) else ()) for vote in votes]
    return {Voter(name): [attempt] for name, attempt in zip(families, attempts, strict=False)}


def doubts(
    *goldens: AnyGolden,
    votes: dict[str, Ballot] | None = None,
    tools: dict[str, Tool] | None = None,
    **options: Any,
) -> tuple[Doubt, ...]:
    chosen = TOOLS if tools is None else tools
    ballots = (lambda g: (votes or {}).get(g.id, {})) if votes else no_ballot
    doubter = Doubter(Trial(Scorer(), chosen), ballots, **options)

    async def examine() -> None:
        for one in goldens:
            await doubter.examine(f"golden '{one.id}'", one)

    asyncio.run(examine())
    return doubter.doubts()


def found(*goldens: AnyGolden, votes: Ballot | None = None, **options: Any) -> dict[str, str]:
    """The band of each code."""
    by_id = {one.id: votes for one in goldens} if votes else None
    return {doubt.code: doubt.band for doubt in doubts(*goldens, votes=by_id, **options)}


ALARM = golden("set_alarm", minutes=20)
LATER = call("set_alarm", minutes=30)
STATIC = [
    (golden("set_alarm", minutes=20), {}),
    (golden("set_alarm", minutes="twenty"), {"against_schema": "certain"}),
    (golden("set_alarm", minutes=20, loudness=3), {"against_schema": "certain"}),
    (golden("ring"), {"against_schema": "certain"}),
    (Golden("Wake me.", id="g", max_calls=0, expected_calls=[ExpectedCall("set_alarm", {"minutes": 20})]), {"cannot_be_met": "certain"}),
    (golden("set_alarm", minutes=20, volume=5), {"default_demanded": "likely"}),
    (golden("set_alarm", minutes=20, volume=6), {}),
    (golden("set_alarm", minutes=20, volume={"optional": 5}), {}),
    (golden("set_alarm", minutes=20, mode="soft"), {}),  # scoring fills in defaults of the schema
    (msgspec.structs.replace(golden("set_alarm", minutes=20, mode="soft"), defaults="strict"), {"default_demanded": "likely"}),
    (golden("get_weather", city='Hanoi"'), {"stray_mark": "likely"}),
    (golden("get_weather", city='"Hanoi"'), {}),
    (golden("get_weather", city="the boys'"), {}),
    (golden("get_weather", city="6'"), {}),
    (golden("get_weather", "Weather in Hanoi\" now", city='Hanoi"'), {}),
]  # fmt: skip


@pytest.mark.parametrize(("given", "codes"), STATIC)
def test_reasons_that_need_no_run(given: Golden, codes: dict[str, str]) -> None:
    assert found(given) == codes


VOTES = [
    (ALARM, [LATER] * 3, {"agents_agree": "likely"}),
    (ALARM, [LATER, LATER, True], {"agents_agree": "likely"}),
    (ALARM, [LATER, True, True], {}),
    (ALARM, [LATER, LATER], {"agents_agree": "likely"}),
    (ALARM, [LATER, True], {}),
    (ALARM, [LATER], {}),  # one agent shows nothing
    (ALARM, [None] * 4, {}),  # they gave up
    (ALARM, [None] * 5, {"nobody_passes": "likely"}),
    (ALARM, [call("set_alarm", minutes="soon")] * 3, {}),  # no tool would accept it
    (ALARM, [LATER, call("set_alarm", minutes=31), call("set_alarm", minutes=32)], {}),
    (golden("get_weather", "Weather in Hanoi", city="hanoi"), [True, call("get_weather", city="Hanoi"), call("get_weather", city="Hanoi"), True, True, True], {"too_strict": "likely"}),
    (golden("get_weather", "Weather in Hanoi", city="Hanoi"), [True, call("get_weather", city="Hanoi City"), call("get_weather", city="Hanoi city"), True, True], {"too_strict": "likely"}),
    (golden("get_weather", "In Hanoi on a and b", city="Hanoi", days=["a", "b"]), [True, True, True, call("get_weather", city="Hanoi", days=["b", "a"]), call("get_weather", city="Hanoi", days=["b", "a"])], {"too_strict": "likely"}),
    (golden("note", "Note 1", text=1), [True, True, True, call("note", text="1"), call("note", text="1")], {"too_strict": "likely"}),
    (golden("find_flights", "To Boston", city="Boston, MA"), [True, True, True, call("find_flights", city="Boston"), call("find_flights", city="Boston")], {}),
    (golden("get_order", "Order A-17", order_id="A-17"), [True, True, True, call("get_order", order_id="a17"), call("get_order", order_id="a17")], {}),
    (golden("get_weather", "Weather in Hue", city="Hanoi"), [True, True, True, call("get_weather", city="Hue"), call("get_weather", city="Hue")], {}),
    (golden("get_order", "Return the order with the id A-17", order_id="A-17"), [True, True, call("fetch_order", order_id="A-17"), call("fetch_order", order_id="A-17"), True], {}),
]  # fmt: skip


@pytest.mark.parametrize(("given", "votes", "codes"), VOTES)
def test_reasons_that_agents_give(given: Golden, votes: list[Any], codes: dict[str, str]) -> None:
    assert found(given, votes=ballot(*votes)) == codes


def test_agreement_needs_two_families() -> None:
    one_maker = ballot(LATER, LATER, LATER, families=("gpt-4", "gpt-5", "gpt-6"))
    assert found(ALARM, votes=one_maker) == {}


def test_trials_share_the_vote_of_their_agent() -> None:
    wrong = Attempt(False, (LATER,))
    right = Attempt(True)
    votes = {Voter("gpt-4"): [wrong] * 9, Voter("claude-3"): [right], Voter("llama-3"): [right]}
    assert found(ALARM, votes=votes) == {}


def test_final_states_vote_in_a_world() -> None:
    ways = [(LATER,), (LATER, LATER), (call("set_alarm", minutes=1), LATER), (LATER,)]
    votes = {
        Voter(name): [Attempt(False, calls, {"alarms": [30]})]
        for name, calls in zip(FAMILIES, ways, strict=False)
    }
    assert found(ALARM, votes=votes) == {"agents_agree": "likely", "nobody_passes": "likely"}


def test_agents_below_half_do_not_vote() -> None:
    rates = {Voter("gpt-4"): (5, 10), Voter("claude-3"): (4, 10), Voter("llama-3"): (0, 0)}
    assert voters_of(rates) == {Voter("gpt-4")}


CHANGES = [
    (ALARM, [LATER] * 3, {"any_of": [[{"tool": "set_alarm", "args": {"minutes": 30}}]]}),
    (golden("set_alarm", minutes=20, volume=5), [call("set_alarm", minutes=20)] * 3, {"expected_calls[0].args.volume": {"optional": 5}}),
    (golden("get_weather", "In Hanoi", city="hanoi"), [call("get_weather", city="Hanoi")] * 3, {"expected_calls[0].args.city": {"text": "hanoi", "ignore": ["case"]}}),
    (golden("get_weather", "In Hanoi", city="Hanoi"), [call("get_weather", city="Hanoi City")] * 3, {"expected_calls[0].args.city": {"one_of": ["Hanoi", "Hanoi City"]}}),
]  # fmt: skip


@pytest.mark.parametrize(("given", "votes", "change"), CHANGES)
def test_a_change_adds_what_agents_do_and_keeps_what_was_expected(
    given: Golden, votes: list[Any], change: dict[str, Any]
) -> None:
    proposals = [doubt for doubt in doubts(given, votes={"g": ballot(*votes)}) if doubt.change]
    assert change in [{edit.path: edit.after for edit in doubt.change} for doubt in proposals]
    for doubt in proposals:
        changed = apply_edits(given, doubt.change)
        trial = Trial(Scorer(), TOOLS)
        assert trial.judge_stated(changed, Trajectory(calls=(votes[0],)))[0] == "passed"
        assert trial.judge_stated(changed, asyncio.run(make_trajectory(given, TOOLS)))[0] == "passed"


@pytest.mark.parametrize("seed", range(5))
def test_order_of_goldens_tools_agents_and_trials_changes_no_byte(seed: int) -> None:
    goldens = [given for given, _, _ in VOTES]
    goldens = [msgspec.structs.replace(one, id=f"g{number}") for number, one in enumerate(goldens)]
    votes = {one.id: ballot(*VOTES[number][1]) for number, one in enumerate(goldens)}
    rng = random.Random(seed)

    def shuffled(items: Any) -> Any:
        items = list(items)
        rng.shuffle(items)
        return items

    straight = msgspec.json.encode(doubts(*goldens, votes=votes))
    permuted_votes = {name: dict(shuffled(of.items())) for name, of in shuffled(votes.items())}
    permuted = doubts(*shuffled(goldens), votes=permuted_votes, tools=dict(shuffled(TOOLS.items())))
    assert msgspec.json.encode(permuted) == straight


def test_without_tools_votes_still_count() -> None:
    assert found(ALARM, votes=ballot(*[LATER] * 3), tools={}) == {"agents_agree": "likely"}


def test_hostile_texts_are_cut_and_never_run() -> None:
    huge = "<script>[red]{}" + "x" * 1_000_000
    given = golden("get_weather", huge, id="<b>'\"|`\n", city=huge)
    answer = call("get_weather", city=huge + "y", **{"weird.args.[0]": {"one_of": []}})
    shown = doubts(given, votes={given.id: ballot(*[answer] * 3)}, tools={})
    assert {doubt.code for doubt in shown} >= {"agents_agree"}
    assert len(msgspec.json.encode(shown)) < 40_000
    assert all(len(line) <= 400 for doubt in shown for line in (doubt.sentence, *doubt.evidence))


def test_only_what_was_shown_by_running_is_certain() -> None:
    certain = doubts(golden("ring", id="a"), ALARM, votes={"g": ballot(*[LATER] * 6)})
    assert certain_goldens(certain) == ("a",)


@pytest.mark.parametrize(
    ("name", "family"),
    [("openai:gpt-5-mini", "openai"), ("azure:gpt-5", "openai"), ("o3-mini", "openai"), ("anthropic:claude-sonnet-4", "anthropic"),
     ("bedrock:eu.anthropic.claude-3-v1", "anthropic"), ("openrouter:meta-llama/llama-3", "meta"), ("Llama-3.3-70b", "meta"),
     ("vllm:qwen2.5", "alibaba"), ("gemini:gemini-3", "google"), ("openrouter:acme/rocket-9", "acme"), ("my_agent:agent", "my_agent:agent"),
     ("rocket-7b-v2", "rocket"), ("rocket-9", "rocket"), ("7b", "7b"), ("", ""), ("phishing-agent", "phishing-agent")],
)  # fmt: skip
def test_family_is_read_off_the_name(name: str, family: str) -> None:
    assert family_of(name) == family
    assert family_of(name, {name: "own"}) == "own"
