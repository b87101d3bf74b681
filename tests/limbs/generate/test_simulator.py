"""`ConversationSimulator`: the seed's form and the current one, on scripted models."""

from __future__ import annotations

import pytest

import rightcall as rc
from rightcall.core.errors import ConfigError
from rightcall.deepeval.simulator import ConversationSimulator
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import ConversationalGolden, ToolCall, Turn

ITEMS = ["full name", "date of birth"]
GOLDEN = ConversationalGolden("Ask for the balance of account A7", id="ask")


def user(request):
    """Makes up a person, asks, thanks, and stops when it has its answer."""
    if "make up one fictitious person" in request.prompt.system:
        return "Full name: An Tran\n- date of birth: 1990-02-03"
    heard = request.messages[-1].content
    if "euros" in heard:
        return "###STOP###"
    return "I was born on 1990-02-03" if "born" in heard else "What do I have?"


def simulator(**settings):
    return ConversationSimulator(simulator_model=ScriptedProvider(user), **settings)


def test_the_form_of_the_seed_gives_test_cases():
    async def model_callback(input: str, conversation_history: list[dict[str, str]]) -> str:
        return "You have 5 euros." if conversation_history else "When were you born?"

    made = simulator(user_intentions={"Opening an account": 2}, user_profile_items=ITEMS).simulate(
        model_callback=model_callback, stopping_criteria="Stop when the request has been fully resolved."
    )
    assert [case.golden.id for case in made] == ["opening-an-account-0@plain", "opening-an-account-1@unsure"]
    assert [turn.content for turn in made[0].turns] == [
        "What do I have?", "When were you born?", "I was born on 1990-02-03", "You have 5 euros."
    ]  # fmt: skip
    assert made[0].golden.user_description == "full name: An Tran\ndate of birth: 1990-02-03"
    assert {case.trajectory.dialogue.ended for case in made} == {"user_stop"}


def test_a_golden_is_played_in_two_manners_that_form_one_cluster():
    made = simulator(model_callback=lambda input: "5 euros").simulate([GOLDEN])
    assert [(case.golden.id, case.golden.cluster) for case in made] == [
        ("ask@plain", "ask"),
        ("ask@unsure", "ask"),
    ]
    assert [case.trajectory.dialogue.user for case in made] == [
        "scripted:python as plain", "scripted:python as unsure"
    ]  # fmt: skip
    assert len({case.trajectory.dialogue.prompt_hash for case in made}) == 2


def test_each_test_case_is_told_when_it_is_complete():
    done = []
    simulator(model_callback=lambda input: "5 euros").simulate(
        [GOLDEN], on_simulation_complete=lambda case, index: done.append((index, case.golden.id))
    )
    assert sorted(done) == [(0, "ask@plain"), (1, "ask@unsure")]


def test_every_simulated_conversation_can_be_scored(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = rc.score_cases(
        simulator(model_callback=lambda input: "5 euros").simulate([GOLDEN]),
        metrics=[lambda case: True],
    )
    assert run.summary.overall.cases == 2 and set(run.summary.tags) == {"persona:plain", "persona:unsure"}


def test_an_agent_with_tools_is_simulated_against():
    tools = [{"name": "balance", "description": "Balance of an account.", "input_schema": {"type": "object"}}]
    agent = rc.Agent(
        ScriptedProvider(lambda r: "5 euros" if r.messages[-1].role == "tool" else ToolCall("balance")), tools
    )
    (case, _) = simulator(model_callback=agent).simulate([GOLDEN])
    assert case.turns[1].tools_called[0].name == "balance" and "balance" in case.tools


def test_a_turn_with_its_tools_may_be_returned():
    def callback(input, turns, thread_id):
        return Turn("assistant", "5 euros", tools_called=(ToolCall("balance", {"account": "A7"}),))

    (case, _) = simulator(model_callback=callback).simulate([GOLDEN])
    assert [call.name for call in case.trajectory.calls] == ["balance"]


def test_turns_of_a_golden_are_a_prefix_and_the_agent_answers_the_users_last_one_first():
    golden = ConversationalGolden(
        "Ask", id="p", turns=(Turn("assistant", "Welcome!"), Turn("user", "Hi, A7 here"))
    )
    (case, _) = simulator(model_callback=lambda input: f"{input}: 5 euros").simulate([golden])
    assert [turn.content for turn in case.turns] == ["Welcome!", "Hi, A7 here", "Hi, A7 here: 5 euros"]


def test_a_profile_that_the_model_does_not_give_is_an_error_of_the_simulator():
    sim = ConversationSimulator(
        lambda input: "Hi", simulator_model=ScriptedProvider(lambda r: "no idea"),
        user_intentions=["Buy"], user_profile_items=ITEMS,
    )  # fmt: skip
    (case,) = sim.simulate()
    assert "cannot generate a profile: nothing for full name" in case.trajectory.error


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ConversationSimulator(print), "requires a model to play the user"),
        (lambda: simulator().simulate([GOLDEN]), "requires an agent"),
        (lambda: simulator(model_callback=print).simulate(), "requires conversational_goldens"),
        (
            lambda: simulator(personas=["rude"], model_callback=print).simulate([GOLDEN]),
            "unknown persona 'rude'",
        ),
    ],
)
def test_what_is_missing_is_reported(make, words):
    with pytest.raises(ConfigError, match=words):
        make()
