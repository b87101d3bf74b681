"""DeepEval's fields, read from our records: what a constructor accepts under DeepEval's names can be read back.

    LLMTestCase(input="…", actual_output="…", tools_called=[…]).tools_called
    Golden(input="…", expected_tools=[…]).expected_tools

Each class here has the fields of one record that are no fields of ours; `model/deepeval.py` explains their meaning.
The calls and the answer of a test case are those of its trajectory, so that an agent's run is read like a recorded
case: without calls `tools_called` is an empty list, and without an answer `actual_output` is empty text.
"""

from __future__ import annotations

from typing import Any

from rightcall.records.call import ToolCall
from rightcall.records.record import Reading


def _list(values: Any) -> list[Any] | None:
    return None if values is None else list(values)


class GoldenFields:
    """DeepEval's fields of every golden."""

    __slots__ = ()

    additional_metadata = Reading[dict[str, Any]](lambda golden: golden.metadata)
    """DeepEval's name for `metadata`."""
    custom_column_key_values = Reading[dict[str, str] | None](lambda golden: golden.custom_columns)
    """DeepEval's name for `custom_columns`."""


class TurnFields:
    """DeepEval's fields of a turn."""

    __slots__ = ()

    additional_metadata = Reading[dict[str, Any]](lambda turn: turn.metadata)
    """DeepEval's former name for `metadata`."""
    latency_ms = Reading[float | None](lambda turn: turn.notes.get("latency_ms"))
    """Time until the answer."""
    interrupted = Reading[bool | None](lambda turn: turn.notes.get("interrupted"))
    """Whether the speaker was interrupted."""
    provider_transcript = Reading[str | None](lambda turn: turn.notes.get("provider_transcript"))
    """The provider's transcript of a spoken turn."""


class CaseFields:
    """DeepEval's fields of every test case, from its golden."""

    __slots__ = ()

    context = Reading[list[str] | None](lambda case: _list(case.golden.context))
    """Facts that the answer may rely on."""
    name = Reading[str | None](lambda case: case.golden.name)
    comments = Reading[str | None](lambda case: case.golden.comments)
    """Notes for people."""
    tags = Reading[list[str] | None](lambda case: _list(case.golden.tags or None))
    """Labels to group results by."""
    metadata = Reading[dict[str, Any]](
        lambda case: {name: value for name, value in case.golden.metadata.items() if name != "chatbot_role"}
    )
    """Any further data."""
    additional_metadata = metadata
    """DeepEval's former name for `metadata`."""
    custom_column_key_values = Reading[dict[str, str] | None](lambda case: case.golden.custom_columns)
    """Further columns of a table."""
    expectations = Reading[Any](lambda case: case.golden.expectations)
    """What the answer must and must not do, for a judge."""
    expected_labels = Reading[dict[str, str] | None](lambda case: case.golden.expected_labels)
    """Labels for classifiers."""
    multimodal = Reading[bool](lambda case: False)
    """Only text is scored."""
    flaky = Reading[bool](lambda case: False)
    """Several trials and `quarantine` take its place."""
    mcp_servers = Reading[None](lambda case: None)
    """Tools belong to the agent."""


class LLMTestCaseFields(CaseFields):
    """DeepEval's fields of `LLMTestCase`."""

    __slots__ = ()

    input = Reading[str](lambda case: case.golden.input)
    """The request."""
    actual_output = Reading[str](lambda case: case.trajectory.output)
    """The answer; empty if there is none."""
    expected_output = Reading[str | None](lambda case: case.golden.expected_output)
    """The answer that was expected."""
    retrieval_context = Reading[list[str] | None](lambda case: _list(case.golden.retrieval_context))
    """What was retrieved for the answer."""
    tools_called = Reading[list[ToolCall]](lambda case: list(case.trajectory.calls))
    """The calls that were made."""
    expected_tools = Reading[list[ToolCall] | None](lambda case: case.golden.expected_tools)
    """The calls that were expected; None if nothing was said about calls."""
    token_cost = Reading[float | None](lambda case: case.trajectory.usage.cost_usd)
    """The cost in US dollars; None if unknown."""
    input_token_count = Reading[int | None](lambda case: case.trajectory.usage.input_tokens or None)
    """Tokens of the requests; None if unknown."""
    output_token_count = Reading[int | None](lambda case: case.trajectory.usage.output_tokens or None)
    """Tokens of the answers; None if unknown."""

    completion_time = Reading[float | None](
        lambda case: None if case.trajectory.latency_ms is None else case.trajectory.latency_ms / 1000
    )
    """Seconds until the answer; None if unknown."""


class ConversationFields(CaseFields):
    """DeepEval's fields of `ConversationalTestCase`."""

    __slots__ = ()

    scenario = Reading[str](lambda case: case.golden.scenario)
    """What the conversation is about."""
    expected_outcome = Reading[str | None](lambda case: case.golden.expected_outcome)
    """How it should end."""
    user_description = Reading[str | None](lambda case: case.golden.user_description)
    """Who the user is."""
    chatbot_role = Reading[str | None](lambda case: case.golden.metadata.get("chatbot_role"))
    """The role that the agent plays."""
