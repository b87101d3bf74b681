"""A test case: the input of a metric."""

from __future__ import annotations

from collections.abc import Iterable

from rightcall.model.call import ToolCall
from rightcall.model.deepeval_fields import ConversationFields, LLMTestCaseFields
from rightcall.model.golden import ConversationalGolden, Golden, Turn
from rightcall.model.record import Record, Spelled
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory


class TestCase(Record, LLMTestCaseFields, frozen=True, metaclass=Spelled):
    """A golden, what the agent did, and the tools it was offered (by name; empty when unknown).

    DeepEval's argument names work too: `TestCase(input="…", actual_output="…", tools_called=[…], expected_tools=[…])`.
    """

    __test__ = False  # pytest would collect it as a test class

    golden: Golden
    trajectory: Trajectory
    tools: dict[str, Tool] = {}

    @classmethod
    def of(cls, golden: Golden, trajectory: Trajectory, tools: Iterable[Tool] = ()) -> TestCase:
        return cls(golden, trajectory, {tool.name: tool for tool in tools})


class ConversationalTestCase(Record, ConversationFields, frozen=True, metaclass=Spelled):
    """A scenario, the conversation that took place, and the tools the agent was offered.

    DeepEval's argument names work too: `ConversationalTestCase(scenario="…", turns=[Turn("user", "…"), …])`.
    """

    __test__ = False

    golden: ConversationalGolden
    trajectory: Trajectory
    tools: dict[str, Tool] = {}

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns of user and agent, each agent turn with its calls."""
        return turns_of(self.trajectory)


def turns_of(trajectory: Trajectory) -> tuple[Turn, ...]:
    """The conversation as turns: the agent's calls belong to the text that followed them."""
    turns: list[Turn] = []
    step, waiting = -1, list[ToolCall]()
    for message in trajectory.messages:
        if message.role == "user":
            turns.append(Turn("user", message.content))
        elif message.role == "assistant":
            step += 1
            calls = [call for call in trajectory.calls if call.step == step] or list(message.calls)
            waiting += calls
            if message.content or not calls:
                turns.append(Turn("assistant", message.content, tools_called=tuple(waiting) or None))
                waiting = []
    if waiting:
        turns.append(Turn("assistant", "", tools_called=tuple(waiting)))
    return tuple(turns)


LLMTestCase = TestCase
"""DeepEval's name for `trajectory`."""

AnyTestCase = TestCase | ConversationalTestCase
