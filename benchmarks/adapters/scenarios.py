"""The scenarios: what the user says, what the model answers to each agent, and how the agent is built for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tests.limbs.adapters.script import Answer, Call

Shape = Literal["plain", "limited", "sub_agent", "handoff", "typed_answer", "streamed", "asking", "raising"]
"""How the agent is built: alone, with a limit of `STEPS`, with an agent as a tool, with an agent that it hands over to,
with a type for its answer, streaming, with a `book` that somebody must approve, or in a function that raises."""

STEPS = 3
"""The limit of an agent with the shape `limited`."""

TRAVEL = "travel"
EXPERT = "expert"
"""The two agents; each asks for a model of its own, so that the server knows who asks."""

ASK_EXPERT = "ask_expert"
HAND_OVER = "hand_over"
"""Calls that every framework spells differently: see `Framework.spelled`."""

TRIP = {"city": "Hanoi", "nights": 2}
"""The answer of an agent with a type for it."""


@dataclass(frozen=True)
class Scenario:
    """`script` has the answers of each agent's model, in the order in which it is asked."""

    name: str
    title: str
    script: Mapping[str, Sequence[Answer]]
    says: tuple[str, ...] = ("Plan my trip.",)
    shape: Shape = "plain"


def weather(city: str, call_id: str = "c1") -> Call:
    return Call("get_weather", {"city": city}, call_id)


ROUTE: dict[str, Any] = {
    "stops": [{"name": "Hà Nội", "nights": 2}, {"name": "大阪 🏯", "nights": 0}],
    "notes": ['quote " and \\ backslash', "line\nbreak", ""],
}
DONE = Answer("All done.")


def alone(*answers: Answer) -> dict[str, Sequence[Answer]]:
    return {TRAVEL: answers}


SCENARIOS: tuple[Scenario, ...] = (
    Scenario("single_call", "one call", alone(Answer(calls=(weather("Hanoi"),)), DONE)),
    Scenario(
        "parallel_calls", "three calls in one answer",
        alone(
            Answer(calls=(weather("Hanoi"), weather("Hue", "c2"), Call("forecast", {"city": "Hue"}, "c3"))),
            DONE,
        ),
    ),
    Scenario(
        "sequential_calls", "three calls, one after the other",
        alone(
            Answer(calls=(weather("Hanoi"),)),
            Answer(calls=(weather("Hue", "c2"),)),
            Answer(calls=(weather("Hanoi", "c3"),)),
            DONE,
        ),
    ),
    Scenario(
        "rich_arguments", "nested and Unicode arguments",
        alone(Answer(calls=(Call("plan_route", ROUTE, "c1"),)), DONE),
    ),
    Scenario(
        "tool_raises", "a tool that raises",
        alone(Answer(calls=(Call("book", TRIP, "c1"),)), Answer("No room.")),
    ),
    Scenario(
        "structured_result", "a tool that returns a structure",
        alone(Answer(calls=(Call("forecast", {"city": "Hue"}, "c1"),)), DONE),
    ),
    Scenario(
        "unknown_tool", "a tool that does not exist",
        alone(Answer(calls=(Call("no_such_tool", {"x": 1}, "c1"),)), Answer("Sorry.")),
    ),
    Scenario(
        "invalid_arguments", "arguments that break the schema, then right ones",
        alone(
            Answer(calls=(Call("book", {"city": "Hanoi"}, "c1"),)),
            Answer(calls=(weather("Hanoi", "c2"),)),
            DONE,
        ),
    ),
    Scenario(
        "broken_json", "arguments that are not JSON",
        alone(Answer(calls=(Call("get_weather", '{"city": "Hano', "c1"),)), Answer("Sorry.")),
    ),
    Scenario("no_call", "an answer without a call", alone(Answer("Hello, xin chào!"))),
    Scenario(
        "length_stop", "an answer cut off at the length limit",
        alone(Answer(calls=(weather("Hanoi"),)), Answer("It is 31 degr", cut=True)),
    ),
    Scenario(
        "streamed_length", "a streamed answer cut off at the length limit",
        alone(Answer(calls=(weather("Hanoi"),)), Answer("It is 31 degr", cut=True)),
        shape="streamed",
    ),
    Scenario(
        "lost_stream", "a stream whose connection breaks",
        alone(Answer(calls=(weather("Hanoi"),)), Answer("It is 31 degrees", lost=True)),
        shape="streamed",
    ),
    Scenario(
        "approval", "a call that waits for approval",
        alone(Answer(calls=(Call("book", TRIP, "c1"),)), DONE),
        shape="asking",
    ),
    Scenario("agent_error", "an agent that raises", alone(Answer(calls=(weather("Hanoi"),)), DONE), shape="raising"),
    Scenario("refusal", "a model that refuses", alone(Answer("I cannot help with that.", ending="refused"))),
    Scenario("content_filter", "an answer that a filter stopped", alone(Answer("It is", ending="filtered"))),
    Scenario(
        "step_limit", "an agent that reaches its own step limit",
        {TRAVEL: [Answer(calls=(weather(f"City {n}", f"c{n}"),)) for n in range(50)]},
        shape="limited",
    ),
    Scenario(
        "session", "two turns with memory",
        alone(
            Answer(calls=(weather("Hanoi"),)), Answer("31 in Hanoi."),
            Answer(calls=(weather("Hue", "c2"),)), Answer("31 in Hue."),
        ),
        says=("Weather in Hanoi?", "And in Hue?"),
    ),
    Scenario(
        "sub_agent", "an agent as a tool, with calls inside",
        {
            TRAVEL: [Answer(calls=(Call(ASK_EXPERT, {"input": "Weather in Hue?"}, "c1"),)), DONE],
            EXPERT: [Answer(calls=(weather("Hue", "i1"),)), Answer("31 in Hue.")],
        },
        shape="sub_agent",
    ),
    Scenario(
        "handoff", "a team whose agents share a tool name",
        {
            TRAVEL: [Answer(calls=(weather("Hanoi"),)), Answer(calls=(Call(HAND_OVER, {}, "c2"),))],
            EXPERT: [Answer(calls=(weather("Hue", "c3"),)), Answer("31 in Hue.")],
        },
        shape="handoff",
    ),
    Scenario(
        "typed_answer", "an answer with a schema (response_format)",
        alone(Answer(calls=(weather("Hanoi"),)), Answer('{"city": "Hanoi", "nights": 2}')),
        shape="typed_answer",
    ),
    Scenario(
        "streamed", "streamed answers",
        alone(
            Answer("Let me see.", (weather("Hanoi"), weather("Hue", "c2")), usage=(120, 12), cached=80), DONE
        ),
        shape="streamed",
    ),
    Scenario(
        "cached_tokens", "usage with cached tokens",
        alone(
            Answer(calls=(weather("Hanoi"),), usage=(120, 12), cached=80), Answer("Done.", usage=(240, 8), cached=160)
        ),
    ),
    Scenario(
        "no_usage", "a model that reports no usage",
        alone(Answer(calls=(weather("Hanoi"),), usage=None), Answer("Done.", usage=None)),
    ),
)  # fmt: skip
