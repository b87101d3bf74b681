"""What a user's agent returns: objects of the real SDKs, responses, names; and what stops a run."""

from __future__ import annotations

from typing import Any

import pytest

import rightcall as rc
from rightcall.agents.callable_agent import as_trajectory
from rightcall.core.errors import ConfigError, InputError

HANOI = {"city": "Hanoi"}
GOLDENS = [
    rc.Golden(f"Weather in Hanoi? ({i})", id=f"g{i}", expected_calls=(rc.ExpectedCall("get_weather", HANOI),))
    for i in range(3)
]


def chat_completion() -> Any:
    from openai.types.chat import ChatCompletion

    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "get_weather", "arguments": '{"city": "Hanoi"}'},
    }
    message = {"role": "assistant", "content": None, "refusal": None, "tool_calls": [call]}
    choice = {"index": 0, "finish_reason": "tool_calls", "logprobs": None, "message": message}
    return ChatCompletion.model_validate(
        {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    )


def anthropic_message() -> Any:
    from anthropic.types import Message

    blocks = [
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "t1", "name": "get_weather", "input": HANOI},
    ]
    return Message.model_validate(
        {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": blocks,
         "stop_reason": "tool_use", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    )  # fmt: skip


def response() -> Any:
    from openai.types.responses import Response

    item = {
        "type": "function_call",
        "id": "f",
        "call_id": "c1",
        "name": "get_weather",
        "arguments": '{"city": "Hanoi"}',
    }
    return Response.model_validate(
        {"id": "r", "object": "response", "created_at": 1, "model": "m", "output": [item], "tools": [],
         "parallel_tool_calls": True, "tool_choice": "auto"}
    )  # fmt: skip


QUESTION = {"role": "user", "content": "Weather in Hanoi?"}
RETURNED = {
    "a chat message among dicts": lambda: [
        QUESTION,
        chat_completion().choices[0].message,
        {"role": "tool", "tool_call_id": "c1", "content": "31"},
    ],
    "a chat completion": chat_completion,
    "the calls of a chat message": lambda: chat_completion().choices[0].message.tool_calls,
    "Anthropic blocks in a dict": lambda: [
        QUESTION,
        {"role": "assistant", "content": anthropic_message().content},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "31"}]},
    ],
    "Anthropic blocks": lambda: anthropic_message().content,
    "an Anthropic message": anthropic_message,
    "items of a response": lambda: [QUESTION, *response().output],
    "a response": response,
    "calls as dicts": lambda: [{"name": "get_weather", "arguments": HANOI}],
    "the short form": lambda: {"calls": [{"name": "get_weather", "arguments": HANOI}], "output": "31"},
    "messages in a dict": lambda: {
        "messages": [QUESTION, chat_completion().choices[0].message],
        "latency_ms": 5,
    },
}


@pytest.mark.parametrize("made", RETURNED.values(), ids=RETURNED.keys())
def test_objects_of_sdks_are_read_as_the_dicts_they_stand_for(made: Any) -> None:
    [call] = as_trajectory(made()).calls
    assert (call.name, call.arguments) == ("get_weather", HANOI)


def test_results_find_their_calls_among_objects_and_dicts() -> None:
    for name in ("a chat message among dicts", "Anthropic blocks in a dict"):
        assert as_trajectory(RETURNED[name]()).calls[0].output == "31"


def test_a_list_of_tool_names_is_a_list_of_calls_with_unknown_arguments() -> None:
    made = as_trajectory(["get_weather", "get_time"])
    assert [(call.name, call.arguments_unknown) for call in made.calls] == [
        ("get_weather", True),
        ("get_time", True),
    ]


@pytest.mark.parametrize(
    ("made", "found"),
    [
        (42, "returned int"),
        (None, "returned NoneType"),
        ({"result": 1}, "returned a dict with 'result'"),
        ([object()], "returned a list with object in it"),
        (b"bytes", "returned bytes"),
        ([{"role": "robot"}], "messages[0].role must be one of"),
    ],
)
def test_an_agent_that_returns_an_unreadable_value_stops_the_run(made: Any, found: str) -> None:
    asked: list[str] = []

    def agent(golden: rc.Golden) -> Any:
        asked.append(golden.id)
        return made

    with pytest.raises(ConfigError, match="stopped after 2 goldens") as refused:
        rc.evaluate(agent, GOLDENS, concurrency=1)
    assert found in str(refused.value) and asked == ["g0", "g1"]
    assert "def answer(question: str)" in str(refused.value)


def test_one_unreadable_result_among_good_ones_fails_its_case() -> None:
    def agent(golden: rc.Golden) -> Any:
        return None if golden.id == "g1" else [rc.ToolCall("get_weather", HANOI)]

    run = rc.evaluate(agent, GOLDENS, concurrency=1)
    assert run.summary.overall.passed == 2 and not run.passed
    [unread] = [result for result in run.results if not result.passed]
    assert unread.golden_id == "g1" and not unread.error
    (unreadable,) = [failure for failure in unread.codes if failure.code == "unreadable_result"]
    assert "returned NoneType, which cannot be read" in unreadable.detail


def whole(message: Any, reason: str) -> Any:
    return {"choices": [{"finish_reason": reason, "message": {"role": "assistant", **message}}]}


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ({"object": "response", "status": "failed", "error": {"message": "overloaded"}, "output": []}, "failed (overloaded)"),
        ({"object": "response", "status": "in_progress", "output": []}, "not finished: in_progress"),
        ({"message": {"role": "assistant", "content": ""}, "done": False}, "not finished"),
        (whole({"content": None}, "error"), "ended with error"),
        (whole({"content": None}, "tool_calls"), "ended with tool_calls, but has no call"),
        ({"role": "assistant", "content": [], "stop_reason": "tool_use"}, "ended with tool_use, but has no call"),
        ({"finish_reason": "TIMEOUT", "message": {"role": "assistant", "content": []}}, "ended with TIMEOUT"),
        ([{"role": "user", "content": "Thanks!"}], "no message of the assistant"),
        ({"messages": []}, "no message of the assistant"),
    ],
)  # fmt: skip
def test_an_answer_that_is_broken_unfinished_or_missing_does_not_pass_for_no_calls(
    made: Any, found: str
) -> None:
    goldens = [GOLDENS[0], rc.Golden("Thanks!", id="thanks", category="negative")]
    run = rc.evaluate(
        lambda golden: made if golden.id == "thanks" else ["get_weather"], goldens, concurrency=1
    )
    [unread] = [result for result in run.results if result.golden_id == "thanks"]
    assert not unread.passed
    assert found in (unread.error or next(f.detail for f in unread.codes if f.code == "unreadable_result"))


@pytest.mark.parametrize(
    ("made", "stop"),
    [
        (whole({"content": "I wi"}, "length"), "truncated"),
        (whole({"content": None}, "content_filter"), "filtered"),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": [], "object": "response"},
         "truncated"),
        ([QUESTION, {"role": "assistant", "content": "I wi", "stop_reason": "max_tokens"}], "truncated"),
    ],
)  # fmt: skip
def test_a_response_ends_as_its_model_says(made: Any, stop: str) -> None:
    assert as_trajectory(made).stop_reason == stop


def test_something_that_contains_itself_is_refused_in_words() -> None:
    circle: dict[str, Any] = {"role": "assistant"}
    circle["content"] = [circle]
    with pytest.raises(InputError, match="does it contain itself"):
        as_trajectory([circle])


async def pieces(text):
    yield "Weather: "
    yield text


def events(text):
    yield "Weather: "
    yield rc.ToolCall("get_weather", {"city": "Hanoi"})


def one_answer(text):
    yield [{"role": "assistant", "content": f"Weather: {text}"}]


@pytest.mark.parametrize(
    ("agent", "output", "calls"),
    [
        (lambda text: f"Weather: {text}", "Weather: Hanoi?", 0),
        (pieces, "Weather: Hanoi?", 0),
        (events, "Weather: ", 1),
        (one_answer, "Weather: Hanoi?", 0),
    ],
)
def test_the_pieces_of_a_generator_are_one_answer(agent, output, calls, tmp_path):
    golden = rc.Golden("Hanoi?", id="hanoi", category="negative")
    (result,) = rc.evaluate(agent, [golden], store=tmp_path / "s.db").results
    assert (result.trajectory.output, len(result.trajectory.calls)) == (output, calls)


def test_an_agent_that_changes_its_golden_is_scored_by_what_was_declared() -> None:
    def agent(golden: rc.Golden) -> list[rc.ToolCall]:
        golden.expected_calls[0].args["city"] = "Hue"
        return [rc.ToolCall("get_weather", {"city": "Hue"})]

    run = rc.evaluate(agent, GOLDENS[:1])
    assert not run.passed and GOLDENS[0].expected_calls[0].args == HANOI


def test_arguments_that_an_agent_uses_again_stay_as_they_were_in_each_result() -> None:
    arguments: dict[str, Any] = {}

    def agent(golden: rc.Golden) -> list[rc.ToolCall]:
        arguments["city"] = "Hanoi" if golden.id == "g0" else "Hue"
        return [rc.ToolCall("get_weather", arguments)]

    run = rc.evaluate(agent, GOLDENS, concurrency=1)
    cities = {case.golden_id: case.trajectory.calls[0].arguments["city"] for case in run.results}
    assert cities == {"g0": "Hanoi", "g1": "Hue", "g2": "Hue"}


def test_a_trajectory_shares_nothing_with_what_was_returned() -> None:
    arguments = {"city": "Hanoi"}
    for returned in ([rc.ToolCall("f", arguments)], {"calls": [{"name": "f", "arguments": arguments}]}):
        trajectory = as_trajectory(returned)
        arguments["city"] = "Hue"
        assert trajectory.calls[0].arguments == HANOI
        arguments["city"] = "Hanoi"
