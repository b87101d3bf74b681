"""DeepEval's fields, read from our records: what a constructor accepts under DeepEval's names can be read back.

    LLMTestCase(input="…", actual_output="…", tools_called=[…]).tools_called
    Golden(input="…", expected_tools=[…]).expected_tools

Each class here has the fields of one record that are no fields of ours; `model/deepeval.py` explains their meaning.
The calls and the answer of a test case are those of its trajectory, so that an agent's run is read like a recorded
case: without calls `tools_called` is an empty list, and without an answer `actual_output` is empty text.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rightcall.model.call import ToolCall
    from rightcall.model.golden import ConversationalGolden, Expectations, ExpectedCall, Golden, Turn
    from rightcall.model.trajectory import Trajectory


class ToolCallType(enum.Enum):
    """Where a tool comes from."""

    FUNCTION = "FUNCTION"
    MCP = "MCP"


class CallFields:
    """DeepEval's fields of a tool call."""

    __slots__ = ()
    if TYPE_CHECKING:
        arguments: dict[str, Any] | None
        notes: dict[str, Any]

    @property
    def input_parameters(self) -> dict[str, Any] | None:
        """The arguments; None when there are none."""
        return self.arguments or None

    @property
    def type(self) -> ToolCallType:
        """A function, unless the call says otherwise."""
        return ToolCallType.MCP if self.notes.get("type") == "MCP" else ToolCallType.FUNCTION

    @property
    def description(self) -> str | None:
        """What the tool does."""
        return self.notes.get("description")

    @property
    def reasoning(self) -> str | None:
        """Why it was called."""
        return self.notes.get("reasoning")


class GoldenFields:
    """DeepEval's fields of every golden."""

    __slots__ = ()
    if TYPE_CHECKING:
        metadata: dict[str, Any]
        custom_columns: dict[str, str] | None

    @property
    def additional_metadata(self) -> dict[str, Any]:
        """DeepEval's name for `metadata`."""
        return self.metadata

    @property
    def custom_column_key_values(self) -> dict[str, str] | None:
        """DeepEval's name for `custom_columns`."""
        return self.custom_columns


class SingleTurnFields(GoldenFields):
    """DeepEval's fields of a golden of one turn."""

    __slots__ = ()
    if TYPE_CHECKING:
        expected_calls: Any
        extra_calls: str
        no_calls: bool

    @property
    def expected_tools(self) -> list[ToolCall] | None:
        """The expected calls as tool calls; None if the golden says nothing about calls."""
        calls = [tool_call_of(call) for call in self.expected_calls]
        return calls if calls or self.no_calls or self.extra_calls == "forbid" else None


class TurnFields:
    """DeepEval's fields of a turn."""

    __slots__ = ()
    if TYPE_CHECKING:
        metadata: dict[str, Any]
        notes: dict[str, Any]

    @property
    def additional_metadata(self) -> dict[str, Any]:
        """DeepEval's former name for `metadata`."""
        return self.metadata

    @property
    def latency_ms(self) -> float | None:
        """Time until the answer."""
        return self.notes.get("latency_ms")

    @property
    def interrupted(self) -> bool | None:
        """Whether the speaker was interrupted."""
        return self.notes.get("interrupted")

    @property
    def provider_transcript(self) -> str | None:
        """The provider's transcript of a spoken turn."""
        return self.notes.get("provider_transcript")


class CaseFields:
    """DeepEval's fields of every test case, from its golden."""

    __slots__ = ()
    if TYPE_CHECKING:
        golden: Any
        trajectory: Trajectory

    @property
    def context(self) -> list[str] | None:
        """Facts that the answer may rely on."""
        return _list(self.golden.context)

    @property
    def name(self) -> str | None:
        """The name of the test case."""
        return self.golden.name  # type: ignore[no-any-return]

    @property
    def comments(self) -> str | None:
        """Notes for people."""
        return self.golden.comments  # type: ignore[no-any-return]

    @property
    def tags(self) -> list[str] | None:
        """Labels to group results by."""
        return _list(self.golden.tags or None)

    @property
    def metadata(self) -> dict[str, Any]:
        """Any further data."""
        return {name: value for name, value in self.golden.metadata.items() if name != "chatbot_role"}

    @property
    def additional_metadata(self) -> dict[str, Any]:
        """DeepEval's former name for `metadata`."""
        return self.metadata

    @property
    def custom_column_key_values(self) -> dict[str, str] | None:
        """Further columns of a table."""
        return self.golden.custom_columns  # type: ignore[no-any-return]

    @property
    def expectations(self) -> Expectations | None:
        """What the answer must and must not do, for a judge."""
        return self.golden.expectations  # type: ignore[no-any-return]

    @property
    def expected_labels(self) -> dict[str, str] | None:
        """Labels for classifiers."""
        return self.golden.expected_labels  # type: ignore[no-any-return]

    @property
    def multimodal(self) -> bool:
        """Only text is scored."""
        return False

    @property
    def flaky(self) -> bool:
        """Several trials and `quarantine` take its place."""
        return False

    @property
    def mcp_servers(self) -> None:
        """Tools belong to the agent."""
        return


class LLMTestCaseFields(CaseFields):
    """DeepEval's fields of `LLMTestCase`."""

    __slots__ = ()
    if TYPE_CHECKING:
        golden: Golden

    @property
    def input(self) -> str:
        """The request."""
        return self.golden.input

    @property
    def actual_output(self) -> str:
        """The answer; empty if there is none."""
        return self.trajectory.output

    @property
    def expected_output(self) -> str | None:
        """The answer that was expected."""
        return self.golden.expected_output

    @property
    def retrieval_context(self) -> list[str] | None:
        """What was retrieved for the answer."""
        return _list(self.golden.retrieval_context)

    @property
    def tools_called(self) -> list[ToolCall]:
        """The calls that were made."""
        return list(self.trajectory.calls)

    @property
    def expected_tools(self) -> list[ToolCall] | None:
        """The calls that were expected; None if nothing was said about calls."""
        return self.golden.expected_tools

    @property
    def token_cost(self) -> float | None:
        """The cost in US dollars; None if unknown."""
        return self.trajectory.usage.cost_usd

    @property
    def input_token_count(self) -> int | None:
        """Tokens of the requests; None if unknown."""
        return self.trajectory.usage.input_tokens or None

    @property
    def output_token_count(self) -> int | None:
        """Tokens of the answers; None if unknown."""
        return self.trajectory.usage.output_tokens or None

    @property
    def completion_time(self) -> float | None:
        """Seconds until the answer; None if unknown."""
        latency = self.trajectory.latency_ms
        return None if latency is None else latency / 1000


class ConversationFields(CaseFields):
    """DeepEval's fields of `ConversationalTestCase`."""

    __slots__ = ()
    if TYPE_CHECKING:
        golden: ConversationalGolden

        @property
        def turns(self) -> tuple[Turn, ...]: ...

    @property
    def scenario(self) -> str:
        """What the conversation is about."""
        return self.golden.scenario

    @property
    def expected_outcome(self) -> str | None:
        """How it should end."""
        return self.golden.expected_outcome

    @property
    def user_description(self) -> str | None:
        """Who the user is."""
        return self.golden.user_description

    @property
    def chatbot_role(self) -> str | None:
        """The role that the agent plays."""
        return self.golden.metadata.get("chatbot_role")


def tool_call_of(call: ExpectedCall) -> ToolCall:
    """An expected call as a tool call; arguments with matchers, which no call has, are left out."""
    from rightcall.model.call import ToolCall

    notes = {name: value for name, value in call.notes.items() if name != "output"}
    output = call.notes.get("output")
    arguments = plain_arguments(call) or {}
    name = call.tool if isinstance(call.tool, str) else next(iter(_names(call.tool)))
    return ToolCall(name, arguments, status="not_run" if output is None else "ok", output=output, notes=notes)


def plain_arguments(call: ExpectedCall) -> dict[str, Any] | None:
    """The exact arguments of an expected call; None if any are accepted or one has another matcher."""
    if call.args is None or not all(_is_plain(spec) for spec in call.args.values()):
        return None
    return {name: spec["exact"] if isinstance(spec, dict) else spec for name, spec in call.args.items()}


def _is_plain(spec: Any) -> bool:
    return not callable(spec) and (not isinstance(spec, dict) or spec.keys() == {"exact"})


def _names(pattern: Any) -> Any:
    return pattern.values() if isinstance(pattern, dict) else pattern


def _list(values: Any) -> list[Any] | None:
    return None if values is None else list(values)
