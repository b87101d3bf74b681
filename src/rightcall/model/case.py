"""The only thing a metric sees."""

from __future__ import annotations

from collections.abc import Iterable

from rightcall.model.call import ToolCall
from rightcall.model.golden import ConversationalGolden, Golden, Turn
from rightcall.model.record import Record, Spelled
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory


class TestCase(Record, frozen=True, metaclass=Spelled):
    """A golden, what the agent did, and the tools it was offered (by name; empty when not known).

    DeepEval's words do as well: `TestCase(input="…", actual_output="…", tools_called=[…], expected_tools=[…])`.
    """

    __test__ = False  # pytest would take the name for a test class

    golden: Golden
    trajectory: Trajectory
    tools: dict[str, Tool] = {}

    @classmethod
    def of(cls, golden: Golden, trajectory: Trajectory, tools: Iterable[Tool] = ()) -> TestCase:
        """A case from a plain list of tools."""
        return cls(golden, trajectory, {tool.name: tool for tool in tools})


class ConversationalTestCase(Record, frozen=True, metaclass=Spelled):
    """A scenario, the conversation that was held, and the tools the agent was offered.

    DeepEval's words do as well: `ConversationalTestCase(scenario="…", turns=[Turn("user", "…"), …])`.
    """

    __test__ = False

    golden: ConversationalGolden
    trajectory: Trajectory
    tools: dict[str, Tool] = {}

    @property
    def turns(self) -> tuple[Turn, ...]:
        """What user and agent said, each turn of the agent with the calls it made for it."""
        return turns_of(self.trajectory)


def turns_of(trajectory: Trajectory) -> tuple[Turn, ...]:
    """The conversation in turns: what the agent called stands with the words that followed."""
    turns: list[Turn] = []
    step, waiting = -1, list[ToolCall]()
    for message in trajectory.messages:
        if message.role == "user":
            turns.append(Turn("user", message.content))
        elif message.role == "assistant":
            step += 1
            made = [call for call in trajectory.calls if call.step == step] or list(message.calls)
            waiting += made
            if message.content or not made:
                turns.append(Turn("assistant", message.content, tools_called=tuple(waiting) or None))
                waiting = []
    if waiting:
        turns.append(Turn("assistant", "", tools_called=tuple(waiting)))
    return tuple(turns)


LLMTestCase = TestCase
"""DeepEval's name for it."""

AnyTestCase = TestCase | ConversationalTestCase
