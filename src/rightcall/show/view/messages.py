"""The transcript of a case: who said what, in the turns of a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from rightcall.records.message import Message, Role, turn_title
from rightcall.records.record import Record
from rightcall.records.run import CaseResult
from rightcall.records.trajectory import Trajectory
from rightcall.show.text import display_text, json_text, one_line

ENDINGS = {
    "script_end": "the script ended",
    "user_stop": "the user got what they wanted",
    "transfer": "the user was handed over to a human",
    "stopped": "it was stopped",
    "max_turns": "the user reached the maximum number of turns",
    "limit": "a limit was reached",
    "refused": "the model refused",
    "truncated": "an answer was cut off",
    "waiting_for_approval": "the agent waits for an approval",
    "filtered": "a content filter stopped the answer",
    "rejected": "the model's server rejected the request",
    "unreadable": "what the agent returned cannot be read",
    "agent_error": "the agent broke",
    "user_error": "the simulated user was at fault",
    "infra_error": "no answer",
}
"""Why a conversation ended, in words."""


class MessageView(Record, frozen=True):
    """Who said what; `parts` are the calls or results it carries, each a title and a text.

    In a conversation `heading` is shown above the first message of each user turn, and `failing` marks where it
    first went wrong. A heading also says how an observed message was heard.
    """

    role: Role
    text: str = ""
    parts: tuple[tuple[str, str], ...] = ()
    latency_ms: float | None = None
    heading: str = ""
    failing: bool = False
    agent: str = ""
    """Whose answer it is, where there are several agents."""


def with_agents(views: Sequence[MessageView], trajectory: Trajectory) -> tuple[MessageView, ...]:
    """The messages with the agent of each answer; unchanged where answers and messages do not belong together."""
    names = [answer.agent or "" for answer in trajectory.answers if answer.step is not None]
    if len(names) != sum(message.role == "assistant" for message in trajectory.messages):
        return tuple(views)
    agents = iter(names)
    return tuple(
        replace(view, agent=one_line(next(agents), 100)) if view.role == "assistant" else view
        for view in views
    )


def transcript(messages: Sequence[Message], result: CaseResult, input_count: int) -> tuple[MessageView, ...]:
    """The messages of a conversation, with a heading above each user turn and a mark where it went wrong."""
    wrong = first_failing_turn(result)
    views = list[MessageView]()
    turn = 0
    place = -1
    for at, message in enumerate(messages):
        place += message.role in ("user", "assistant")
        heading = ""
        if message.role == "user":
            turn += 1
            heading = turn_title(turn)
        elif at == 0:
            heading = turn_title(0)
        if heading and at < input_count:
            heading += ", said before the agent began"
        failing = wrong is not None and place == wrong and message.role != "tool"
        views.append(message_view(message, heading, failing))
    return tuple(views)


def first_failing_turn(result: CaseResult) -> int | None:
    """Where a conversation first went wrong, as a position among the turns; None when unknown."""
    if result.passed:
        return None
    return min((failure.turn for failure in result.codes if failure.turn is not None), default=None)


def message_view(message: Message, heading: str = "", failing: bool = False) -> MessageView:
    heading = ", ".join(filter(None, (heading, one_line(message.note))))
    calls = tuple((f"calls {one_line(c.name, 200)}", _arguments(c.arguments, c.raw)) for c in message.calls)
    results = tuple(
        (f"{'error' if r.is_error else 'result'} {one_line(r.name, 200)}".strip(), json_text(r.output))
        for r in message.results
    )
    return MessageView(
        message.role,
        display_text(message.content),
        calls + results,
        message.latency_ms,
        heading=heading,
        failing=failing,
    )


def _arguments(arguments: dict[str, Any] | None, raw: str | None) -> str:
    if arguments is None and raw is None:
        return "(arguments unknown)"
    return display_text(raw or "") if arguments is None else json_text(arguments)
