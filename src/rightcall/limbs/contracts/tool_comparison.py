"""One tool in two versions of a server: what changed in its definition and in its answers, and for whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rightcall.core.canonical_json import canonical
from rightcall.core.codec import encode
from rightcall.core.errors import InputError
from rightcall.core.text import one_line
from rightcall.limbs.contracts.result_shape import IgnoredPaths, result_changes
from rightcall.recording.mcp.session import Definition, RecordedCall
from rightcall.recording.mcp.session_player import describe
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
