"""The only thing a metric sees."""

from __future__ import annotations

from collections.abc import Iterable

from rightcall.model.golden import ConversationalGolden, Golden
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


LLMTestCase = TestCase
"""DeepEval's name for it."""

AnyTestCase = TestCase | ConversationalTestCase
