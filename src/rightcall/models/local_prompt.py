"""The prompt that asks a small model to choose a tool, and the format of its answer.

The answer is JSON, constrained by a grammar with one branch per tool and one for no tool:

    {"tool": "get_weather", "arguments": {"city": "Hue"}}          {"tool": "none", "answer": "Hello!"}
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rightcall.core.codec import encode
from rightcall.model import Message, Tool
from rightcall.model.dialects.wire import output_text, parse_call, results_of
from rightcall.schema.subschemas import reference_of, target_of

Json = dict[str, Any]

NO_TOOL = "none"
NEUTRAL_REQUEST = "Hello!"
"""A request about nothing: the odds of a tool then show the model's bias, not its judgement."""

_LONGEST_DESCRIPTION = 400
_LONGEST_ANSWER = 240
_DEEPEST = 5
# llguidance option: no flexible white space, so that no tokens are spent on indentation
_COMPACT = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}


def system_text(system: str, tools: tuple[Tool, ...]) -> str:
    """The system message: the user's own, then the tools and how to answer."""
    if not tools:
        return system
    lines = [f"- {signature(tool)}: {tool.description[:_LONGEST_DESCRIPTION]}" for tool in tools]
    rules = [
        "You choose a tool for the user's request. Reply with JSON.",
        "Tools:",
        *lines,
        f"- {NO_TOOL}: no tool above can do what the user asks",
        'Reply {"tool": name, "arguments": {...}} to use a tool, or {"tool": "none", "answer": text}.',
    ]
    return "\n".join([system, *rules] if system else rules)


def signature(tool: Tool) -> str:
    """`get_weather(city: string, units?: celsius|fahrenheit)`."""
    required = tool.input_schema.get("required")
    needed = required if isinstance(required, list) else []
    parts = [
        f"{name}{'' if name in needed else '?'}: {_type(schema)}" for name, schema in tool.parameters.items()
    ]
    return f"{tool.name}({', '.join(parts)})"


def chat(messages: Iterable[Message]) -> list[Json]:
    """The conversation as text: calls as the JSON the model wrote, results as user messages."""
    chat_messages: list[Json] = []
    for message in messages:
        if message.role == "tool":
            results = "\n".join(
                f"{r.name or 'Tool'} result: {output_text(r.output)}" for r in results_of(message)
            )
            chat_messages.append({"role": "user", "content": results})
        elif message.calls:
            for call in message.calls:
                name, arguments = encode(call.name).decode(), encode(call.arguments or {}).decode()
                text = f'{{"tool": {name}, "arguments": {arguments}}}'
                chat_messages.append({"role": "assistant", "content": text})
        else:
            chat_messages.append({"role": message.role, "content": message.content})
    return chat_messages


def answer_schema(
    tools: Iterable[Tool], *, words: bool, plain: bool = False, longest: int | None = None
) -> Json:
    """The schema of the answer. `words` allows no tool; `plain` leaves the arguments unconstrained."""
    branches = [
        _branch("arguments", t.name, {"type": "object"} if plain else shape(t.input_schema)) for t in tools
    ]
    if words:
        limit = {"type": "string", "maxLength": longest or _LONGEST_ANSWER}
        branches.append(_branch("answer", NO_TOOL, limit))
    return {"anyOf": branches, "x-guidance": _COMPACT}


def read_answer(text: str, tools: tuple[Tool, ...], call_id: str) -> Message | None:
    """The answer as a message, or None when it does not match the schema."""
    answer = parse_call("", text, "").arguments
    if answer is None or not isinstance(answer.get("tool"), str):
        return None
    if answer["tool"] == NO_TOOL and "arguments" not in answer:
        return Message("assistant", str(answer.get("answer", "")))
    if answer["tool"] not in {tool.name for tool in tools}:
        return None
    return Message("assistant", calls=(parse_call(answer["tool"], answer.get("arguments"), call_id),))


def shape(schema: Any, root: Json | None = None, depth: int = 0) -> Json:
    """The part of a schema that a grammar can express: types, enums, properties, items; local references followed.

    Patterns, bounds and combinations are left to validation: many cannot be expressed in a grammar.
    """
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return {}
    root = schema if root is None else root
    reference = reference_of(schema)
    if reference is not None:
        return shape(target_of(root, reference), root, depth + 1)
    for word in ("anyOf", "oneOf"):
        if isinstance(schema.get(word), list) and schema[word]:
            return {"anyOf": [shape(option, root, depth + 1) for option in schema[word]]}
    kept = {word: schema[word] for word in ("type", "enum", "const") if word in schema}
    if isinstance(schema.get("items"), dict):
        kept["items"] = shape(schema["items"], root, depth + 1)
    properties = schema.get("properties")
    if isinstance(properties, dict):
        kept["properties"] = {name: shape(inner, root, depth + 1) for name, inner in properties.items()}
        required = schema.get("required")
        kept["required"] = [n for n in required if n in properties] if isinstance(required, list) else []
        kept["additionalProperties"] = False
    elif depth == 0:  # a tool that declares no parameters takes none
        kept |= {"type": "object", "properties": {}, "additionalProperties": False}
    return kept


def _branch(name: str, tool: str, content: Json) -> Json:
    return {
        "type": "object",
        "properties": {"tool": {"const": tool}, name: content},
        "required": ["tool", name],
        "additionalProperties": False,
    }


def _type(schema: Any) -> str:
    if not isinstance(schema, dict):
        return "any"
    choices = schema.get("enum")
    if isinstance(choices, list):
        return "|".join(str(choice) for choice in choices[:20])
    kind = schema.get("type", "any")
    return "|".join(map(str, kind)) if isinstance(kind, list) else str(kind)
