"""DeepEval's argument names in the constructors of records.

    Golden(input="…", expected_tools=[ToolCall(name="search", input_parameters={"q": "x"})])
    TestCase(input="…", actual_output="…", tools_called=[…])

A record's `_respell` takes the arguments of its constructor and returns the fields of the record, with what is here;
`record.Spelled` calls it when a constructor got an argument that is not a field. The meaning is that of
DeepEval's files (`datasets/deepeval`): an expected tool without parameters may have any arguments, objects in
parameters are taken literally, and a golden without tools allows every call.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rightcall.core.errors import suggestion

Words = dict[str, Any]

RENAMED = {"additional_metadata": "metadata", "custom_column_key_values": "custom_columns"}
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
        problem = f"{record.__name__}() takes {len(record.__struct_fields__)} arguments, got {len(args)}"
        raise TypeError(problem)
    words_by_field = dict(zip(record.__struct_fields__, args, strict=False)) | words
    meaningful = {word: value for word, value in words_by_field.items() if value or word not in INSTEAD}
    fields: Words = record._respell(meaningful)
    for word in fields:
        if word not in record.__struct_fields__:
            raise TypeError(f"{record.__name__}() got an unexpected argument '{word}'; {_hint(record, word)}")
    names = record.__struct_fields__
    for needed in names[: len(names) - len(record.__struct_defaults__)]:  # those without a default come first
        if needed not in fields:
            raise TypeError(f"{record.__name__}() is missing the argument '{needed}'")
    return fields


def list_of(calls: Any, word: str) -> list[Any] | tuple[Any, ...]:
    """The calls, if they are a list."""
    if not isinstance(calls, list | tuple):
        raise TypeError(f"{word} must be a list of tool calls, got {type(calls).__name__}")
    return calls


def rename_words(words: Words) -> Words:
    """The arguments under our names, where DeepEval's differ."""
    fields = dict(words)
    for theirs, ours in RENAMED.items():
        if theirs in fields:
            value = fields.pop(theirs)
            if ours in fields:
                raise TypeError(f"'{theirs}' and '{ours}' mean the same; pass only one of them")
            if value is not None:
                fields[ours] = value
    return fields


def with_notes(fields: Words, names: Iterable[str]) -> Words:
    """The fields, with unused data moved to the notes."""
    notes = dict(fields.get("notes", {}))
    for name in names:
        value = fields.pop(name, None)
        value = getattr(value, "value", value)  # DeepEval's enumerations
        if value is not None and value != "FUNCTION":
            notes[name] = value
    return {**fields, "notes": notes} if notes else fields


def _hint(record: type[Any], word: str) -> str:
    if word in INSTEAD:
        return INSTEAD[word]
    field_names = dict.fromkeys((*record.__struct_fields__, *record._further_words))
    return suggestion(word, field_names) or f"known: {', '.join(field_names)}"
