"""Live conversations: scripted, continued, simulated, limited, broken."""

from __future__ import annotations

import asyncio

import pytest

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.agents.conversation.agent_side import session_opener
from rightcall.agents.conversation.dialogue_loop import ConversationPerformer
from rightcall.agents.conversation.model_user import UserSetup
from rightcall.agents.conversation.personas import facts_beyond, flip_roles
from rightcall.agents.kinds import agent_of_kind
from rightcall.agents.limits import Limits
from rightcall.core.errors import ConfigError, ProviderError
from rightcall.providers.base import ModelReply
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import ConversationalGolden, ExpectedCall, Message, ToolCall, Trajectory, Turn, Usage
from rightcall.records.trajectory import StopReason
from rightcall.tools.worlds.bank import Bank

BANK = Bank({"accounts": {"a1": {"owner": "An", "balance": 900}, "b1": {"owner": "Bob", "balance": 0}}})


def talk(*said, **fields):
    turns = [one if isinstance(one, Turn) else Turn("user", one) for one in said]
    return ConversationalGolden("An sends money to Bob", id="pay", turns=tuple(turns), **fields)


def transfer(cents, key="k"):
    return ToolCall("transfer", {"source": "a1", "target": "b1", "cents": cents, "idempotency_key": key})


def scripted(*answers):
    return ScriptedProvider(lambda request: answers[request.turn] if request.turn < len(answers) else "")


def held(golden, agent, user=None, **limits):
    async def perform():
        made = agent if isinstance(agent, Agent) else Agent(agent, [BANK], limits=Limits(**limits))
        async with agent_of_kind(made, user=user) as session:
            return await session.performer.perform(golden, 0)

    return asyncio.run(perform())


def spoken(trajectory):
    return [(m.role, m.content) for m in trajectory.messages if m.content]


def test_each_scripted_turn_is_answered_before_the_next_is_said():
    made = held(talk("Hello", "Bye"), scripted("Good day.", "See you."))
    assert spoken(made) == [
        ("user", "Hello"), ("assistant", "Good day."), ("user", "Bye"), ("assistant", "See you.")
    ]  # fmt: skip
    assert (made.dialogue.ended, made.dialogue.user, made.output) == ("script_end", "script", "See you.")


def test_the_world_of_the_tools_lasts_over_all_turns():
    said = scripted(transfer(300, "1"), "Sent.", ToolCall("get_balance", {"account": "a1"}), "6 euros left.")
    made = held(talk("Send 3 euros", "What is left?"), said)
    assert made.calls[1].output["balance"] == 600
    assert made.state["bank"]["accounts"]["b1"]["balance"] == 300
    assert [call.step for call in made.calls] == [0, 2]


def test_what_was_said_before_is_read_by_the_model_and_counts_for_nothing():
    seen = []

    def model(request):
        seen.append(request.messages)
        return "It is done."

    call = ToolCall("transfer", {"source": "a1"}, status="ok", output={"id": "t1"})
    given = (Turn("user", "Send it"), Turn("assistant", "Sent.", tools_called=(call,)))
    golden = talk(*given, "Is it done?", forbidden_calls=("transfer",), output_contains=("done",))
    made = held(golden, ScriptedProvider(model))
    roles = [message.role for message in seen[0]]
    assert roles == ["user", "assistant", "tool", "assistant", "user"]
    assert made.calls == () and made.dialogue.given == 4
    assert rc.assert_test(rc.ConversationalTestCase(golden, made)).passed


def test_expectations_of_turns_that_were_given_are_not_judged():
    expected = (ExpectedCall("get_balance"),)
    golden = talk(Turn("user", "Balance?", expected_calls=expected), Turn("assistant", "9 euros"), "Thanks")
    assert rc.assert_test(golden=golden, agent=Agent(scripted("Sure.", "Welcome."), [BANK])).passed


@pytest.mark.parametrize(
    ("limits", "ended", "why"),
    [
        ({"calls": 1}, "limit", "more than 1 tool calls"),
        ({"tokens": 15}, "limit", "20 tokens used of 15"),
        ({"steps": 1}, "limit", "more than 1 steps"),
    ],
)
def test_limits_are_over_the_whole_conversation_and_steps_in_one_answer(limits, ended, why):
    def model(request):
        call = request.messages[-1].role == "user"
        said = Message(
            "assistant", "" if call else "Done.", (transfer(1, str(request.turn)),) if call else ()
        )
        return ModelReply(said, Usage(5, 5, 0.0))

    made = held(talk("Send a cent", "And another"), ScriptedProvider(model), **limits)
    assert (made.stop_reason, made.dialogue.ended, made.dialogue.why) == (ended, ended, why)


def test_a_slow_turn_ends_the_conversation_and_keeps_what_was_said():
    async def agent(input, history):
        await asyncio.sleep(0 if not history else 60)
        return f"You said {input}."

    made = held(talk("Hello", "Bye"), Agent(agent, limits=Limits(seconds=1.5)))
    assert (made.stop_reason, made.dialogue.ended) == ("limit", "limit")
    assert spoken(made)[1] == ("assistant", "You said Hello.")


def test_a_function_of_input_and_history_is_called_for_each_turn():
    def agent(input, conversation_history):
        return [ToolCall("echo", {"text": input})] if conversation_history else "First."

    made = held(talk("Hello", "Again"), Agent(agent))
    assert spoken(made)[:2] == [("user", "Hello"), ("assistant", "First.")]
    assert [(call.name, call.step) for call in made.calls] == [("echo", 1)]


@pytest.mark.parametrize(
    ("answer", "stop"),
    [
        ({"output": "Sorry.", "error": "the model is down"}, "agent_error"),
        (Trajectory(output="Sorry.", stop_reason="infra_error", error="the model is down"), "infra_error"),
        (
            [
                {"role": "user", "content": "Hello"},
                {"role": "assistant", "content": "Sor", "stop_reason": "max_tokens"},
            ],
            "truncated",
        ),
    ],
)
def test_a_turn_that_broke_is_not_forgotten_when_the_next_one_is_fine(answer, stop):
    def agent(input, history):
        return "Fine." if history else answer

    assert held(talk("Hello", "Again"), Agent(agent)).stop_reason == stop


def test_a_function_of_a_golden_still_holds_the_conversation_itself():
    def agent(golden):
        return [Message("user", "x"), Message("assistant", golden.scenario)]

    assert held(talk("Hello"), Agent(agent)).output == "An sends money to Bob"


class Memory:
    """An agent that opens sessions and remembers what was said in each."""

    def session(self, golden, trial=0):
        return MemorySession()


class MemorySession:
    def __init__(self):
        self.said = []

    async def open(self):
        return None

    async def turn(self, text):
        if text == "break":
            raise ValueError("no such word")
        self.said += [Message("user", text), Message("assistant", f"{len(self.said) // 2}: {text}")]

    def trajectory(self, stop_reason: StopReason = "done", error=""):
        return Trajectory(tuple(self.said), stop_reason=stop_reason, error=error)

    def stop_of_error(self, error):
        return "agent_error", str(error)

    async def aclose(self):
        self.said = None


def test_an_agent_with_sessions_is_led_through_a_conversation_in_one_of_them():
    performer = ConversationPerformer(session_opener(Memory()), Limits())
    made = asyncio.run(performer.perform(talk("a", "b", "break", "c"), 0))
    assert spoken(made) == [("user", "a"), ("assistant", "0: a"), ("user", "b"), ("assistant", "1: b")]
    assert (made.stop_reason, made.dialogue.ended, made.error) == (
        "agent_error",
        "agent_error",
        "no such word",
    )


# Simulated users


def playing(*said):
    """A user who says these things, whatever the agent answers."""
    return UserSetup(scripted(*said), personas=["plain"])


def test_a_simulated_user_speaks_until_it_has_what_it_wants():
    made = held(talk(), scripted("How much?", "Sent."), playing("Pay Bob", "All of it", "###STOP###"))
    assert [text for role, text in spoken(made) if role == "user"] == ["Pay Bob", "All of it"]
    assert made.dialogue.ended == "user_stop" and made.stop_reason == "done"
    assert made.dialogue.user == "scripted:python as plain" and len(made.dialogue.prompt_hash) == 12


def test_the_script_comes_first_and_the_simulated_user_continues():
    golden = talk("Hello", simulate=True)
    made = held(golden, scripted("Hi", "Sent."), playing("never", "Pay Bob", "###STOP###"))
    assert [text for role, text in spoken(made) if role == "user"] == ["Hello", "Pay Bob"]


@pytest.mark.parametrize(
    ("words", "ended"),
    [("###STOP###", "user_stop"), ("I want a person. ###TRANSFER###", "transfer"), ("go on", "max_turns")],
)
def test_the_reason_for_the_ending_is_recorded(words, ended):
    made = held(talk(max_turns=3), scripted("?", "?", "?"), playing("Pay", "Bob", "now", words))
    assert made.dialogue.ended == ended and made.stop_reason == "done"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("My account is 12345678", "it made up 12345678"),
        ("###OUT-OF-SCOPE###", "the scenario does not say how to go on"),
        ("   ", "it said nothing"),
    ],
)
def test_a_fault_of_the_simulated_user_is_an_error_and_not_the_agents_failure(words, why):
    golden = talk(expected_calls=(ExpectedCall("transfer"),))
    made = held(golden, scripted("Which account?"), playing("Pay Bob", *[words] * 5))
    assert made.dialogue.ended == "user_error" and why in made.dialogue.why
    with pytest.raises(rc.errors.CheckError, match="the simulated user failed"):
        rc.assert_test(rc.ConversationalTestCase(golden, made))


@pytest.mark.parametrize("words", ["###STOP###", "###TRANSFER###"])
@pytest.mark.parametrize("opening", [(), (Turn("assistant", "Hello"),)])
def test_a_user_who_leaves_before_the_agent_was_asked_is_at_fault_and_nothing_passes(words, opening):
    golden = talk(*opening, simulate=True)
    made = held(golden, scripted("never"), playing(words))
    assert made.dialogue.ended == "user_error" and "before the agent was asked" in made.error
    with pytest.raises(rc.errors.CheckError, match="the simulated user failed"):
        rc.assert_test(rc.ConversationalTestCase(golden, made))


def test_a_user_that_makes_something_up_may_say_it_again_otherwise():
    def user(request):
        if "made up 4711" in request.messages[-1].content:
            return "I have none"
        return ("Pay", "It is 4711", "###STOP###")[request.turn]

    made = held(
        talk(), scripted("Which account?", "Thanks"), UserSetup(ScriptedProvider(user), personas=["plain"])
    )
    assert [text for role, text in spoken(made) if role == "user"] == ["Pay", "I have none"]


def test_a_users_model_that_cannot_be_reached_is_the_users_fault():
    def down(request):
        raise ProviderError("connection refused", kind="unreachable")

    made = held(talk(), scripted("Hi"), UserSetup(ScriptedProvider(down), personas=["plain"]))
    assert made.dialogue.ended == "user_error" and made.stop_reason == "infra_error"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Send 1,094 euros", []),
        ("Order #A-77 please", ["a-77"]),
        ("It is on 2024-05-01.", ["2024-05-01"]),
        ("me@home.example", ["me@home.example"]),
        ("I have 2 questions", []),
        ("order a-7", []),
    ],
)
def test_numbers_codes_and_addresses_the_user_was_not_given_are_invented(text, found):
    assert facts_beyond(text, ["Ask for order A-7 and 1094 euros back"]) == found


def test_a_user_sees_no_tools_and_the_other_side_of_the_conversation():
    said = [
        Message("user", "Pay"),
        Message("assistant", "", (transfer(1),)),
        Message("tool"),
        Message("assistant", "Done"),
    ]
    assert [(m.role, m.content) for m in flip_roles(said)][1:] == [("assistant", "Pay"), ("user", "Done")]


def test_a_conversation_without_anybody_to_speak_is_refused_before_anything_is_asked():
    with pytest.raises(ConfigError, match="there is no simulated user; add the user's turns"):
        rc.evaluate(Agent(scripted("Hi"), [BANK]), [talk()])
