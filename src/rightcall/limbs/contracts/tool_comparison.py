"""One tool in two versions of a server: what changed in its definition and in its answers, and for whom."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import msgspec

from rightcall.core.canonical_json import canonical
from rightcall.core.codec import DecodeErrors, encode
from rightcall.core.depth import too_deep
from rightcall.core.errors import InputError
from rightcall.core.text import first_names, one_line
from rightcall.recording.mcp.session import Definition, RecordedCall, describe
from rightcall.schema.compatibility import ChangeLevel, Role, schema_changes
from rightcall.schema.subschemas import subschemas
from rightcall.tools.definitions.validate import fits, schema_problems

Part = Literal["list", "definition", "input schema", "output schema", "call", "error"]


@dataclass(frozen=True)
class ContractChange:
    """One line of a comparison. `call` is the recorded call it is about, if it is about one."""

    part: Part
    text: str
    level: ChangeLevel
    path: str = ""
    call: str = ""


def definition_changes(
    old: Definition, new: Definition, calls: Sequence[RecordedCall]
) -> Iterator[ContractChange]:
    """What changed in the definition of a tool, and the recorded calls that no longer fit it."""
    for key in ("title", "description"):
        if old.get(key) != new.get(key):
            yield ContractChange("definition", f"{key} changed", "model")
    if (old.get("annotations") or {}) != (new.get("annotations") or {}):
        yield ContractChange("definition", "annotations changed", "model")
    yield from _schema_lines(old, new, "inputSchema", "input")
    before = old.get("outputSchema")
    after = new.get("outputSchema")
    if before is None and after is not None:
        yield ContractChange("output schema", "output schema added", "compatible")
    elif before is not None and after is None:
        yield ContractChange("output schema", "output schema gone", "breaking")
    elif before is not None:
        yield from _schema_lines(old, new, "outputSchema", "output")
    yield from _calls_that_no_longer_fit(old, new, calls)


def answer_changes(
    call: RecordedCall,
    reply: Mapping[str, Any],
    schemas: tuple[Any, Any],
    ignored: IgnoredPaths,
    *,
    values: bool,
) -> Iterator[ContractChange]:
    """What changed in the answer to a recorded call; `reply` has a `result` or an `error`.

    `schemas` are the output schemas of both versions. A result that violated its own when it was recorded may still.
    """
    name = describe(call)
    result = _dict_or_none(reply.get("result"))
    failed = result is None or bool(result.get("isError"))
    if call.failed != failed:
        text = "answers with an error now: " + _error_text(result, reply) if failed else "no longer fails"
        yield ContractChange("call", text, "breaking", call=name)
    elif failed:
        yield from _error_changes(call, result, reply, name)
    elif call.result is not None and result is not None:
        for change in result_changes(call.result, result, ignored):
            is_value = change.text.startswith("other value")
            level: ChangeLevel = "breaking" if is_value and values else change.level
            yield ContractChange("call", change.text, level, change.path, call=name)
        old_schema, new_schema = schemas
        if not any(_schema_violations(call.result, old_schema, name)):
            yield from _schema_violations(result, new_schema, name)


def schema_key(tool: Definition) -> tuple[bytes, ...]:
    """Equal for two tools with the same schemas, whatever they are called and say: one was probably renamed."""
    return tuple(canonical(without_words(tool.get(key))) for key in ("inputSchema", "outputSchema"))


def without_words(schema: Any) -> Any:
    """A schema without what only people and models read."""
    if not isinstance(schema, dict):
        return schema
    plain = {key: value for key, value in schema.items() if key not in ("title", "description", "examples")}
    for keyword, step, part in subschemas(plain):
        if step is None:
            plain[keyword] = without_words(part)
        else:
            plain[keyword] = plain[keyword].copy()
            plain[keyword][step] = without_words(part)
    return plain


def _schema_lines(old: Definition, new: Definition, key: str, role: Role) -> Iterator[ContractChange]:
    part: Part = "input schema" if role == "input" else "output schema"
    for change in schema_changes(old.get(key) or {}, new.get(key) or {}, role):
        yield ContractChange(part, change.text, change.level, change.path)


def _calls_that_no_longer_fit(
    old: Definition, new: Definition, calls: Sequence[RecordedCall]
) -> Iterator[ContractChange]:
    before = old.get("inputSchema")
    after = new.get("inputSchema")
    if not isinstance(before, dict) or not isinstance(after, dict) or canonical(before) == canonical(after):
        return
    for call in calls:
        if call.n:
            continue
        try:
            if not fits(before, call.arguments, "inputSchema"):
                continue
            problems = schema_problems(after, call.arguments, "inputSchema")
        except InputError:
            continue  # a schema that cannot be compiled: its differences are lines of their own
        if problems:
            text = f"a recorded call no longer fits the schema: {problems[0].message}"
            yield ContractChange("input schema", text, "breaking", problems[0].path, call=describe(call))


def _error_changes(
    call: RecordedCall, result: dict[str, Any] | None, reply: Mapping[str, Any], name: str
) -> Iterator[ContractChange]:
    if (call.result is None) != (result is None):
        kinds = ("protocol error", "tool error") if call.result is None else ("tool error", "protocol error")
        yield ContractChange("error", f"{kinds[0]} became a {kinds[1]}", "model", call=name)
    elif call.result is None:
        before = call.error or {}
        after = _dict_or_none(reply.get("error")) or {}
        if (before.get("code"), before.get("message")) != (after.get("code"), after.get("message")):
            yield ContractChange("error", f"error changed: {_error_text(None, reply)}", "model", call=name)
    elif canonical(call.result.get("content")) != canonical((result or {}).get("content")):
        yield ContractChange("error", f"error text changed: {_error_text(result, reply)}", "model", call=name)


def _schema_violations(result: dict[str, Any], schema: Any, name: str) -> Iterator[ContractChange]:
    if not isinstance(schema, dict):
        return
    structured = result.get("structuredContent")
    if structured is None:
        yield ContractChange(
            "call", "no structured content, though there is an output schema", "breaking", call=name
        )
        return
    try:
        problems = schema_problems(schema, structured, "outputSchema")
    except InputError as error:
        yield ContractChange("output schema", f"output schema is invalid: {error.problem}", "breaking")
        return
    if problems:
        text = f"result violates the output schema: {problems[0].message}"
        yield ContractChange("call", text, "breaking", problems[0].path, call=name)


def _error_text(result: dict[str, Any] | None, reply: Mapping[str, Any]) -> str:
    if result is None:
        error = _dict_or_none(reply.get("error")) or {}
        return one_line(f"{error.get('code')} {error.get('message')}", 160)
    content = result.get("content")
    parts = content if isinstance(content, list) else []
    texts = [part.get("text", "") for part in parts if isinstance(part, dict)]
    return one_line(" ".join(map(str, texts)) or encode(content).decode(), 160)


def _dict_or_none(value: Any) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


_KINDS = {dict: "object", list: "array", str: "text", bool: "boolean", int: "number", float: "number"}
MOST_PATHS = 3


class ResultChange(NamedTuple):
    """One difference between two results of the same call."""

    path: str
    text: str
    level: ChangeLevel


@dataclass
class Shape:
    """The kinds of values at a place, and the shapes of their keys and items."""

    kinds: set[str] = field(default_factory=set)
    keys: dict[str, Shape] = field(default_factory=dict)
    items: Shape | None = None

    def add(self, value: Any) -> Shape:
        self.kinds.add(_KINDS.get(type(value), "null"))
        if isinstance(value, dict):
            for name, part in value.items():
                self.keys.setdefault(name, Shape()).add(part)
        elif isinstance(value, list):
            self.items = self.items or Shape()
            for part in value:
                self.items.add(part)
        return self


class IgnoredPaths:
    """JSONPaths of places that may have any shape: `$.structuredContent.now`, `$..id`, `$.content[*].text`."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._patterns = [re.compile(_pattern(path)) for path in paths]

    def covers(self, path: str) -> bool:
        """Whether a place is one of them, or inside one."""
        return any(pattern.match(path) for pattern in self._patterns)


def result_changes(old: dict[str, Any], new: dict[str, Any], ignored: IgnoredPaths) -> list[ResultChange]:
    """Every difference between two results that are no errors."""
    changes = [change for change in _changes(old, new) if not ignored.covers(change.path)]
    if not changes:
        paths = [path for path in _other_values(_parts(old), _parts(new), "$") if not ignored.covers(path)]
        if paths:
            changes.append(
                ResultChange(paths[0], f"other value: {first_names(paths, MOST_PATHS)}", "compatible")
            )
    return changes


def _changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[ResultChange]:
    before = old.get("structuredContent")
    after = new.get("structuredContent")
    place = "$.structuredContent"
    if before is None and after is not None:
        yield ResultChange(place, "structured content added", "compatible")
    elif before is not None and after is None:
        yield ResultChange(place, "structured content gone", "breaking")
    elif before is not None:
        yield from shape_changes(Shape().add(before), Shape().add(after), place)
    yield from _content_changes(_content(old), _content(new))


def _content_changes(old: list[Any], new: list[Any]) -> Iterator[ResultChange]:
    if len(new) != len(old):
        level: ChangeLevel = "breaking" if len(new) < len(old) else "compatible"
        yield ResultChange("$.content", f"content parts: {len(new)} instead of {len(old)}", level)
    for index, (before, after) in enumerate(zip(old, new, strict=False)):
        yield from _part_changes(before, after, f"$.content[{index}]")


def _part_changes(old: Any, new: Any, path: str) -> Iterator[ResultChange]:
    kinds = [part.get("type") if isinstance(part, dict) else None for part in (old, new)]
    if kinds[0] != kinds[1]:
        yield ResultChange(f"{path}.type", f"content changed from {kinds[0]} to {kinds[1]}", "breaking")
        return
    before = _with_json_text(old)
    after = _with_json_text(new)
    if kinds[0] == "text" and not isinstance(before.get("text"), str) and isinstance(after.get("text"), str):
        yield ResultChange(f"{path}.text", "JSON became text", "breaking")
        return
    if kinds[0] == "text" and isinstance(before.get("text"), str):
        after = {**after, "text": new.get("text", "")}  # text that became JSON is still text
    yield from shape_changes(Shape().add(before), Shape().add(after), path)


def shape_changes(old: Shape, new: Shape, path: str) -> Iterator[ResultChange]:
    """What a reader of the old shape misses in the new one, and what is new."""
    if not new.kinds or not old.kinds:
        return
    if surplus := new.kinds - old.kinds:
        kinds = " or ".join(sorted(old.kinds)), " or ".join(sorted(surplus))
        yield ResultChange(path, f"type changed from {kinds[0]} to {kinds[1]}", "breaking")
        return
    if "object" in new.kinds:
        for name in old.keys.keys() - new.keys.keys():
            yield ResultChange(f"{path}.{name}", "key gone", "breaking")
        for name in sorted(new.keys.keys() - old.keys.keys()):
            yield ResultChange(f"{path}.{name}", "key added", "compatible")
        for name in sorted(old.keys.keys() & new.keys.keys()):
            yield from shape_changes(old.keys[name], new.keys[name], f"{path}.{name}")
    if old.items is not None and new.items is not None:
        yield from shape_changes(old.items, new.items, f"{path}[*]")


def _other_values(old: Any, new: Any, path: str) -> Iterator[str]:
    """The places where two values of the same shape differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted(old.keys() | new.keys()):
            yield from _other_values(old.get(name), new.get(name), f"{path}.{name}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _other_values(before, after, f"{path}[{index}]")
    elif canonical(old) != canonical(new):
        yield path


def _parts(result: dict[str, Any]) -> dict[str, Any]:
    parts: dict[str, Any] = {"content": [_with_json_text(part) for part in _content(result)]}
    if result.get("structuredContent") is not None:
        parts["structuredContent"] = result["structuredContent"]
    return parts


def _content(result: dict[str, Any]) -> list[Any]:
    content = result.get("content")
    return content if isinstance(content, list) else []


def _with_json_text(part: Any) -> dict[str, Any]:
    """A content part whose text, if it is a JSON object or list, is that value."""
    if not isinstance(part, dict):
        return {"value": part}
    text = part.get("text")
    if not isinstance(text, str) or text.lstrip()[:1] not in ("{", "["):
        return part
    data = text.encode("utf-8", "surrogatepass")
    try:
        return part if too_deep(data) else {**part, "text": msgspec.json.decode(data)}
    except DecodeErrors:
        return part


_STEP = re.compile(r"\.\.([\w-]+|\*)|\.([\w-]+|\*)|\[(\d+|\*)\]|\['([^']*)'\]")


def _pattern(path: str) -> str:
    """A JSONPath as a pattern of the paths that are shown, and of those inside them."""
    if not path.startswith("$"):
        raise InputError(
            "--ignore", f"'{path}' is not a JSONPath", "begin it with $, such as $.structuredContent.now"
        )
    pattern = r"\$"
    at = 1
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None:
            raise InputError(
                "--ignore", f"'{path}' cannot be read at '{path[at:][:20]}'", "use .name, ..name, [0] or [*]"
            )
        deep, name, index, quoted = step.groups()
        if index is not None:
            pattern += r"\[[^\]]+\]" if index == "*" else rf"\[(?:{index}|\*)\]"
        else:
            word = deep or name or quoted or ""
            pattern += (
                (r"(?:[.\[].*)?" if deep else "") + r"\." + (r"[^.\[]+" if word == "*" else re.escape(word))
            )
        at = step.end()
    return pattern + r"(?:[.\[].*)?\Z"
