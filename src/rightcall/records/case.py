"""A test case: the input of a metric. Behaviour recorded in a golden is one, too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from msgspec.structs import replace

from rightcall.records.call import ToolCall
from rightcall.records.deepeval import RENAMED, Words
from rightcall.records.golden import AnyGolden, ConversationalGolden, Golden, Turn
from rightcall.records.message import Message, result_messages
from rightcall.records.record import Reading, Record, Spelled
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory, Usage

RECORDED = ("actual_output", "tools_called", "token_cost", "input_token_count", "output_token_count")


def trajectory_of(golden: Golden, latency_ms: float | None = None) -> Trajectory:
    """What the golden's `actual_output` and `tools_called` say the agent did."""
    usage = Usage(
        int(golden.input_token_count or 0), int(golden.output_token_count or 0), cost_usd=golden.token_cost
    )
    return Trajectory(
        calls=golden.tools_called or (), output=golden.actual_output or "", usage=usage, latency_ms=latency_ms
    )


def without_recorded(golden: Golden) -> Golden:
    """The golden without its recording, so that two recordings are two trials of one golden."""
    return replace(golden, **dict.fromkeys(RECORDED))


def conversation_of(turns: Sequence[Turn]) -> Trajectory:
    """The trajectory of a conversation recorded turn by turn."""
    from rightcall.records.dialects.transcript import trajectory_from_messages  # start-up: few cases need it

    messages: list[Message] = []
    for turn in turns:
        calls = turn.tools_called or ()
        messages.append(Message(turn.role, turn.content, calls))
        messages += result_messages(calls)
    return trajectory_from_messages(messages)


def _list(values: Any) -> list[Any] | None:
    return None if values is None else list(values)


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


class TestCase(Record, LLMTestCaseFields, frozen=True, metaclass=Spelled):
    """A golden, what the agent did, and the tools it was offered (by name; empty when unknown).

    DeepEval's argument names work too: `TestCase(input="…", actual_output="…", tools_called=[…], expected_tools=[…])`.
    """

    __test__ = False  # pytest would collect it as a test class

    golden: Golden
    trajectory: Trajectory
    tools: dict[str, Tool] = {}

    _further_words: ClassVar = (*Golden.__struct_fields__, "expected_tools", "completion_time", *RENAMED)

    @classmethod
    def _respell(cls, words: Words) -> Words:
        """`LLMTestCase(input=…, actual_output=…, …)`: a golden, and the agent's recorded behaviour."""
        if "input" not in words:
            return _without("input", cls, words)
        ours: Words = {name: words[name] for name in ("tools", "trajectory") if name in words}
        rest = {name: value for name, value in words.items() if name not in ours}
        seconds = rest.pop("completion_time", None)
        golden = Golden(**Golden._respell(rest))
        trajectory = trajectory_of(golden, None if seconds is None else 1000 * seconds)
        return {"golden": without_recorded(golden), "trajectory": trajectory, **ours}

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

    _further_words: ClassVar = (*ConversationalGolden.__struct_fields__, "chatbot_role", *RENAMED)

    @classmethod
    def _respell(cls, words: Words) -> Words:
        """`ConversationalTestCase(turns=[…], scenario=…)`: the turns are the recorded conversation."""
        if "turns" not in words:
            return _without("turns", cls, words)
        ours: Words = {name: words[name] for name in ("tools", "trajectory") if name in words}
        rest = {name: value for name, value in words.items() if name not in ours}
        if not rest["turns"]:
            raise TypeError("ConversationalTestCase() needs turns, got none")
        role = rest.pop("chatbot_role", None)
        fields = ConversationalGolden._respell(rest)
        if role is not None:
            fields["metadata"] = {**fields.get("metadata", {}), "chatbot_role": role}
        if fields.get("scenario") is None:
            fields["scenario"] = fields["turns"][0].content
        golden = ConversationalGolden(**fields)
        return {"golden": golden, "trajectory": conversation_of(golden.turns), **ours}

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns of user and agent, each agent turn with its calls."""
        return turns_of(self.trajectory)


def turns_of(trajectory: Trajectory) -> tuple[Turn, ...]:
    """The conversation as turns: the agent's calls belong to the text that followed them."""
    turns: list[Turn] = []
    step = -1
    waiting = list[ToolCall]()
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


def _without(needed: str, record: type[AnyTestCase], words: Words) -> Words:
    """The arguments unchanged when they are RightCall's; DeepEval's lack the one that makes a test case."""
    if words.keys() & set(record._further_words):
        raise TypeError(f"{record.__name__}() is missing the argument '{needed}'")
    return words


def case_of(golden: AnyGolden) -> AnyTestCase:
    """The test case of a golden: its recorded output and calls, or its turns, become the trajectory."""
    if not isinstance(golden, Golden):
        return ConversationalTestCase(golden, conversation_of(golden.turns))
    return TestCase(without_recorded(golden), trajectory_of(golden))


LLMTestCase = TestCase
"""DeepEval's name for `trajectory`."""

AnyTestCase = TestCase | ConversationalTestCase
