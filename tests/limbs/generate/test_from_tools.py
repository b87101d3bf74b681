"""Goldens from tools: plans, requests, verification, seeds."""

from __future__ import annotations

import asyncio
import re

import pytest
from hypothesis import given, settings, strategies as st

from rightcall.core.errors import ConfigError
from rightcall.limbs.generate.config import VerificationConfig
from rightcall.limbs.generate.plans import WEIGHTS, Schedule, dangerous_neighbour, plan_of
from rightcall.limbs.generate.synthesizer import Synthesizer
from rightcall.limbs.generate.verify import values_of
from rightcall.records import ExpectedCall, Golden, Tool, ToolCall
from rightcall.tools.definitions.validate import is_valid
from tests.limbs.generate.builders import BY_NAME, PLANNED, TOOLS, Model, plain_writer


def made(**options):
    count = options.pop("count", 20)
    seed = options.get("seed", 0)
    model, _ = plain_writer(seed)
    return asyncio.run(Synthesizer(model, tools=TOOLS, **options).afrom_tools((), count))


@given(seed=st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_every_planned_call_fits_its_schema(seed):
    for slot in Schedule(list(PLANNED.values()), seed).take(12):
        plan = plan_of(slot, PLANNED, seed=seed)
        assert plan is not None
        assert all(is_valid(BY_NAME[call.tool], call.arguments) for call in plan.calls)


@pytest.mark.stories
def test_all_kinds_are_made_and_all_parameters_of_all_tools_covered():
    goldens = made(count=200, seed=5).goldens
    kinds = {golden.metadata["generated"]["plan"] for golden in goldens}
    assert kinds == set(WEIGHTS) - {"dependent"}  # the reader makes one step
    calls = [call for golden in goldens for call in golden.expected_calls]
    filled = {(call.tool, name) for call in calls for name in call.args}
    assert filled == {(tool.name, name) for tool in TOOLS for name in tool.parameters}


def test_every_golden_says_what_should_be_called():
    for golden in made(count=30).goldens:
        assert bool(golden.expected_calls) != golden.no_calls
        assert golden.category == ("negative" if golden.no_calls else "golden")


def test_the_same_seed_gives_the_same_goldens_and_another_gives_others():
    one, same, other = (made(count=20, seed=seed).goldens for seed in (1, 1, 2))
    assert one == same
    assert {golden.input for golden in one} != {golden.input for golden in other}


def test_concurrency_changes_nothing():
    assert made(count=20, max_concurrent=1).goldens == made(count=20, max_concurrent=32).goldens


def test_a_model_is_asked_once_a_tool_for_what_its_schema_leaves_open():
    model, _ = plain_writer()
    asyncio.run(Synthesizer(model, tools=TOOLS).afrom_tools((), 20))
    asked = [request.golden_id for request in model.requests if request.golden_id.startswith("examples-")]
    assert len(asked) == len(set(asked)) == 9  # three of the twelve tools state all of their values
    assert PLANNED["refund_order"].parameters["order_id"]["examples"] == ["KX-4411", "PL-2087", "AB-1200"]


def test_a_tool_for_which_no_example_fits_is_named_with_the_reason():
    schema = {
        "type": "object",
        "properties": {"code": {"type": "string", "pattern": "^Z$"}},
        "required": ["code"],
    }
    model, _ = plain_writer()
    tools = [*TOOLS, Tool("open_door", "Open a door.", schema)]
    found = asyncio.run(Synthesizer(model, tools=tools).afrom_tools((), 5))
    assert found.goldens and found.refused == {"open_door": "the model wrote no example that fits code"}
    with pytest.raises(ConfigError, match="open_door: the model wrote no example that fits code"):
        Synthesizer(model).generate_goldens_from_tools(tools[-1:], 3)


def test_a_near_miss_is_a_tool_with_an_effect_and_other_words():
    get = Tool("get_user", "Gets a user.")
    listing = Tool("get_users", "Gets users.")
    delete = Tool("delete_user", "Deletes one for good.")
    assert dangerous_neighbour(get, [get, listing]) is None
    assert dangerous_neighbour(get, [get, listing, delete]) is delete


def only(*kinds):
    return {kind: weight for kind, weight in WEIGHTS.items() if kind in kinds}


@pytest.mark.stories
def test_a_model_writes_and_solvers_confirm_and_the_golden_says_how_it_came_to_be():
    kinds = only("one", "enum", "missing", "none")
    model, _ = plain_writer(kinds=kinds)
    found = asyncio.run(Synthesizer(model, tools=TOOLS).afrom_tools((), 12, kinds=kinds))
    assert len(found.goldens) == 12
    golden = found.goldens[0]
    assert golden.metadata["generated"]["model"] == "scripted:test"
    assert golden.metadata["generated"]["verified"]["recovered"] == 1.0
    assert set(golden.metadata["generated"]["prompts"]) == {"request"}


def test_the_prompt_tells_the_values_the_language_and_the_style_and_hides_the_tool_names():
    model, _ = plain_writer(kinds=only("one"))
    asyncio.run(Synthesizer(model, tools=TOOLS, language="French").afrom_tools((), 6, kinds=only("one")))
    prompts = model.asked("request")
    assert prompts and all("French" in prompt and "_" not in prompt.replace("«", "") for prompt in prompts)
    assert all("State every value" in prompt for prompt in prompts)


def test_what_solvers_do_not_recover_is_dropped_with_the_reason():
    model = Model(
        {"request": "Please play Yesterday at volume 40."},
        lambda request: [ToolCall("set_timer", {"minutes": 3})],
    )
    found = asyncio.run(Synthesizer(model, tools=TOOLS).afrom_tools((), 3, kinds=only("none")))
    assert found.goldens == ()
    assert "recovered by 0 of 2 solvers" in found.dropped[0].reason


def test_a_request_that_leaves_a_value_out_is_dropped_before_any_solver_is_asked():
    model = Model({"request": "Do it now."})
    found = asyncio.run(Synthesizer(model, tools=TOOLS).afrom_tools((), 3, kinds=only("one")))
    assert found.goldens == () and all("does not contain" in one.reason for one in found.dropped)
    assert not any(request.prompt.tools for request in model.requests)


TIMER = Tool(
    "set_timer",
    "Start a timer.",
    {
        "type": "object",
        "properties": {"minutes": BY_NAME["set_timer"].parameters["minutes"]},
        "required": ["minutes"],
    },
)


def timer_model():
    """A model that repeats the minutes of its prompt, and reads them back."""

    def write(request):
        return (
            " and ".join(
                re.findall(r"minutes: \d+", request.messages[-1].content.rpartition("exactly this")[2])
            )
            or "Thanks!"
        )

    def solve(request):
        minutes = map(int, re.findall(r"\d+", request.messages[0].content))
        return [ToolCall("set_timer", {"minutes": number}) for number in minutes] or "You are welcome."

    return Model({"request": write, "turn": write}, solve)


def test_goldens_with_calls_become_goldens_with_the_same_tools_and_other_values():
    parent = Golden("Timer for 5", id="parent", expected_calls=(ExpectedCall("set_timer", {"minutes": 5}),))
    golden, *_ = Synthesizer(timer_model(), tools=[TIMER]).generate_goldens_from_goldens([parent], 2)
    assert [call.tool for call in golden.expected_calls] == ["set_timer"]
    assert golden.cluster == "parent" and golden.expected_calls != parent.expected_calls


def test_conversations_have_user_turns_with_calls_of_their_own():
    talks = Synthesizer(timer_model()).generate_conversational_goldens_from_tools([TIMER], 2, turns=3)
    assert [[turn.role for turn in talk.turns] for talk in talks] == [["user"] * 3] * 2
    assert any(turn.expected_calls for talk in talks for turn in talk.turns)


@pytest.mark.parametrize(
    ("maker", "says"),
    [
        (lambda: Synthesizer().generate_goldens_from_tools([], 3), "no tools"),
        (lambda: Synthesizer().generate_goldens_from_tools(TOOLS, 3), "requires a model"),
        (lambda: Synthesizer().generate_goldens_from_contexts([["text"]]), "requires a model"),
        (
            lambda: Synthesizer("scripted:x").generate_goldens_from_scratch(3),
            "requires --scenario",
        ),
        (lambda: VerificationConfig(samples=2, agree=3), "agree must be between 1 and samples"),
    ],
)
def test_a_setup_that_cannot_work_is_refused_before_anything_is_asked(maker, says):
    with pytest.raises(ConfigError, match=says):
        maker()


def test_expected_values_are_those_of_the_plan():
    golden = next(g for g in made(count=30).goldens if g.expected_calls and not g.expected_calls[0].after)
    assert isinstance(golden, Golden)
    assert is_valid(BY_NAME[golden.expected_calls[0].tool], values_of(golden.expected_calls[0]))
