"""Agents that understand nothing: what they pass, a dataset does not test. None of them asks a model."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from rightcall.model.call import ToolCall, ToolResult
from rightcall.model.dialects.wire import output_text
from rightcall.model.floor import TrivialName
from rightcall.model.golden import AnyGolden, Golden
from rightcall.model.message import Message
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Dialogue, Trajectory
from rightcall.models.keyword import NO_TOOL_FITS, ToolIndex, extract, results_as_answer
from rightcall.schema.sample_values import required_values

if TYPE_CHECKING:
    from rightcall.run.rehearsal.stage import Stage

ANSWERS: dict[TrivialName, str] = {"constant": "I have done that.", "refuse": "I cannot help with that."}


class Response(NamedTuple):
    """What an agent does in one turn. Without an `answer` it repeats the results of its calls."""

    calls: tuple[ToolCall, ...] = ()
    answer: str | None = ""


class Offer:
    """The tools that goldens offer, and what agents make of them, computed once."""

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self.tools = tools

    @cached_property
    def calls(self) -> tuple[ToolCall, ...]:
        """A call of each tool with the least arguments that its schema asks for."""
        return tuple(ToolCall(name, least_arguments(tool)) for name, tool in self.tools.items())

    @cached_property
    def _index(self) -> ToolIndex:
        return ToolIndex(tuple(self.tools.values()))

    def respond(self, agent: TrivialName, request: str) -> Response:
        """What an agent does with a request."""
        match agent:
            case "first":
                return Response(self.calls[:1])
            case "everything":
                return Response(self.calls)
            case "keyword":
                tool = self._index.choose(request)
                if tool is None:
                    return Response(answer=NO_TOOL_FITS)
                return Response((ToolCall(tool.name, extract(tool, request)),), None)
            case "echo":
                return Response(answer=request)
            case _:
                return Response(answer=ANSWERS.get(agent, ""))


def least_arguments(tool: Tool) -> dict[str, Any]:
    """The least arguments of a call; none for a schema that no value can be made from."""
    try:
        return required_values(tool.input_schema, random.Random(0))  # noqa: S311  the same call every time
    except Exception:  # schemas are foreign: `minItems: "x"`, a limit beyond every number
        return {}


def requests_of(golden: AnyGolden) -> list[str]:
    """What the user says, turn by turn; a simulated user states the scenario."""
    if isinstance(golden, Golden):
        return [golden.input]
    return [turn.content for turn in golden.script] or [golden.scenario]


async def act(golden: AnyGolden, responses: Sequence[Response], stage: Stage | None) -> Trajectory:
    """What comes of an agent's responses to the turns of a golden; on a `stage` its calls have results."""
    given = () if isinstance(golden, Golden) else golden.given
    messages = [Message(turn.role, turn.content) for turn in given]
    step = sum(turn.role == "assistant" for turn in given)
    calls: list[ToolCall] = []
    answer = ""
    for request, response in zip(requests_of(golden), responses, strict=True):
        messages.append(Message("user", request))
        results: list[ToolCall] = []
        if response.calls:
            results = _numbered(response.calls, step)
            if stage is not None:
                results = await stage.play(results)
            calls += results
            messages.append(Message("assistant", "", calls=tuple(results)))
            step += 1
            if stage is None and isinstance(golden, Golden):
                continue  # its choice is the last that is heard of it
            messages.append(Message("tool", results=tuple(map(_result, results))))
        answer = response.answer if response.answer is not None else results_as_answer(map(_output, results))
        messages.append(Message("assistant", answer))
        step += 1
    trajectory = Trajectory(
        messages=tuple(messages),
        calls=tuple(calls),
        output=answer,
        latency_ms=0.0,
        dialogue=None if isinstance(golden, Golden) else Dialogue("script_end", given=len(given)),
        approvals_seen=bool(golden.confirm),
    )
    return trajectory if stage is None else stage.with_evidence(trajectory)


def _numbered(calls: Iterable[ToolCall], step: int) -> list[ToolCall]:
    return [msgspec.structs.replace(call, id=f"call_{step}_{at}", step=step) for at, call in enumerate(calls)]


def _result(call: ToolCall) -> ToolResult:
    return ToolResult(call.id, call.output, call.status == "error", call.name)


def _output(call: ToolCall) -> str:
    return output_text(call.output)
