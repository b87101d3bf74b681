"""DeepEval's argument names in the constructors of records.

    Golden(input="…", expected_tools=[ToolCall(name="search", input_parameters={"q": "x"})])
    TestCase(input="…", actual_output="…", tools_called=[…])

Each function here takes the arguments of one constructor and returns the fields of our record;
`record.Spelled` calls it when a constructor got an argument that is not a field. The meaning is that of
DeepEval's files (`datasets/deepeval`): an expected tool without parameters may have any arguments, objects in
parameters are taken literally, and a golden without tools allows every call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rightcall.core.errors import suggestion
from rightcall.model.call import ToolCall
from rightcall.model.golden import ConversationalGolden, ExpectedCall, Golden, Turn
from rightcall.model.recorded_case import conversation_of, trajectory_of, without_recorded

Words = dict[str, Any]

RENAMED = {"additional_metadata": "metadata", "custom_column_key_values": "custom_columns"}
IN_NOTES_OF_CALL = ("type", "description", "reasoning")
IN_NOTES_OF_TURN = (
    "audio", "latency_ms", "interrupted", "provider_transcript", "mcp_tools_called", "mcp_resources_called",
    "mcp_prompts_called",
)  # fmt: skip
ON_CALLS = ("expected_calls", "any_of", "extra_calls", "forbidden_calls", "no_calls")
"""Fields that define which calls are right."""

INSTEAD = {
    "mcp_servers": "pass the tools to the agent: rightcall.Agent(…, tools=…)",
    "mcp_tools_called": "pass them as tools_called",
    "mcp_resources_called": "remove them",
    "mcp_prompts_called": "remove them",
    "multimodal": "only text is scored",
    "images_mapping": "only text is scored",
    "flaky": "use several trials, and `quarantine` in the suite",
}
"""DeepEval arguments without an equivalent, and what to do instead."""


def respell_fields(record: type[Any], args: tuple[Any, ...], words: Words) -> Words:
    """The fields of a record from arguments that it rejected; a `TypeError` names an unknown one."""
    if len(args) > len(record.__struct_fields__):
        raise TypeError(
            f"{record.__name__}() takes {len(record.__struct_fields__)} arguments, got {len(args)}"
        )
    words_by_field = dict(zip(record.__struct_fields__, args, strict=False)) | words
    meaningful = {word: value for word, value in words_by_field.items() if value or word not in INSTEAD}
    fields = SPELLINGS[record.__name__](meaningful)
    for word in fields:
        if word not in record.__struct_fields__:
            raise TypeError(f"{record.__name__}() got an unexpected argument '{word}'; {_hint(record, word)}")
    names = record.__struct_fields__
    for needed in names[: len(names) - len(record.__struct_defaults__)]:  # those without a default come first
        if needed not in fields:
            raise TypeError(f"{record.__name__}() is missing the argument '{needed}'")
    return fields


def golden_words(words: Words) -> Words:
    fields = _rename_words(words)
    if "expected_tools" in fields:
        tools = fields.pop("expected_tools")
        if tools is not None:
            fields["expected_calls"] = tuple(
                as_expected_call(tool) for tool in _list_of(tools, "expected_tools")
            )
    if not any(name in fields for name in ON_CALLS):
        fields["extra_calls"] = "allow"
    if fields.get("tools_called") is not None:
        fields["tools_called"] = tuple(map(as_tool_call, _list_of(fields["tools_called"], "tools_called")))
    return _as_tuples(fields)


def conversation_words(words: Words) -> Words:
    fields = _rename_words(words)
    if not any(name in fields for name in ON_CALLS):
        fields["extra_calls"] = "allow"
    persona = fields.get("persona")
    if persona is not None and not isinstance(persona, dict):
        fields["persona"] = {"characteristics": str(getattr(persona, "characteristics", persona))}
        if isinstance(name := getattr(persona, "name", None), str):
            fields["persona"]["name"] = name
    if fields.get("turns") is not None:
        fields["turns"] = tuple(turn if isinstance(turn, Turn) else Turn(**turn) for turn in fields["turns"])
    return _as_tuples(fields)


def case_words(words: Words) -> Words:
    """`LLMTestCase(input=…, actual_output=…, …)`: a golden, and the agent's recorded behaviour."""
    if "input" not in words:
        return _without("input", "TestCase", words)
    ours: Words = {name: words[name] for name in ("tools", "trajectory") if name in words}
    rest = {name: value for name, value in words.items() if name not in ours}
    seconds = rest.pop("completion_time", None)
    golden = Golden(**golden_words(rest))
    trajectory = trajectory_of(golden, None if seconds is None else 1000 * seconds)
    return {"golden": without_recorded(golden), "trajectory": trajectory, **ours}


def conversation_case_words(words: Words) -> Words:
    """`ConversationalTestCase(turns=[…], scenario=…)`: the turns are the recorded conversation."""
    if "turns" not in words:
        return _without("turns", "ConversationalTestCase", words)
    ours: Words = {name: words[name] for name in ("tools", "trajectory") if name in words}
    rest = {name: value for name, value in words.items() if name not in ours}
    if not rest["turns"]:
        raise TypeError("ConversationalTestCase() needs turns, got none")
    role = rest.pop("chatbot_role", None)
    fields = conversation_words(rest)
    if role is not None:
        fields["metadata"] = {**fields.get("metadata", {}), "chatbot_role": role}
    if fields.get("scenario") is None:
        fields["scenario"] = fields["turns"][0].content
    golden = ConversationalGolden(**fields)
    return {"golden": golden, "trajectory": conversation_of(golden.turns), **ours}


def call_words(words: Words) -> Words:
    fields = dict(words)
    for word in ("input_parameters", "inputParameters"):
        if word in fields:
            if "arguments" in fields:
                raise TypeError(f"'{word}' and 'arguments' mean the same; pass only one of them")
            fields["arguments"] = fields.pop(word) or {}
    if fields.get("output") is not None:
        fields.setdefault("status", "ok")
    return _with_notes(fields, IN_NOTES_OF_CALL)


def turn_words(words: Words) -> Words:
    fields = _with_notes(_rename_words(words), IN_NOTES_OF_TURN)
    if fields.get("tools_called") is not None:
        fields["tools_called"] = tuple(map(as_tool_call, _list_of(fields["tools_called"], "tools_called")))
    return _as_tuples(fields)


def as_expected_call(tool: Any) -> ExpectedCall:
    """One of `expected_tools`: a tool's name, a `ToolCall`, or a mapping as in a file."""
    if isinstance(tool, ExpectedCall):
        return tool
    if isinstance(tool, str):
        return ExpectedCall(tool)
    call = as_tool_call(tool)
    args = {name: literal(value) for name, value in call.arguments.items()} if call.arguments else None
    notes = call.notes if call.output is None else {**call.notes, "output": call.output}
    return ExpectedCall(call.name, args, notes=notes)


def as_tool_call(call: Any) -> ToolCall:
    """One of `tools_called`. A call given by name only has unknown arguments."""
    if isinstance(call, ToolCall):
        return call
    if isinstance(call, str):
        return ToolCall(call, None)
    if isinstance(call, Mapping):
        return ToolCall(**call)
    raise TypeError(f"a tool call must be a ToolCall, a mapping or a tool name, got {type(call).__name__}")


def literal(value: Any) -> Any:
    """Wrap an object that would be read as a matcher because of its key, so that it is taken literally."""
    return {"exact": value} if isinstance(value, dict) else value


SPELLINGS: dict[str, Callable[[Words], Words]] = {
    "Golden": golden_words,
    "ConversationalGolden": conversation_words,
    "TestCase": case_words,
    "ConversationalTestCase": conversation_case_words,
    "ToolCall": call_words,
    "Turn": turn_words,
}
"""By record name."""

WORDS = {
    "Golden": ("expected_tools", *RENAMED),
    "ConversationalGolden": tuple(RENAMED),
    "TestCase": (*Golden.__struct_fields__, "expected_tools", "completion_time", *RENAMED),
    "ConversationalTestCase": (*ConversationalGolden.__struct_fields__, "chatbot_role", *RENAMED),
    "ToolCall": ("input_parameters", *IN_NOTES_OF_CALL),
    "Turn": IN_NOTES_OF_TURN,
}
"""Arguments of each constructor in addition to the fields of its record."""


def _without(needed: str, record: str, words: Words) -> Words:
    """The arguments unchanged when they are RightCall's; DeepEval's lack the one that makes a test case."""
    if words.keys() & set(WORDS[record]):
        raise TypeError(f"{record}() is missing the argument '{needed}'")
    return words


def _list_of(calls: Any, word: str) -> list[Any] | tuple[Any, ...]:
    if not isinstance(calls, list | tuple):
        raise TypeError(f"{word} must be a list of tool calls, got {type(calls).__name__}")
    return calls


def _rename_words(words: Words) -> Words:
    fields = dict(words)
    for theirs, ours in RENAMED.items():
        if theirs in fields:
            value = fields.pop(theirs)
            if ours in fields:
                raise TypeError(f"'{theirs}' and '{ours}' mean the same; pass only one of them")
            if value is not None:
                fields[ours] = value
    return fields


def _with_notes(fields: Words, names: Iterable[str]) -> Words:
    """The fields, with unused data moved to the notes."""
    notes = dict(fields.get("notes", {}))
    for name in names:
        value = fields.pop(name, None)
        value = getattr(value, "value", value)  # DeepEval's enumerations
        if value is not None and value != "FUNCTION":
            notes[name] = value
    return {**fields, "notes": notes} if notes else fields


def _as_tuples(fields: Words) -> Words:
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in fields.items()
        if value is not None
    }


def _hint(record: type[Any], word: str) -> str:
    if word in INSTEAD:
        return INSTEAD[word]
    field_names = dict.fromkeys((*record.__struct_fields__, *WORDS[record.__name__]))
    return suggestion(word, field_names) or f"known: {', '.join(field_names)}"
