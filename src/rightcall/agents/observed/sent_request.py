"""A request to a model on its way, in any wire format: the results that an agent's loop sends back, its tools, its
instructions. What is changed here is what the model is sent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec

from rightcall.core.errors import InputError
from rightcall.recording.model_requests import (
    SYSTEM_FIELDS,
    SYSTEM_ROLES,
    json_body,
    offered_tools,
    question_field,
    tool_fields,
)
from rightcall.records.call import ToolCall
from rightcall.records.dialects import read_tool
from rightcall.records.dialects.part_kinds import LISTS, OUTPUTS, RESULT_FIELDS, SINGLES
from rightcall.records.dialects.parts import is_item, read_part, read_result
from rightcall.records.dialects.wire import output_text, parse_call
from rightcall.records.tool import Tool

Json = dict[str, Any]

SCHEMAS = ("parameters", "input_schema", "parametersJsonSchema", "inputSchema")
"""Where a definition has the schema of its arguments; Bedrock's is one level deeper, under `json`."""
WRAPPED = ("result", "output")
"""The only key of an object that Gemini's clients put around a result that is none."""


class SentResult(NamedTuple):
    """A result that a loop sends back; `fields` are those of its part, and `field` the one that holds the content."""

    call: ToolCall
    fields: Json
    field: str
    failed: bool

    @property
    def content(self) -> Any:
        return self.fields.get(self.field)

    @property
    def value(self) -> Any:
        """What the tool returned: JSON as the value, any other text as it is."""
        content = self.content
        if isinstance(content, dict):
            return content[key] if (key := _wrapping_key(content)) else content
        if isinstance(content, list):
            parts = [part for part in content if isinstance(part, dict)]
            if len(parts) == 1 and "json" in parts[0]:
                return parts[0]["json"]
            content = "".join(part["text"] for part in parts if isinstance(part.get("text"), str))
        return _json_value(content)

    def put(self, output: Any, *, failed: bool) -> None:
        """Send this instead; other parts, such as an image, stay."""
        content = self.content
        if isinstance(content, dict):
            key = _wrapping_key(content) or ("" if isinstance(output, dict) else WRAPPED[0])
            self.fields[self.field] = {key: output} if key else output
        elif isinstance(content, list):
            self.fields[self.field] = _with_output(content, output)
        else:
            self.fields[self.field] = _written(content, output)
        if "tool_use_id" in self.fields:
            self.fields["is_error"] = failed
        elif "toolUseId" in self.fields:
            self.fields["status"] = "error" if failed else "success"


class SentRequest:
    """A request that asks a model; `body` is changed in place."""

    def __init__(self, body: Json, field: str, path: str) -> None:
        self.body = body
        self._field = field
        self._path = path

    @classmethod
    def of(cls, method: str, path: str, body: bytes) -> SentRequest | None:
        """The request; None for one that asks no model, or that is in no format that is read."""
        document = json_body(body) if method.upper() == "POST" else None
        path = path.lower().rstrip("/").removesuffix("-stream")
        field = "" if document is None else question_field(path, document)
        return None if document is None or not field else cls(document, field, path)

    def encoded(self) -> bytes:
        return msgspec.json.encode(self.body)

    def results(self, earlier: Callable[[str], ToolCall | None]) -> Iterator[SentResult]:
        """The results in it, each with its call; `earlier` finds a call that the request itself no longer has."""
        items = self.body[self._field]
        calls: dict[str, ToolCall] = {}
        for item in items if isinstance(items, list) else ():
            for raw in _entries(item):
                if (call := read_part(raw).call) is not None and call.name:
                    calls[str(call.id or call.name)] = parse_call(
                        str(call.name), call.arguments or {}, str(call.id)
                    )
                elif (fields := _result_fields(item, raw)) is not None:
                    yield _result_part(fields, calls, earlier)

    def tools(self) -> list[tuple[Json, Tool]]:
        """The definitions that are offered, with the fields that hold them; not those that the provider runs."""
        offered: list[tuple[Json, Tool]] = []
        for raw in offered_tools(self.body):
            try:
                offered.append((tool_fields(raw), read_tool(raw, "tools")))
            except InputError:
                continue
        return offered

    def extend_system(self, text: str) -> None:
        """Add a paragraph to the end of the instructions; a request without any gets them."""
        items = self.body[self._field]
        for item in items if isinstance(items, list) else ():
            if isinstance(item, dict) and item.get("role") in SYSTEM_ROLES:
                _extend(item, "content", text)
                return
        if any(_extend(self.body, name, text) for name in SYSTEM_FIELDS if self.body.get(name)):
            return
        for ending, name, value in (
            ("/responses", "instructions", text),
            ("/messages", "system", text),
            ("/converse", "system", [{"text": text}]),
            ("generatecontent", "systemInstruction", {"parts": [{"text": text}]}),
        ):
            if self._path.endswith(ending):
                self.body[name] = value
                return
        if isinstance(items, list):
            self.body[self._field] = [{"role": "system", "content": text}, *items]


def redefine(fields: Json, before: Tool, after: Tool) -> None:
    """Write what differs between two definitions into the fields of the first."""
    if before.description != after.description:
        fields["description"] = after.description
    name = next((name for name in SCHEMAS if name in fields), "")
    if before.input_schema == after.input_schema or not name:
        return
    schema = fields[name]
    if isinstance(schema, dict) and "json" in schema and len(schema) == 1:
        fields[name] = {"json": after.input_schema}
    else:
        fields[name] = after.input_schema


def _entries(item: Any) -> Iterator[Json]:
    """What may be a call or a result in a message or an item: itself, its parts, and its lists of calls."""
    if not isinstance(item, dict):
        return
    if is_item(item) or item.get("role") in ("tool", "function"):
        yield item
        return
    for name in (*LISTS, "content", "parts"):
        inner = item.get(name)
        yield from (raw for raw in (inner if isinstance(inner, list) else ()) if isinstance(raw, dict))
    yield from (item[name] for name in SINGLES if isinstance(item.get(name), dict))


def _result_fields(item: Json, raw: Json) -> Json | None:
    """The fields of a result, in a part for results or in the message of a tool."""
    if raw is item and item.get("role") in ("tool", "function"):
        return item
    if read_part(raw).result is None:
        return None
    return next((raw[name] for name in RESULT_FIELDS if isinstance(raw.get(name), dict)), raw)


def _result_part(
    fields: Json, calls: dict[str, ToolCall], earlier: Callable[[str], ToolCall | None]
) -> SentResult:
    spelled = read_result(fields)
    call_id = str(spelled.id or "")
    name = str(spelled.name or "")
    call = (
        calls.get(call_id or name) or (earlier(call_id) if call_id else None) or ToolCall(name, {}, call_id)
    )
    field = next((name for name in OUTPUTS if fields.get(name) is not None), "content")
    sent = SentResult(call, fields, field, bool(spelled.failed))
    value = sent.value
    return sent._replace(failed=sent.failed or (isinstance(value, dict) and bool(value.get("error"))))


def _wrapping_key(content: Json) -> str:
    only = next(iter(content), "") if len(content) == 1 else ""
    return only if only in WRAPPED else ""


def _json_value(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return text


def _written(content: Any, output: Any) -> str:
    """An output as the text that the loop would have written: JSON where it wrote JSON."""
    wrote_json = isinstance(content, str) and _json_value(content) is not content
    if isinstance(output, str) and not wrote_json:
        return output
    return json.dumps(output, ensure_ascii=False) if wrote_json else output_text(output)


def _with_output(content: list[Any], output: Any) -> list[Any]:
    """Parts with the output in place of all their text."""
    texts = [part for part in content if isinstance(part, dict) and ("text" in part or "json" in part)]
    others = [part for part in content if not any(part is text for text in texts)]
    if texts and "json" in texts[0]:
        return [{"json": output} if isinstance(output, dict) else {"text": output_text(output)}, *others]
    whole = "".join(str(part["text"]) for part in texts)
    first = texts[0] if texts else {"type": "text"}
    return [{**first, "text": _written(whole, output)}, *others]


def _extend(fields: Json, name: str, text: str) -> bool:
    """Add a paragraph to a text, to the last of a list of parts, or to the last of the parts of an object."""
    held = fields[name]
    if isinstance(held, str):
        fields[name] = f"{held}\n\n{text}"
        return True
    if isinstance(held, list) and held and isinstance(held[-1], dict) and "text" in held[-1]:
        return _extend(held[-1], "text", text)
    return isinstance(held, dict) and "parts" in held and _extend(held, "parts", text)
